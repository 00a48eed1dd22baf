//! Fonts in use.

use std::collections::BTreeSet;

use super::cmap::CharacterMap;
use crate::cos::Dict;

/// A font and the codes that it shows.
pub(super) struct FontUse<'a> {
    pub(super) dict: &'a Dict,
    pub(super) number: Option<u32>,
    pub(super) page: Option<u32>,
    /// All codes, and those that are drawn.
    pub(super) codes: BTreeSet<u32>,
    pub(super) drawn: BTreeSet<u32>,
    pub(super) map: Option<CharacterMap>,
    pub(super) composite: bool,
}
