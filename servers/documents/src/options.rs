//! How a document is to be read.

use crate::limits::Limits;
use crate::pages::PageRange;

/// How a document is to be read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpenOptions {
    pub limits: Limits,
    /// For documents that are protected by one.
    pub password: Option<String>,
    /// Only these pages; all if left out.
    pub pages: Option<PageRange>,
}

impl OpenOptions {
    /// Whether a page is to be read.
    pub fn wants(&self, number: u32) -> bool {
        self.pages.as_ref().is_none_or(|pages| pages.contains(number))
    }
}
