//! The limits for reading a document.

/// The maximum cost of one document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocumentLimits {
    /// Pages, slides, sheets or chapters to read; the rest is left out with a warning.
    pub pages_max: usize,
    /// All that an archive may unpack to.
    pub unpacked_bytes_max: u64,
    /// Files in an archive.
    pub entries_max: usize,
    /// Elements within elements.
    pub depth_max: usize,
    /// All text of the document together.
    pub text_bytes_max: usize,
    /// Cells of all tables together.
    pub cells_max: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            pages_max: 5_000,
            unpacked_bytes_max: 256 << 20,
            entries_max: 10_000,
            depth_max: 256,
            text_bytes_max: 64 << 20,
            cells_max: 1_000_000,
        }
    }
}
