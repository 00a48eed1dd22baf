//! The means and the outcome of a parse.

use std::path::PathBuf;

/// Part of the key of a parse. Changes when the same bytes would become another DocIR.
pub(crate) const PARSER: &str = "docir-1";

/// The means of a worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParseTools {
    /// The folder of the models that read pictures. Without it pages that are pictures stay unread.
    pub(crate) ocr: Option<PathBuf>,
}

/// A parsed document.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ParsedBytes {
    pub(crate) docir: Vec<u8>,
    /// The media type that the bytes have.
    pub(crate) media_type: String,
    pub(crate) pages: u64,
    pub(crate) items: u64,
    pub(crate) tables: u64,
    /// From 0 to 1.
    pub(crate) confidence: f32,
    pub(crate) warnings: Vec<String>,
}
