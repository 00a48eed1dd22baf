//! The frames of a page.

use std::fmt;

/// Chromium's name of a frame.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FrameId(pub(crate) String);

impl FrameId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    pub id: FrameId,
    pub parent: Option<FrameId>,
    pub url: String,
    /// Such as `https://jobs.example`; `null` for one without.
    pub origin: String,
    /// Empty for the main frame, else `f1`, `f2`: the prefix of its refs, the same as long as the frame lives.
    pub label: String,
}
