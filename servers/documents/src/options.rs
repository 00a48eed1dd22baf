//! The options for reading a document.

use crate::limits::DocumentLimits;
use crate::pages::PageRange;

/// The options for reading a document.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpenOptions {
    pub limits: DocumentLimits,
    /// For documents that are protected by one.
    pub password: Option<String>,
    /// Only these pages; all if left out.
    pub pages: Option<PageRange>,
    pub tables: TableSearch,
}

/// The treatment of tables that a format does not declare, such as those of a PDF.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TableSearch {
    #[default]
    Find,
    /// Their words are read as text, which is faster.
    Skip,
}

impl OpenOptions {
    /// True if a page is wanted.
    pub fn wants(&self, number: u32) -> bool {
        self.pages.as_ref().is_none_or(|pages| pages.contains(number))
    }
}
