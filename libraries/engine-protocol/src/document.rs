//! Documents: parsing, pictures of pages, classes.

use serde::{Deserialize, Serialize};

use crate::content::ContentId;

/// The effort of a parse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentTier {
    /// The text layer alone.
    Fast,
    /// Also layout and tables.
    #[default]
    Standard,
    /// Also OCR of pages whose text layer is thin.
    Deep,
}

impl DocumentTier {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Standard => "standard",
            Self::Deep => "deep",
        }
    }
}

/// A document to parse, whose bytes lie in the folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Parse {
    pub artifact: ContentId,
    /// As said by whoever stored it; the bytes decide.
    pub media_type: Option<String>,
    pub file_name: Option<String>,
    pub tier: DocumentTier,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Parsed {
    /// The DocIR, which lies in the folder now.
    pub docir: ContentId,
    pub bytes: u64,
    /// The media type that the bytes have.
    pub media_type: String,
    pub pages: u64,
    pub items: u64,
    pub tables: u64,
    /// From 0 to 1.
    pub confidence: f32,
    pub warnings: Vec<String>,
}

/// A page of a document as a picture.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PagePicture {
    pub artifact: ContentId,
    pub media_type: Option<String>,
    /// From 1.
    pub page: u32,
    /// In pixels.
    pub width: u32,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RenderedPicture {
    /// A PNG in the folder.
    pub picture: ContentId,
    pub bytes: u64,
    pub width: u32,
    pub height: u32,
    /// In points, as the boxes of the DocIR.
    pub page_width: f32,
    pub page_height: f32,
}

/// A parsed document, and the labels among which to choose.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Classify {
    pub docir: ContentId,
    pub labels: Vec<ClassLabel>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClassLabel {
    pub name: String,
    /// A sentence about what belongs to it. Words alone are weaker.
    pub description: Option<String>,
}

/// All labels, the best first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Classified {
    pub scores: Vec<ClassScore>,
    /// `meaning` with a model, else `words`.
    pub method: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ClassScore {
    pub label: String,
    /// From 0 to 1.
    pub score: f32,
    /// The passages that speak for it most, for the best labels.
    pub evidence: Vec<EvidenceSpan>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EvidenceSpan {
    pub item: String,
    /// Characters of the item's text.
    pub start: u64,
    pub end: u64,
    pub score: f32,
}
