//! Citations, from the view of the API: a passage in its document, and a page as a picture. The caller was found to be allowed to read the
//! document before this is asked.

use bytes::Bytes;
use serde::Serialize;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, Refusal};
use utoipa::ToSchema;

/// Characters of an item of a parsed document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CitedSpan {
    pub artifact: Digest,
    /// The parsed form.
    pub docir: Digest,
    /// A JSON pointer such as `#/texts/3`.
    pub item: String,
    pub start: usize,
    pub end: usize,
}

/// A page to draw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawnPageRequest {
    pub artifact: Digest,
    pub media_type: String,
    /// From 1.
    pub page: u32,
    /// In pixels.
    pub width: u32,
}

/// A passage in its document
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct CitationView {
    /// sha256:… of the document.
    pub artifact: String,
    /// sha256:… of its parsed form.
    pub docir: String,
    /// A JSON pointer into the parsed form.
    pub item: String,
    /// Characters of the item's text.
    pub start: usize,
    pub end: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The cited words.
    pub exact: String,
    /// The pages that have them; none in formats without pages.
    pub pages: Vec<CitationPageView>,
    /// The text around it, in reading order.
    pub context: Vec<CitationItemView>,
    /// Items of the document before and after `context`.
    pub items_before: usize,
    pub items_after: usize,
}

/// A page with the boxes of the cited words, one for each line
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct CitationPageView {
    /// From 1.
    pub page: u32,
    /// In points.
    pub width: f32,
    pub height: f32,
    pub boxes: Vec<CitationBoxView>,
}

/// In points from the top left corner
#[derive(Clone, Copy, PartialEq, Debug, Serialize, ToSchema)]
pub struct CitationBoxView {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// An item of the document
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct CitationItemView {
    /// heading, paragraph, list_item, code, table, picture or caption.
    pub kind: &'static str,
    /// Cut where it is very long.
    pub text: String,
    /// The cited characters of `text`, in the cited item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<usize>,
}

/// The port to documents.
pub trait CitationPort: Send + Sync {
    /// The passage. Refused if the parsed form is not that of the document.
    fn citation<'a>(&'a self, span: &'a CitedSpan) -> BoxFuture<'a, Result<CitationView, Refusal>>;

    /// A page as a PNG.
    fn picture<'a>(&'a self, request: &'a DrawnPageRequest) -> BoxFuture<'a, Result<Bytes, Refusal>>;
}
