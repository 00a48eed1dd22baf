//! What a writer gives back.

/// A finished file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    pub bytes: Vec<u8>,
    /// Nothing where the format leaves pages to whoever shows it.
    pub pages: Option<usize>,
    /// What was left out or looks other than asked, in sentences.
    pub warnings: Vec<String>,
}
