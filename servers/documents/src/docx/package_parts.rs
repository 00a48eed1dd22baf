//! What the readers of a Word document look for in its package.

pub(super) const FORMAT: &str = "Word document";
pub(super) const MAIN_PART: &str = "word/document.xml";
/// Headers and footers that are read: each section of a document may have three of each.
pub(super) const MARGINS_MAX: usize = 64;
