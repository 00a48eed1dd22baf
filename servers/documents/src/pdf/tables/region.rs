//! A part of a page that may be a table.

use super::super::content::Ruling;
use super::super::words::PageWord;
use super::strips::{self, TextStrip};
use crate::Bounds;

/// Rules may lie this far outside of the words that they enclose.
const MARGIN: f32 = 2.0;

/// The indication of a possible table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TableOrigin {
    /// Lines that cross.
    Grid,
    /// Horizontal lines above each other.
    Stack,
    /// Words in columns.
    Gaps,
}

pub(super) struct Region<'w> {
    pub(super) origin: TableOrigin,
    pub(super) bounds: Bounds,
    pub(super) strips: Vec<TextStrip<'w>>,
    pub(super) horizontal: Vec<Ruling>,
    pub(super) vertical: Vec<Ruling>,
}

impl<'w> Region<'w> {
    /// A region that lines enclose, with the words whose middle is in it.
    pub(super) fn new(
        origin: TableOrigin,
        bounds: Bounds,
        words: &[&'w PageWord],
        horizontal: Vec<Ruling>,
        vertical: Vec<Ruling>,
    ) -> Option<Self> {
        let Bounds { left, top, right, bottom } = bounds;
        let wide =
            Bounds { left: left - MARGIN, top: top - MARGIN, right: right + MARGIN, bottom: bottom + MARGIN };
        let inside: Vec<&PageWord> =
            words.iter().copied().filter(|word| wide.contains(word.frame.center())).collect();
        (!inside.is_empty()).then(|| Self {
            origin,
            bounds: wide,
            strips: strips::strips(&inside),
            horizontal,
            vertical,
        })
    }
}
