//! Items of a document, without tables.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct DocRef {
    #[serde(rename = "$ref")]
    pub(crate) pointer: String,
}

impl DocRef {
    pub(crate) fn to(pointer: &str) -> Self {
        Self { pointer: pointer.to_owned() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentLayer {
    #[default]
    Body,
    Furniture,
    Background,
    Invisible,
    Notes,
}

/// The root of a tree, or a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct DocGroup {
    pub(crate) self_ref: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<DocRef>,
    #[serde(default)]
    pub(crate) children: Vec<DocRef>,
    #[serde(default)]
    pub(crate) content_layer: ContentLayer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<DocMeta>,
    pub(crate) name: String,
    pub(crate) label: String,
}

/// Facts about the whole document; they stand at the body.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DocMeta {
    #[serde(rename = "toolgate__parser", default, skip_serializing_if = "Option::is_none")]
    pub(crate) parser: Option<String>,
    #[serde(rename = "toolgate__tier", default, skip_serializing_if = "Option::is_none")]
    pub(crate) tier: Option<String>,
    #[serde(rename = "toolgate__title", default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(rename = "toolgate__author", default, skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<String>,
    #[serde(rename = "toolgate__created", default, skip_serializing_if = "Option::is_none")]
    pub(crate) created: Option<String>,
    #[serde(rename = "toolgate__confidence", default, skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<f32>,
    /// Pages whose words were read from their picture.
    #[serde(rename = "toolgate__ocr_pages", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ocr_pages: Vec<u32>,
    #[serde(rename = "toolgate__warnings", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

/// A heading, a paragraph, an item of a list, code, a caption, a header or a footer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct DocText {
    pub(crate) self_ref: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<DocRef>,
    #[serde(default)]
    pub(crate) children: Vec<DocRef>,
    #[serde(default)]
    pub(crate) content_layer: ContentLayer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<ItemMeta>,
    pub(crate) label: String,
    /// One for each line.
    #[serde(default)]
    pub(crate) prov: Vec<Provenance>,
    /// The same as `text`.
    pub(crate) orig: String,
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) level: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) enumerated: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) marker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) captions: Option<Vec<DocRef>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) references: Option<Vec<DocRef>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) footnotes: Option<Vec<DocRef>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code_language: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct DocPicture {
    pub(crate) self_ref: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<DocRef>,
    #[serde(default)]
    pub(crate) children: Vec<DocRef>,
    #[serde(default)]
    pub(crate) content_layer: ContentLayer,
    pub(crate) label: String,
    #[serde(default)]
    pub(crate) prov: Vec<Provenance>,
    #[serde(default)]
    pub(crate) captions: Vec<DocRef>,
    #[serde(default)]
    pub(crate) references: Vec<DocRef>,
    #[serde(default)]
    pub(crate) footnotes: Vec<DocRef>,
    #[serde(default)]
    pub(crate) annotations: Vec<Value>,
}

/// A place of a part of an item.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Provenance {
    pub(crate) page_no: u32,
    pub(crate) bbox: PageBox,
    /// Code points of the item's text: from, to.
    pub(crate) charspan: (usize, usize),
}

/// A box on a page, in points from the top left corner.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PageBox {
    #[serde(rename = "l")]
    pub left: f32,
    #[serde(rename = "t")]
    pub top: f32,
    #[serde(rename = "r")]
    pub right: f32,
    #[serde(rename = "b")]
    pub bottom: f32,
    coord_origin: BoxOrigin,
}

/// Boxes are written from the top left corner alone, and refused otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
enum BoxOrigin {
    #[default]
    #[serde(rename = "TOPLEFT")]
    TopLeft,
}

impl PageBox {
    pub(crate) fn new(left: f32, top: f32, right: f32, bottom: f32) -> Self {
        Self { left, top, right, bottom, coord_origin: BoxOrigin::TopLeft }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        Self::new(
            self.left.min(other.left),
            self.top.min(other.top),
            self.right.max(other.right),
            self.bottom.max(other.bottom),
        )
    }
}

/// Our additions to an item.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ItemMeta {
    #[serde(rename = "toolgate__confidence", default, skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<f32>,
    /// The words of each line, in the order of `prov`. Left out where no line has any.
    #[serde(rename = "toolgate__words", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) words: Vec<Vec<WordPlace>>,
}

/// A word of a line: its first code point, the one after its last, its left and its right edge.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct WordPlace(pub(crate) usize, pub(crate) usize, pub(crate) f32, pub(crate) f32);
