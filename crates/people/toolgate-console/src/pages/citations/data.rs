//! A citation as the API tells it.

use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct CitationData {
    pub(super) artifact: String,
    pub(super) docir: String,
    pub(super) item: String,
    pub(super) start: u64,
    pub(super) end: u64,
    #[serde(default)]
    pub(super) title: Option<String>,
    pub(super) exact: String,
    pub(super) pages: Vec<CitedPageData>,
    pub(super) context: Vec<CitedItemData>,
    pub(super) items_before: u64,
    pub(super) items_after: u64,
}

/// In points.
#[derive(Deserialize)]
pub(super) struct CitedPageData {
    pub(super) page: u32,
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) boxes: Vec<CitedBoxData>,
}

#[derive(Deserialize)]
pub(super) struct CitedBoxData {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
}

#[derive(Deserialize)]
pub(super) struct CitedItemData {
    pub(super) kind: String,
    pub(super) text: String,
    #[serde(default)]
    pub(super) start: Option<usize>,
    #[serde(default)]
    pub(super) end: Option<usize>,
}
