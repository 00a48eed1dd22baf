//! A page after ordering and before structuring; structuring needs all pages.

use super::content::GlyphStyle;
use super::lines::WordLine;
use crate::{Bounds, PageSource, PlacedLine, Table};

/// A page whose lines are in reading order.
#[derive(Default)]
pub(super) struct DraftPage {
    pub(super) number: u32,
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) source: PageSource,
    /// Parts that are each read from top to bottom, one after the other.
    pub(super) parts: Vec<Vec<DraftLine>>,
    pub(super) tables: Vec<Table>,
    /// Headers and footers, once they are taken out of the parts.
    pub(super) furniture: Vec<DraftLine>,
    pub(super) pictures: Vec<Bounds>,
}

/// A line with the places of its words.
#[derive(Clone, Debug)]
pub(super) struct DraftLine {
    pub(super) text: String,
    /// The places of its words, in code points of its text.
    pub(super) places: Vec<PlacedLine>,
    /// As if it went to the right.
    pub(super) frame: Bounds,
    /// On the page.
    pub(super) bounds: Bounds,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) style: GlyphStyle,
    /// The width of the first word: whether it would have fit on the line before.
    pub(super) first_word_width: f32,
    /// All of it is header, footer or other decoration, according to the file.
    pub(super) artifact: bool,
    /// The table in this place instead of text, by its index among the page's tables.
    pub(super) table: Option<usize>,
}

impl DraftLine {
    pub(super) fn of(line: &WordLine) -> Self {
        let first = line.words.first();
        let (text, places) = line.placed_text();
        Self {
            text,
            places,
            frame: line.frame,
            bounds: line.bounds(),
            baseline: line.baseline,
            size: line.size,
            style: line.style,
            first_word_width: first.map_or(0.0, |word| word.frame.width()),
            artifact: line.words.iter().all(|word| word.artifact),
            table: first.and_then(|word| word.table()),
        }
    }

    pub(super) fn letters(&self) -> usize {
        if self.table.is_some() {
            0
        } else {
            self.text.chars().filter(|letter| !letter.is_whitespace()).count()
        }
    }
}

impl DraftPage {
    pub(super) fn lines(&self) -> impl Iterator<Item = &DraftLine> {
        self.parts.iter().flatten()
    }
}
