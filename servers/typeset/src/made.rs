//! The result of a writer.

/// A finished file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedFile {
    pub bytes: Vec<u8>,
    /// `None` if the format leaves pagination to the viewer.
    pub pages: Option<usize>,
    /// Warnings about omitted or changed parts, in sentences.
    pub warnings: Vec<String>,
}
