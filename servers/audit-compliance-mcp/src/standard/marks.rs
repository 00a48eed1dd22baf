//! Marked content that is open.

/// A marked-content sequence that is open.
pub(super) struct MarkedContent {
    pub(super) artifact: bool,
    /// The element of the structure tree that it belongs to.
    pub(super) element: Option<usize>,
    pub(super) tagged: bool,
    pub(super) language: Option<String>,
}
