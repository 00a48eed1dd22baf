//! The places of a passage on its pages: one box for each line, as wide as the words of the passage and no wider.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::model::{DocIr, DocTable, DocText, PageBox, WordPlace};
use crate::pointer::DocNode;

/// A box on a page, in points from the top left corner.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Quad {
    pub page: u32,
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl DocIr {
    /// The places of a part of an item's text, in reading order. Empty for a format without a layout.
    pub fn quads(&self, pointer: &str, span: Range<usize>) -> Vec<Quad> {
        if span.is_empty() {
            return Vec::new();
        }
        match self.node(pointer) {
            Some(DocNode::Text(text)) => text_quads(text, &span),
            Some(DocNode::Table(table)) => table_quads(table, &span),
            Some(DocNode::Group(_) | DocNode::Picture(_)) | None => Vec::new(),
        }
    }
}

fn text_quads(text: &DocText, span: &Range<usize>) -> Vec<Quad> {
    let words = text.meta.as_ref().map_or(&[][..], |meta| &meta.words);
    let letters = TextLetters::of(&text.text);
    let quads = text.prov.iter().enumerate().filter_map(|(line, place)| {
        let words = words.get(line).map_or(&[][..], Vec::as_slice);
        let placed = PlacedWords { bounds: place.bbox, span: place.charspan, words };
        placed.narrowed(span, &letters).map(|bounds| quad(place.page_no, bounds))
    });
    quads.collect()
}

fn table_quads(table: &DocTable, span: &Range<usize>) -> Vec<Quad> {
    let Some((page, bounds)) = table.place() else { return Vec::new() };
    let places = table.cell_places();
    if places.is_empty() {
        return vec![quad(page, bounds)];
    }
    let (_, slots) = table.laid_out();
    let mut quads = Vec::new();
    for slot in slots.iter().filter(|slot| slot.span.start < span.end && slot.span.end > span.start) {
        let Ok(found) = places.binary_search_by_key(&slot.cell, |place| place.cell) else { continue };
        let within = span.start.saturating_sub(slot.span.start)..span.end - slot.span.start;
        let letters = TextLetters::of(&table.cells()[slot.cell].text);
        for line in &places[found].lines {
            let placed = PlacedWords { bounds: line.bbox, span: line.charspan, words: &line.words };
            quads.extend(placed.narrowed(&within, &letters).map(|bounds| quad(page, bounds)));
        }
    }
    quads
}

fn quad(page: u32, bounds: PageBox) -> Quad {
    let PageBox { left, top, right, bottom, .. } = bounds;
    Quad { page, left, top, right, bottom }
}

/// A line with its words.
struct PlacedWords<'l> {
    bounds: PageBox,
    span: (usize, usize),
    words: &'l [WordPlace],
}

impl PlacedWords<'_> {
    /// The part of the line that a passage covers; none if it covers none of its words.
    fn narrowed(&self, span: &Range<usize>, letters: &TextLetters) -> Option<PageBox> {
        let touches = |start: usize, end: usize| start < span.end && end > span.start;
        if self.bounds.is_empty() || !touches(self.span.0, self.span.1) {
            return None;
        }
        if self.words.is_empty() {
            return Some(self.bounds);
        }
        let covered = self.words.iter().filter(|word| touches(word.0, word.1));
        let edges = covered.map(|word| letters.edges(word, span));
        let (left, right) = edges.reduce(|all, next| (all.0.min(next.0), all.1.max(next.1)))?;
        let bounds = PageBox::new(left, self.bounds.top, right, self.bounds.bottom);
        (!bounds.is_empty()).then_some(bounds)
    }
}

/// The letters of a text that are of scripts without spaces, where one "word" may be a whole line.
struct TextLetters {
    unspaced: Option<Vec<bool>>,
}

impl TextLetters {
    fn of(text: &str) -> Self {
        let has_any = text.chars().any(is_unspaced);
        Self { unspaced: has_any.then(|| text.chars().map(is_unspaced).collect()) }
    }

    /// The edges of a word; of one in a script without spaces, those of its letters within the span, since they are equally wide.
    fn edges(&self, word: &WordPlace, span: &Range<usize>) -> (f32, f32) {
        let WordPlace(start, end, left, right) = *word;
        let letters = self.unspaced.as_ref().and_then(|letters| letters.get(start..end));
        if !letters.is_some_and(|letters| !letters.is_empty() && letters.iter().all(|unspaced| *unspaced)) {
            return (left, right);
        }
        let width = (right - left) / (end - start) as f32;
        let skipped = span.start.saturating_sub(start) as f32;
        let cut = end.saturating_sub(span.end) as f32;
        (left + skipped * width, right - cut * width)
    }
}

/// Ideographs, kana and full-width signs.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{2E80}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FF00}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFF}')
}
