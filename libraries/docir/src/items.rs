//! The items of a document as readers want them: in reading order, with the headings above each.

use std::borrow::Cow;

use crate::model::{ContentLayer, DocIr, DocTable, DocText};
use crate::pointer::DocNode;

/// An item that has text, or a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct BodyItem<'a> {
    /// Such as `#/texts/3`.
    pub pointer: String,
    pub kind: ItemKind,
    /// Empty for a picture.
    pub text: Cow<'a, str>,
    /// The page, slide, sheet or chapter, from 1; none for a format without any.
    pub page: Option<u32>,
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
    /// From 0 to 1, if the parser said it.
    pub confidence: Option<f32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemKind {
    /// From 1; the title of the document is 1 too.
    Heading {
        level: u8,
    },
    Paragraph,
    ListItem,
    Code,
    Table,
    Picture,
    Caption,
}

impl DocIr {
    /// The title of the document: as it is marked in the text, as the file says it, or its first heading.
    pub fn title(&self) -> Option<&str> {
        let marked = self.texts.iter().find(|text| text.label == "title").map(|text| text.text.as_str());
        let said = self.body.meta.as_ref().and_then(|meta| meta.title.as_deref());
        let first = || {
            let heading = self.texts.iter().find(|text| text.label == "section_header");
            heading.filter(|heading| heading.level.unwrap_or(1) == 1).map(|heading| heading.text.as_str())
        };
        marked.or(said).or_else(first)
    }

    /// The items of the body in reading order, without headers and footers.
    pub fn items(&self) -> Vec<BodyItem<'_>> {
        let mut above: Vec<(u8, String)> = Vec::new();
        let mut items = Vec::new();
        for node in self.in_order().filter(|node| node.layer() == ContentLayer::Body) {
            let Some(kind) = kind_of(node) else { continue };
            if let ItemKind::Heading { level } = kind {
                above.retain(|(other, _)| *other < level);
            }
            let headings = above.iter().map(|(_, text)| text.clone()).collect();
            let Some(item) = self.item(node, kind, headings) else { continue };
            if let ItemKind::Heading { level } = kind {
                above.push((level, item.text.clone().into_owned()));
            }
            items.push(item);
        }
        items
    }

    /// Headers and footers in reading order.
    pub fn furniture(&self) -> Vec<BodyItem<'_>> {
        let nodes = self.in_order().filter(|node| node.layer() == ContentLayer::Furniture);
        nodes.filter_map(|node| self.item(node, kind_of(node)?, Vec::new())).collect()
    }

    /// The text of an item. The cells of a table's row are joined by ` | `, and its rows by line breaks.
    pub fn text(&self, pointer: &str) -> Option<Cow<'_, str>> {
        text_of(self.node(pointer)?)
    }

    /// All tables with their pointers.
    pub fn tables(&self) -> impl Iterator<Item = (String, &DocTable)> {
        self.tables.iter().map(|table| (table.self_ref.clone(), table))
    }

    /// The caption of a table or a picture.
    pub fn caption(&self, pointer: &str) -> Option<Cow<'_, str>> {
        let captions = match self.node(pointer)? {
            DocNode::Table(table) => &table.captions,
            DocNode::Picture(picture) => &picture.captions,
            DocNode::Group(_) | DocNode::Text(_) => return None,
        };
        self.text(&captions.first()?.pointer)
    }

    /// The page where an item begins; none for a format without pages.
    pub(crate) fn page_of(&self, node: DocNode<'_>) -> Option<u32> {
        let first = node.places().first()?;
        self.is_paged().then_some(first.page_no)
    }

    fn item<'d>(&'d self, node: DocNode<'d>, kind: ItemKind, headings: Vec<String>) -> Option<BodyItem<'d>> {
        let confidence = match node {
            DocNode::Text(text) => text.meta.as_ref().and_then(|meta| meta.confidence),
            DocNode::Table(table) => table.confidence(),
            DocNode::Group(_) | DocNode::Picture(_) => None,
        };
        Some(BodyItem {
            pointer: node.pointer().to_owned(),
            kind,
            text: text_of(node)?,
            page: self.page_of(node),
            headings,
            confidence,
        })
    }
}

fn text_of(node: DocNode<'_>) -> Option<Cow<'_, str>> {
    match node {
        DocNode::Group(_) => None,
        DocNode::Text(text) => Some(Cow::Borrowed(&text.text)),
        DocNode::Table(table) => Some(Cow::Owned(table.text())),
        DocNode::Picture(_) => Some(Cow::Borrowed("")),
    }
}

fn kind_of(node: DocNode<'_>) -> Option<ItemKind> {
    match node {
        DocNode::Group(_) => None,
        DocNode::Text(text) => Some(kind_of_text(text)),
        DocNode::Table(_) => Some(ItemKind::Table),
        DocNode::Picture(_) => Some(ItemKind::Picture),
    }
}

fn kind_of_text(text: &DocText) -> ItemKind {
    match text.label.as_str() {
        "title" => ItemKind::Heading { level: 1 },
        "section_header" => ItemKind::Heading { level: text.level.unwrap_or(1).max(1) },
        "list_item" => ItemKind::ListItem,
        "code" => ItemKind::Code,
        "caption" => ItemKind::Caption,
        _ => ItemKind::Paragraph,
    }
}
