//! Limits of documents and of what is made of them.

/// Limits of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    pub bytes_max: usize,
    /// Scalars, lists and objects, counted with all that aliases repeat.
    pub nodes_max: usize,
    /// Levels of lists and objects. More than 128 are never read.
    pub depth_max: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        ReadLimits { bytes_max: 32 << 20, nodes_max: 4_000_000, depth_max: 128 }
    }
}

/// Other documents that one may refer to, directly or not.
pub const DOCUMENTS_MAX: usize = 64;
