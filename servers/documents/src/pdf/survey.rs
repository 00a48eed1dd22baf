//! The usual properties of a document: the size of its text, whether that is bold, and the larger sizes of
//! its headings.

use std::collections::BTreeMap;

use super::draft::{DraftLine, DraftPage};

/// Headings are at least this much larger than text.
const LARGER_MIN: f32 = 1.12;
/// Sizes closer than this are one size, in points.
const SIZE_STEP: f32 = 0.6;
const LEVELS_MAX: usize = 6;
const HEADING_LETTERS_MAX: usize = 160;
const BOLD_LETTERS_MAX: usize = 90;

/// The usual properties of a document.
#[derive(Debug, Default)]
pub(super) struct Survey {
    size: f32,
    bold: bool,
    mono: bool,
    /// The sizes of headings, the largest first.
    sizes: Vec<f32>,
}

/// The look of a line compared with the usual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    Larger,
    Bold,
    Plain,
}

impl Survey {
    pub(super) fn of(pages: &[DraftPage]) -> Self {
        let mut letters: BTreeMap<i32, usize> = BTreeMap::new();
        let (mut all, mut bold, mut mono) = (0, 0, 0);
        for line in pages.iter().flat_map(DraftPage::lines) {
            let count = line.letters();
            *letters.entry((line.size * 2.0).round() as i32).or_default() += count;
            all += count;
            bold += if line.style.bold { count } else { 0 };
            mono += if line.style.mono { count } else { 0 };
        }
        let size =
            letters.iter().max_by_key(|(_, count)| **count).map_or(10.0, |(size, _)| *size as f32 / 2.0);
        let mut survey = Self { size, bold: bold * 2 > all, mono: mono * 2 > all, sizes: Vec::new() };
        survey.sizes = survey.heading_sizes(pages);
        survey
    }

    fn heading_sizes(&self, pages: &[DraftPage]) -> Vec<f32> {
        let lines = pages.iter().flat_map(DraftPage::lines);
        let larger = lines.filter(|line| self.weight(line) == Weight::Larger && has_words(&line.text));
        let mut sizes: Vec<f32> = larger.map(|line| line.size).collect();
        sizes.sort_by(|one, other| other.total_cmp(one));
        sizes.dedup_by(|next, kept| *kept - *next < SIZE_STEP);
        sizes
    }

    pub(super) fn is_mono(&self) -> bool {
        self.mono
    }

    pub(super) fn weight(&self, line: &DraftLine) -> Weight {
        if line.size >= self.size * LARGER_MIN {
            Weight::Larger
        } else if line.style.bold && !self.bold && line.size >= self.size * 0.9 {
            Weight::Bold
        } else {
            Weight::Plain
        }
    }

    /// The level of a heading, if a paragraph that begins with this line is one.
    pub(super) fn heading_level(&self, first: &DraftLine, text: &str, lines: usize) -> Option<u8> {
        let letters = text.chars().count();
        if !has_words(text) || lines > 4 || letters > HEADING_LETTERS_MAX || text.ends_with([',', ';']) {
            return None;
        }
        let below_sizes = self.sizes.len() + 1;
        let level = match self.weight(first) {
            Weight::Larger => self.sizes.iter().position(|&size| size - first.size < SIZE_STEP)? + 1,
            Weight::Bold if letters <= BOLD_LETTERS_MAX && !text.ends_with('.') => below_sizes,
            Weight::Plain if lines == 1 && is_capitals(text) && first.size >= self.size * 0.9 => below_sizes,
            _ => return None,
        };
        u8::try_from(level.min(LEVELS_MAX)).ok()
    }
}

fn has_words(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    letters >= 2 && letters * 2 >= text.chars().filter(|letter| !letter.is_whitespace()).count()
}

/// A short text all in capitals, as headings of plain documents are.
fn is_capitals(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic());
    let count = letters.clone().count();
    (4..=50).contains(&count) && letters.clone().all(char::is_uppercase) && !text.ends_with('.')
}
