//! JSON pointers to items, such as `#/texts/3`.

use crate::model::{ContentLayer, DocGroup, DocIr, DocPicture, DocRef, DocTable, DocText, Provenance};

/// The thing that a pointer leads to.
#[derive(Clone, Copy)]
pub(crate) enum DocNode<'d> {
    Group(&'d DocGroup),
    Text(&'d DocText),
    Table(&'d DocTable),
    Picture(&'d DocPicture),
}

impl DocIr {
    pub(crate) fn node(&self, pointer: &str) -> Option<DocNode<'_>> {
        let (list, number) = pointer.strip_prefix("#/")?.split_once('/')?;
        // A number has one spelling, so that a pointer can be compared as text.
        if number.len() > 1 && number.starts_with(['0', '+']) {
            return None;
        }
        let number: usize = number.parse().ok()?;
        Some(match list {
            "groups" => DocNode::Group(self.groups.get(number)?),
            "texts" => DocNode::Text(self.texts.get(number)?),
            "tables" => DocNode::Table(self.tables.get(number)?),
            "pictures" => DocNode::Picture(self.pictures.get(number)?),
            _ => return None,
        })
    }
}

impl<'d> DocNode<'d> {
    pub(crate) fn pointer(self) -> &'d str {
        match self {
            Self::Group(group) => &group.self_ref,
            Self::Text(text) => &text.self_ref,
            Self::Table(table) => &table.self_ref,
            Self::Picture(picture) => &picture.self_ref,
        }
    }

    pub(crate) fn parent(self) -> Option<&'d DocRef> {
        match self {
            Self::Group(group) => group.parent.as_ref(),
            Self::Text(text) => text.parent.as_ref(),
            Self::Table(table) => table.parent.as_ref(),
            Self::Picture(picture) => picture.parent.as_ref(),
        }
    }

    pub(crate) fn children(self) -> &'d [DocRef] {
        match self {
            Self::Group(group) => &group.children,
            Self::Text(text) => &text.children,
            Self::Table(table) => &table.children,
            Self::Picture(picture) => &picture.children,
        }
    }

    pub(crate) fn layer(self) -> ContentLayer {
        match self {
            Self::Group(group) => group.content_layer,
            Self::Text(text) => text.content_layer,
            Self::Table(table) => table.content_layer,
            Self::Picture(picture) => picture.content_layer,
        }
    }

    pub(crate) fn places(self) -> &'d [Provenance] {
        match self {
            Self::Group(_) => &[],
            Self::Text(text) => &text.prov,
            Self::Table(table) => &table.prov,
            Self::Picture(picture) => &picture.prov,
        }
    }
}
