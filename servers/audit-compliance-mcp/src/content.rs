//! A document as one text that knows which page and box each of its words has.

use std::ops::Range;

use capability_documents::pdf::placed_words;
use capability_documents::{DocumentError, DocumentKind, OpenOptions, open};

use crate::report::Spot;

/// Pages whose words are placed.
const PAGES_MAX: usize = 1_000;

/// A text with places.
#[derive(Clone, Debug, Default)]
pub struct PlacedText {
    pub text: String,
    pub kind: Option<DocumentKind>,
    pub warnings: Vec<String>,
    /// Bytes of the text, page and box of each word of a PDF.
    words: Vec<(Range<usize>, u32, [f32; 4])>,
    /// The byte of every thousandth character.
    marks: Vec<usize>,
}

impl PlacedText {
    /// A text that came as such.
    pub fn of_text(text: String) -> Self {
        Self::with(text, None, Vec::new(), Vec::new())
    }

    /// The text of a file.
    pub fn of_file(bytes: &[u8], said: Option<&str>) -> Result<Self, DocumentError> {
        let kind = DocumentKind::of(bytes, said)?;
        if kind == DocumentKind::Pdf {
            return Self::of_pdf(bytes);
        }
        let document = open(bytes, said, &OpenOptions::default())?;
        Ok(Self::with(document.text(), Some(kind), document.warnings, Vec::new()))
    }

    fn of_pdf(bytes: &[u8]) -> Result<Self, DocumentError> {
        let (mut text, mut words, mut warnings) = (String::new(), Vec::new(), Vec::new());
        let pages = placed_words(bytes, None, PAGES_MAX)?;
        for page in &pages {
            for word in &page.words {
                let from = text.len();
                text.push_str(&word.text);
                let bounds = [word.bounds.left, word.bounds.top, word.bounds.right, word.bounds.bottom];
                words.push((from..text.len(), page.number, bounds));
                text.push(if word.ends_line { '\n' } else { ' ' });
            }
            text.push('\n');
        }
        if pages.iter().any(|it| it.words.is_empty()) {
            warnings.push("some pages have no text of their own and were not read".to_owned());
        }
        Ok(Self::with(text, Some(DocumentKind::Pdf), warnings, words))
    }

    fn with(
        text: String,
        kind: Option<DocumentKind>,
        warnings: Vec<String>,
        words: Vec<(Range<usize>, u32, [f32; 4])>,
    ) -> Self {
        let marks = text.char_indices().step_by(1_000).map(|(at, _)| at).collect();
        Self { text, kind, warnings, words, marks }
    }

    /// The number of characters before a byte.
    pub fn chars_before(&self, byte: usize) -> usize {
        let mark = self.marks.partition_point(|it| *it <= byte).saturating_sub(1);
        let from = self.marks.get(mark).copied().unwrap_or(0);
        mark * 1_000 + self.text.get(from..byte).map_or(0, |it| it.chars().count())
    }

    /// The spot of a part of the text: its characters, or its page and box.
    pub fn spot(&self, range: Range<usize>) -> Spot {
        let first = self.words.partition_point(|(own, _, _)| own.end <= range.start);
        let mut inside = self.words[first..].iter().take_while(|(own, _, _)| own.start < range.end);
        let Some((_, page, bounds)) = inside.next() else {
            return Spot::chars(self.chars_before(range.start), self.chars_before(range.end));
        };
        let mut bounds = *bounds;
        for (_, _, other) in inside.filter(|(_, own, _)| own == page) {
            bounds = [
                bounds[0].min(other[0]),
                bounds[1].min(other[1]),
                bounds[2].max(other[2]),
                bounds[3].max(other[3]),
            ];
        }
        Spot { page: Some(*page), bounds: Some(bounds.map(f32::round)), ..Spot::default() }
    }
}
