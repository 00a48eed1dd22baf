//! The form of a DoclingDocument 1.10, field by field. All that is ours stands in `meta` under names that begin with `toolgate__`,
//! which other readers keep.

mod item;
mod table;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use item::PageBox;
pub(crate) use item::{
    ContentLayer, DocGroup, DocMeta, DocPicture, DocRef, DocText, ItemMeta, Provenance, WordPlace,
};
pub(crate) use table::{CELLS_MAX, CellPlaces, LinePlace, TableData, TableMeta, upright};
pub use table::{DocCell, DocTable};

/// The media type of a written DocIR.
pub const DOCIR_MEDIA_TYPE: &str = "application/vnd.docling+json";
/// The version of the form.
pub const DOCLING_VERSION: &str = "1.10.0";
pub(crate) const SCHEMA_NAME: &str = "DoclingDocument";

/// A document as data: items in reading order, each with its places.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DocIr {
    pub(crate) schema_name: String,
    pub(crate) version: String,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<DocOrigin>,
    /// Always empty: headers and footers are in the body, in a layer of their own.
    pub(crate) furniture: DocGroup,
    pub(crate) body: DocGroup,
    #[serde(default)]
    pub(crate) groups: Vec<DocGroup>,
    #[serde(default)]
    pub(crate) texts: Vec<DocText>,
    #[serde(default)]
    pub(crate) pictures: Vec<DocPicture>,
    #[serde(default)]
    pub(crate) tables: Vec<DocTable>,
    /// Never made here.
    #[serde(default)]
    pub(crate) key_value_items: Vec<Value>,
    #[serde(default)]
    pub(crate) form_items: Vec<Value>,
    #[serde(default)]
    pub(crate) pages: BTreeMap<u32, DocPage>,
}

/// The file that a document was made of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DocOrigin {
    pub mimetype: String,
    /// The last 64 bits of its SHA-256.
    pub binary_hash: u64,
    pub filename: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct DocPage {
    pub(crate) size: PageSize,
    pub(crate) page_no: u32,
}

/// Points; zero where a format has no layout.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct PageSize {
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl DocIr {
    /// The bytes of the document. The same document always has the same bytes.
    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("text, numbers and lists can be written as JSON")
    }

    /// The working name of the document.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn origin(&self) -> Option<&DocOrigin> {
        self.origin.as_ref()
    }

    /// From 0 to 1, if the parser said it.
    pub fn confidence(&self) -> Option<f32> {
        self.body.meta.as_ref()?.confidence
    }

    /// The width and height of a page in points, if it has a layout.
    pub fn page_size(&self, page: u32) -> Option<(f32, f32)> {
        let size = self.pages.get(&page)?.size;
        (size.width > 0.0 && size.height > 0.0).then_some((size.width, size.height))
    }

    /// The number of pages, slides, sheets or chapters.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// False for a format that has neither pages nor a layout, such as a web page.
    pub(crate) fn is_paged(&self) -> bool {
        self.pages.len() > 1 || self.pages.keys().any(|page| self.page_size(*page).is_some())
    }
}
