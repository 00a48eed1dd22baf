//! XML as a compact tree that is safe to walk: names are shared, nesting is limited, and entities of a
//! document type are never expanded.

use std::collections::HashMap;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::error::DocumentError;
use crate::limits::DocumentLimits;
use crate::text;

/// Elements and texts of one file. A hundred megabytes of ordinary XML have fewer.
const NODES_MAX: usize = 4_000_000;
/// Attributes of one element that are kept.
const ATTRIBUTES_MAX: usize = 64;
const NONE: u32 = u32::MAX;

/// A file that was read.
pub(crate) struct XmlTree {
    nodes: Vec<XmlNode>,
    names: Vec<String>,
    attributes: Vec<(u32, Range<u32>)>,
    text: String,
    /// The reason why its end is missing, if so.
    pub(crate) damage: Option<String>,
}

struct XmlNode {
    /// `NONE` for a piece of text.
    name: u32,
    first_child: u32,
    next: u32,
    /// Attributes of an element, bytes of a text.
    span: Range<u32>,
}

/// An element of a tree. Names are local: prefixes are ignored.
#[derive(Clone, Copy)]
pub(crate) struct Element<'t> {
    tree: &'t XmlTree,
    node: u32,
}

/// The content of an element.
pub(crate) enum Child<'t> {
    Element(Element<'t>),
    Text(&'t str),
}

impl XmlTree {
    /// Reads as far as possible: everything after an error is left out, and `damage` says so.
    pub(crate) fn read(
        bytes: &[u8],
        format: &'static str,
        limits: &DocumentLimits,
    ) -> Result<XmlTree, DocumentError> {
        let source = text::decode_xml(bytes);
        let mut builder = XmlBuilder::new(format, limits);
        let mut reader = Reader::from_str(&source);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        loop {
            match reader.read_event() {
                Ok(Event::Eof) => break,
                Ok(event) => builder.take(event)?,
                Err(error) => {
                    builder.tree.damage = Some(error.to_string());
                    break;
                }
            }
        }
        builder.finish()
    }

    pub(crate) fn root(&self) -> Element<'_> {
        Element { tree: self, node: 0 }
    }

    fn node(&self, index: u32) -> &XmlNode {
        &self.nodes[index as usize]
    }

    fn text(&self, span: &Range<u32>) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }
}

impl<'t> Element<'t> {
    pub(crate) fn name(self) -> &'t str {
        local(&self.tree.names[self.tree.node(self.node).name as usize])
    }

    /// An attribute by its local name; one without a prefix takes precedence.
    pub(crate) fn attribute(self, name: &str) -> Option<&'t str> {
        let exact = self.attributes().find(|(own, _)| *own == name);
        exact.or_else(|| self.attributes().find(|(own, _)| local(own) == name)).map(|(_, value)| value)
    }

    /// An attribute that has some prefix, such as the `r:id` beside an `id`.
    pub(crate) fn prefixed(self, name: &str) -> Option<&'t str> {
        let found = self.attributes().find(|(own, _)| own.contains(':') && local(own) == name);
        found.map(|(_, value)| value)
    }

    /// An attribute that is a number.
    pub(crate) fn number<N: std::str::FromStr>(self, name: &str) -> Option<N> {
        self.attribute(name)?.trim().parse().ok()
    }

    fn attributes(self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let tree = self.tree;
        let span = tree.node(self.node).span.clone();
        let own = &tree.attributes[span.start as usize..span.end as usize];
        own.iter().map(move |(name, value)| (tree.names[*name as usize].as_str(), tree.text(value)))
    }

    pub(crate) fn content(self) -> impl Iterator<Item = Child<'t>> {
        let tree = self.tree;
        let mut next = tree.node(self.node).first_child;
        std::iter::from_fn(move || {
            if next == NONE {
                return None;
            }
            let (index, node) = (next, tree.node(next));
            next = node.next;
            Some(match node.name {
                NONE => Child::Text(tree.text(&node.span)),
                _ => Child::Element(Element { tree, node: index }),
            })
        })
    }

    pub(crate) fn children(self) -> impl Iterator<Item = Element<'t>> {
        self.content().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(_) => None,
        })
    }

    pub(crate) fn children_named(self, name: &str) -> impl Iterator<Item = Element<'t>> {
        self.children().filter(move |child| child.name() == name)
    }

    pub(crate) fn child(self, name: &str) -> Option<Element<'t>> {
        self.children_named(name).next()
    }

    /// The child of a child and so on.
    pub(crate) fn path(self, names: &[&str]) -> Option<Element<'t>> {
        names.iter().try_fold(self, |element, name| element.child(name))
    }

    /// Everything below it, itself first, in the order of the file.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'t>> {
        let mut waiting = vec![self];
        std::iter::from_fn(move || {
            let element = waiting.pop()?;
            let from = waiting.len();
            waiting.extend(element.children());
            waiting[from..].reverse();
            Some(element)
        })
    }

    pub(crate) fn find(self, name: &str) -> Option<Element<'t>> {
        self.descendants().find(|element| element.name() == name)
    }

    /// All text below it.
    pub(crate) fn text(self) -> String {
        let mut text = String::new();
        self.gather(&mut text);
        text
    }

    fn gather(self, into: &mut String) {
        for child in self.content() {
            match child {
                Child::Element(element) => element.gather(into),
                Child::Text(text) => into.push_str(text),
            }
        }
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

struct XmlBuilder {
    tree: XmlTree,
    ids: HashMap<String, u32>,
    /// Elements that are open, each with its last child.
    open: Vec<(u32, u32)>,
    format: &'static str,
    depth_max: usize,
}

impl XmlBuilder {
    fn new(format: &'static str, limits: &DocumentLimits) -> Self {
        let tree = XmlTree {
            nodes: Vec::new(),
            names: Vec::new(),
            attributes: Vec::new(),
            text: String::new(),
            damage: None,
        };
        Self { tree, ids: HashMap::new(), open: Vec::new(), format, depth_max: limits.depth_max }
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), DocumentError> {
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
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), DocumentError> {
        if self.open.len() >= self.depth_max {
            return Err(self.too_large("a nesting of elements", self.depth_max));
        }
        let is_second_root = self.open.is_empty() && !self.tree.nodes.is_empty();
        if is_second_root {
            self.tree.damage = Some("it has more than one root".to_owned());
        }
        let from = self.tree.attributes.len() as u32;
        for attribute in start.attributes().with_checks(false).flatten().take(ATTRIBUTES_MAX) {
            let name = self.name(attribute.key.0);
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap_or_default();
            let value = self.keep(&value);
            self.tree.attributes.push((name, value));
        }
        let span = from..self.tree.attributes.len() as u32;
        let name = self.name(start.name().0);
        let node = self.add(name, span)?;
        self.open.push((node, NONE));
        Ok(())
    }

    /// The root stays open, so that every node has a parent.
    fn end(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    fn text(&mut self, text: &str) -> Result<(), DocumentError> {
        // Line breaks between elements are only formatting.
        let is_layout = text.contains('\n') && text.trim_ascii().is_empty();
        if self.open.is_empty() || text.is_empty() || is_layout {
            return Ok(());
        }
        let span = self.keep(text);
        self.add(NONE, span).map(drop)
    }

    /// Only the entities of XML itself, and those that people borrow from HTML: a document cannot define any.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), DocumentError> {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            return self.text(character.encode_utf8(&mut [0; 4]));
        }
        let text = match reference.xml10_content().as_ref() {
            "nbsp" => " ",
            name => quick_xml::escape::resolve_predefined_entity(name).unwrap_or_default(),
        };
        self.text(text)
    }

    fn add(&mut self, name: u32, span: Range<u32>) -> Result<u32, DocumentError> {
        if self.tree.nodes.len() >= NODES_MAX {
            return Err(self.too_large("a number of elements", NODES_MAX));
        }
        let index = self.tree.nodes.len() as u32;
        self.tree.nodes.push(XmlNode { name, first_child: NONE, next: NONE, span });
        if let Some((parent, last)) = self.open.last_mut() {
            match *last {
                NONE => self.tree.nodes[*parent as usize].first_child = index,
                last => self.tree.nodes[last as usize].next = index,
            }
            *last = index;
        }
        Ok(index)
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.tree.names.len() as u32;
        self.tree.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    fn keep(&mut self, text: &str) -> Range<u32> {
        let from = self.tree.text.len() as u32;
        self.tree.text.push_str(text);
        from..self.tree.text.len() as u32
    }

    fn too_large(&self, what: &'static str, limit: usize) -> DocumentError {
        DocumentError::TooLarge { format: self.format, what, limit: limit as u64 }
    }

    fn finish(self) -> Result<XmlTree, DocumentError> {
        match self.tree.nodes.first() {
            Some(_) => Ok(self.tree),
            None => {
                let why = self.tree.damage.unwrap_or_else(|| "a part of it contains no XML".to_owned());
                Err(DocumentError::Damaged { format: self.format, why })
            }
        }
    }
}

#[cfg(test)]
mod tests;
