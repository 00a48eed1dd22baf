//! XMP as a small tree with namespaces.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

pub(super) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// Elements inside each other, and elements of a packet.
const DEPTH_MAX: usize = 64;
const NODES_MAX: usize = 200_000;

/// An element or an attribute, with its namespace.
#[derive(Clone, Debug, Default)]
pub(super) struct XmpNode {
    pub(super) space: String,
    pub(super) name: String,
    pub(super) prefix: String,
    pub(super) text: String,
    pub(super) attributes: Vec<XmpNode>,
    pub(super) children: Vec<XmpNode>,
}

impl XmpNode {
    pub(super) fn is(&self, space: &str, name: &str) -> bool {
        self.space == space && self.name == name
    }

    pub(super) fn child(&self, space: &str, name: &str) -> Option<&XmpNode> {
        self.children.iter().find(|it| it.is(space, name))
    }

    pub(super) fn language(&self) -> Option<&str> {
        self.attributes.iter().find(|it| it.is(XML, "lang")).map(|it| it.text.as_str())
    }

    /// Fields of a structure: its elements or attributes, or those of a Description inside it.
    pub(super) fn fields(&self) -> Vec<&XmpNode> {
        let inner = self.child(RDF, "Description").unwrap_or(self);
        let attributes = inner.attributes.iter().filter(|it| it.space != RDF && it.space != XML);
        inner.children.iter().filter(|it| it.space != RDF).chain(attributes).collect()
    }

    /// Items of a list.
    pub(super) fn items(&self) -> Vec<&XmpNode> {
        let list = self
            .children
            .iter()
            .find(|it| it.space == RDF && matches!(it.name.as_str(), "Bag" | "Seq" | "Alt"));
        list.map(|it| it.children.iter().filter(|it| it.is(RDF, "li")).collect()).unwrap_or_default()
    }
}

/// The elements of a packet. None if it is no XML.
pub(super) fn parse(bytes: &[u8]) -> Option<XmpNode> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut open: Vec<(XmpNode, Vec<(String, String)>)> = vec![(XmpNode::default(), Vec::new())];
    let mut count = 0;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                let scope = scope(&start, &open);
                count += 1;
                if open.len() > DEPTH_MAX || count > NODES_MAX {
                    return None;
                }
                open.push((element(&start, &scope), scope));
            }
            Event::Empty(start) => {
                let node = element(&start, &scope(&start, &open));
                open.last_mut()?.0.children.push(node);
                count += 1;
            }
            Event::End(_) => {
                let (node, _) = open.pop()?;
                open.last_mut()?.0.children.push(node);
            }
            Event::Text(text) => open.last_mut()?.0.text.push_str(&text.xml10_content()),
            Event::CData(data) => open.last_mut()?.0.text.push_str(&data.xml10_content()),
            Event::GeneralRef(reference) => {
                let resolved = match reference.resolve_char_ref() {
                    Ok(Some(character)) => character.to_string(),
                    _ => {
                        let name = reference.xml10_content();
                        quick_xml::escape::resolve_predefined_entity(&name).unwrap_or_default().to_owned()
                    }
                };
                open.last_mut()?.0.text.push_str(&resolved);
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    let root = (open.len() == 1).then(|| open.pop())??.0;
    (!root.children.is_empty()).then_some(root)
}

/// Prefixes and their namespaces at an element.
fn scope(start: &BytesStart<'_>, open: &[(XmpNode, Vec<(String, String)>)]) -> Vec<(String, String)> {
    let mut scope = open.last().map(|(_, scope)| scope.clone()).unwrap_or_default();
    for attribute in start.attributes().with_checks(false).flatten() {
        let key = attribute.key.0;
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap_or_default();
        if let Some(prefix) = key.strip_prefix("xmlns:") {
            scope.push((prefix.to_owned(), value.into_owned()));
        } else if key == "xmlns" {
            scope.push((String::new(), value.into_owned()));
        }
    }
    scope
}

fn named(name: &str, scope: &[(String, String)], text: String) -> XmpNode {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let space = match prefix {
        "xml" => XML.to_owned(),
        _ => scope.iter().rev().find(|(it, _)| it == prefix).map(|(_, it)| it.clone()).unwrap_or_default(),
    };
    XmpNode { space, name: local.to_owned(), prefix: prefix.to_owned(), text, ..XmpNode::default() }
}

fn element(start: &BytesStart<'_>, scope: &[(String, String)]) -> XmpNode {
    let mut node = named(start.name().0, scope, String::new());
    for attribute in start.attributes().with_checks(false).flatten().take(256) {
        let key = attribute.key.0;
        if key != "xmlns" && !key.starts_with("xmlns:") {
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap_or_default();
            node.attributes.push(named(key, scope, value.into_owned()));
        }
    }
    node
}

/// All properties: elements and attributes of the descriptions.
pub(super) fn properties(root: &XmpNode) -> Vec<XmpNode> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if node.is(RDF, "RDF") {
            for description in node.children.iter().filter(|it| it.is(RDF, "Description")) {
                let attributes = description.attributes.iter();
                found.extend(
                    attributes
                        .filter(|it| it.space != RDF && it.space != XML && !it.space.is_empty())
                        .cloned(),
                );
                found.extend(description.children.iter().cloned());
            }
        } else {
            waiting.extend(node.children.iter());
        }
    }
    found
}
