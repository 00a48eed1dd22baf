//! An XML document with everything that is in it, so that writing it again loses nothing.

use quick_xml::Reader;
use quick_xml::escape::{escape, resolve_predefined_entity};
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::error::SubtitleError;
use crate::limits::{DEPTH_MAX, NODES_MAX};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TtmlTree {
    /// Comments and instructions before the root.
    prolog: Vec<TtmlNode>,
    pub(crate) root: TtmlElement,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TtmlNode {
    Element(TtmlElement),
    Text(String),
    Comment(String),
    Instruction(String),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TtmlElement {
    /// With its prefix.
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<TtmlNode>,
}

impl TtmlElement {
    pub(crate) fn local(&self) -> &str {
        local(&self.name)
    }

    /// An attribute by its local name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let exact = self.attributes.iter().find(|(own, _)| own == name);
        exact
            .or_else(|| self.attributes.iter().find(|(own, _)| local(own) == name))
            .map(|(_, value)| value.as_str())
    }

    /// Sets an attribute without a prefix, or removes it.
    pub(crate) fn set(&mut self, name: &str, value: Option<String>) {
        let at = self.attributes.iter().position(|(own, _)| own == name);
        match (at, value) {
            (Some(at), Some(value)) => self.attributes[at].1 = value,
            (Some(at), None) => drop(self.attributes.remove(at)),
            (None, Some(value)) => self.attributes.push((name.to_owned(), value)),
            (None, None) => {}
        }
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = &TtmlElement> {
        self.children.iter().filter_map(|child| match child {
            TtmlNode::Element(element) => Some(element),
            _ => None,
        })
    }

    pub(crate) fn child(&self, name: &str) -> Option<&TtmlElement> {
        self.elements().find(|element| element.local() == name)
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl TtmlTree {
    pub(crate) fn parse(text: &str) -> Result<Self, SubtitleError> {
        let mut builder = TtmlBuilder::default();
        let mut reader = Reader::from_str(text.trim_start());
        loop {
            let event = reader.read_event().map_err(|error| SubtitleError::Xml(error.to_string()))?;
            if event == Event::Eof {
                return builder.finish();
            }
            builder.take(event)?;
        }
    }

    /// True if there is more than text and times.
    pub(crate) fn has_layout(&self) -> bool {
        self.root.child("head").is_some_and(|head| head.elements().next().is_some())
    }

    pub(crate) fn write(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        for node in &self.prolog {
            write_node(node, &mut out);
            out.push('\n');
        }
        write_element(&self.root, &mut out);
        out.push('\n');
        out
    }
}

fn write_node(node: &TtmlNode, out: &mut String) {
    match node {
        TtmlNode::Element(element) => write_element(element, out),
        TtmlNode::Text(text) => out.push_str(&escape(text.as_str()).replace('\r', "&#13;")),
        TtmlNode::Comment(text) => out.push_str(&format!("<!--{text}-->")),
        TtmlNode::Instruction(text) => out.push_str(&format!("<?{text}?>")),
    }
}

fn write_element(element: &TtmlElement, out: &mut String) {
    out.push_str(&format!("<{}", element.name));
    for (name, value) in &element.attributes {
        let value =
            escape(value.as_str()).replace('\n', "&#10;").replace('\t', "&#9;").replace('\r', "&#13;");
        out.push_str(&format!(" {name}=\"{value}\""));
    }
    if element.children.is_empty() {
        out.push_str("/>");
        return;
    }
    out.push('>');
    for child in &element.children {
        write_node(child, out);
    }
    out.push_str(&format!("</{}>", element.name));
}

#[derive(Default)]
struct TtmlBuilder {
    prolog: Vec<TtmlNode>,
    open: Vec<TtmlElement>,
    root: Option<TtmlElement>,
    nodes: usize,
}

impl TtmlBuilder {
    fn take(&mut self, event: Event<'_>) -> Result<(), SubtitleError> {
        match event {
            Event::Start(start) => self.start(&start),
            Event::Empty(start) => {
                self.start(&start)?;
                self.end();
                Ok(())
            }
            Event::End(_) => {
                self.end();
                Ok(())
            }
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(data) => self.text(&data.xml10_content()),
            Event::GeneralRef(reference) => self.reference(&reference),
            Event::Comment(comment) => self.add(TtmlNode::Comment(comment.xml10_content().into_owned())),
            Event::PI(instruction) => self.add(TtmlNode::Instruction(instruction.into_inner().into_owned())),
            Event::Decl(_) | Event::DocType(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), SubtitleError> {
        if self.open.len() >= DEPTH_MAX {
            return Err(SubtitleError::TooMany { what: "nested elements", limit: DEPTH_MAX });
        }
        if self.root.is_some() {
            return Err(SubtitleError::Xml("it has more than one root".into()));
        }
        self.count()?;
        let mut element = TtmlElement { name: start.name().0.to_owned(), ..TtmlElement::default() };
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| SubtitleError::Xml(error.to_string()))?;
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            let value = value.map_err(|error| SubtitleError::Xml(error.to_string()))?;
            element.attributes.push((attribute.key.0.to_owned(), value.into_owned()));
        }
        self.open.push(element);
        Ok(())
    }

    fn end(&mut self) {
        let Some(done) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(TtmlNode::Element(done)),
            None => self.root = Some(done),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), SubtitleError> {
        let Some(parent) = self.open.last_mut() else { return Ok(()) };
        match parent.children.last_mut() {
            Some(TtmlNode::Text(before)) => before.push_str(text),
            _ => {
                parent.children.push(TtmlNode::Text(text.to_owned()));
                self.count()?;
            }
        }
        Ok(())
    }

    /// Entities of XML itself alone: a document cannot define any.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), SubtitleError> {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            return self.text(character.encode_utf8(&mut [0; 4]));
        }
        let name = reference.xml10_content();
        match resolve_predefined_entity(&name) {
            Some(text) => self.text(text),
            None => Err(SubtitleError::Xml(format!("the entity {name} is not defined"))),
        }
    }

    fn add(&mut self, node: TtmlNode) -> Result<(), SubtitleError> {
        self.count()?;
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None if self.root.is_none() => self.prolog.push(node),
            None => {}
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), SubtitleError> {
        self.nodes += 1;
        match self.nodes > NODES_MAX {
            true => Err(SubtitleError::TooMany { what: "elements", limit: NODES_MAX }),
            false => Ok(()),
        }
    }

    fn finish(mut self) -> Result<TtmlTree, SubtitleError> {
        if let Some(open) = self.open.pop() {
            return Err(SubtitleError::Xml(format!("the end of {} is missing", open.name)));
        }
        let root = self.root.ok_or_else(|| SubtitleError::Xml("there is no element".into()))?;
        Ok(TtmlTree { prolog: self.prolog, root })
    }
}
