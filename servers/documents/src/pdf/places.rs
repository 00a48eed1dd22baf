//! Words with their places, in reading order: for whoever has to cover them.

use std::collections::BTreeMap;

use super::content::{GlyphDirection, PageContent};
use super::file::{PageReader, open};
use super::order;
use super::words::{PageWord, words};
use crate::{Bounds, DocumentError};

/// A word on a page.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedWord {
    pub text: String,
    pub bounds: Bounds,
    /// The last one of its line.
    pub ends_line: bool,
}

/// All words of a page, also those in tables, headers and footers.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedPage {
    /// From 1.
    pub number: u32,
    /// Points.
    pub width: f32,
    pub height: f32,
    pub words: Vec<PlacedWord>,
}

/// Reads the words of at most `pages_max` pages.
pub fn placed_words(
    bytes: &[u8],
    password: Option<&str>,
    pages_max: usize,
) -> Result<Vec<PlacedPage>, DocumentError> {
    let pdf = open(bytes, password)?;
    let mut contents = PageReader::new(&pdf);
    let count = contents.count().min(pages_max);
    Ok((0..count).filter_map(|index| contents.page(index).map(|content| placed(&content))).collect())
}

fn placed(content: &PageContent) -> PlacedPage {
    let page = Bounds { left: 0.0, top: 0.0, right: content.width, bottom: content.height };
    let mut by_direction: BTreeMap<GlyphDirection, Vec<PageWord>> = BTreeMap::new();
    for word in words(content) {
        by_direction.entry(word.direction).or_default().push(word);
    }
    let mut found = Vec::new();
    for (direction, words) in by_direction {
        let leaves = order::in_reading_order(words, direction.frame(page));
        for line in leaves.iter().flatten() {
            for (index, word) in line.words.iter().enumerate() {
                let ends_line = index + 1 == line.words.len();
                found.push(PlacedWord { text: word.text.clone(), bounds: word.bounds, ends_line });
            }
        }
    }
    PlacedPage { number: content.number, width: content.width, height: content.height, words: found }
}
