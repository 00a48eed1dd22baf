//! Lines out of words: neighbours on the same height.

use super::bidi;
use super::content::{GlyphDirection, GlyphStyle};
use super::words::PageWord;
use crate::{Bounds, PlacedLine, PlacedSpan};

/// The share of its height that a word has in common with its line.
const OVERLAP_MIN: f32 = 0.5;

/// Words side by side, from left to right in the frame of their direction.
#[derive(Clone, Debug)]
pub(crate) struct WordLine {
    pub(crate) words: Vec<PageWord>,
    /// In the frame of its direction.
    pub(crate) frame: Bounds,
    /// Of its longest word.
    pub(crate) baseline: f32,
    /// Of most of its letters.
    pub(crate) size: f32,
    /// Of most of its letters.
    pub(crate) style: GlyphStyle,
}

/// Puts words of one direction into lines, from top to bottom. Gaps do not end a line: columns are cut apart before.
pub(crate) fn lines(mut words: Vec<PageWord>) -> Vec<WordLine> {
    words.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut rows: Vec<LineDraft> = Vec::new();
    for word in words {
        match rows.last_mut() {
            Some(row) if row.core.vertical_overlap(&word.frame) >= OVERLAP_MIN => row.push(word),
            _ => rows.push(LineDraft::new(word)),
        }
    }
    rows.into_iter().map(LineDraft::finish).collect()
}

/// A line in the making.
struct LineDraft {
    /// The box of the longest word so far: it locates the line better than marks above and below it.
    core: Bounds,
    core_letters: usize,
    words: Vec<PageWord>,
}

impl LineDraft {
    fn new(word: PageWord) -> Self {
        Self { core: word.frame, core_letters: word.text.chars().count(), words: vec![word] }
    }

    fn push(&mut self, word: PageWord) {
        let letters = word.text.chars().count();
        if letters > self.core_letters {
            self.core = word.frame;
            self.core_letters = letters;
        }
        self.words.push(word);
    }

    fn finish(mut self) -> WordLine {
        self.words.sort_by(|one, other| one.frame.left.total_cmp(&other.frame.left));
        WordLine::of(self.words)
    }
}

impl WordLine {
    /// A line of words that are side by side already.
    pub(crate) fn of(words: Vec<PageWord>) -> Self {
        let frame =
            words.iter().map(|word| word.frame).reduce(|all, next| all.union(&next)).unwrap_or_default();
        let longest = words.iter().max_by_key(|word| word.text.chars().count());
        let baseline = longest.map_or(frame.bottom, |word| word.baseline);
        let (size, style) = (usual_size(&words), usual_style(&words));
        Self { words, frame, baseline, size, style }
    }

    /// Its place on the page.
    pub(crate) fn bounds(&self) -> Bounds {
        self.words.iter().map(|word| word.bounds).reduce(|all, next| all.union(&next)).unwrap_or_default()
    }

    /// Its words in reading order, with one space between them where the script has spaces; and their places, in code points of
    /// that text.
    pub(crate) fn placed_text(&self) -> (String, Vec<PlacedLine>) {
        let words: Vec<&PageWord> = self.words.iter().collect();
        let (mut text, mut letters, mut lines) = (String::new(), 0, Vec::new());
        for word in bidi::line_in_reading_order(&words, |word| word.text.as_str()) {
            let before = text.len();
            append_word(&mut text, &word.text);
            // A space is one byte.
            letters += text.len() - before - word.text.len();
            let start = letters;
            letters += word.text.chars().count();
            place_word(&mut lines, word, start, letters);
        }
        (text, lines)
    }
}

/// Adds a word to the line before it. Only text that goes to the right shares a line: the height of others differs from word to word.
fn place_word(lines: &mut Vec<PlacedLine>, word: &PageWord, start: usize, end: usize) {
    let placed = PlacedSpan { start, end, left: word.bounds.left, right: word.bounds.right };
    match lines.last_mut() {
        Some(line) if word.direction == GlyphDirection::Right => {
            line.bounds = line.bounds.union(&word.bounds);
            line.end = end;
            line.words.push(placed);
        }
        _ => lines.push(PlacedLine { bounds: word.bounds, start, end, words: vec![placed] }),
    }
}

/// Adds a word to a text, with a space if the script has spaces.
pub(crate) fn append_word(text: &mut String, word: &str) {
    let joint = (text.chars().next_back(), word.chars().next());
    if let (Some(before), Some(after)) = joint
        && !(is_unspaced(before) && is_unspaced(after))
        && before != ' '
    {
        text.push(' ');
    }
    text.push_str(word);
}

/// Letters of scripts that put no spaces between words.
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{2E80}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// The size that most letters have.
fn usual_size(words: &[PageWord]) -> f32 {
    let mut sizes: Vec<(f32, usize)> =
        words.iter().map(|word| (word.size, word.text.chars().count())).collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all: usize = sizes.iter().map(|(_, letters)| letters).sum();
    let mut passed = 0;
    for (size, letters) in sizes {
        passed += letters;
        if passed * 2 >= all {
            return size;
        }
    }
    0.0
}

fn usual_style(words: &[PageWord]) -> GlyphStyle {
    let all: usize = words.iter().map(|word| word.text.len()).sum();
    let most = |has: fn(&GlyphStyle) -> bool| {
        let letters: usize = words.iter().filter(|word| has(&word.style)).map(|word| word.text.len()).sum();
        letters * 2 > all
    };
    GlyphStyle {
        bold: most(|style| style.bold),
        italic: most(|style| style.italic),
        mono: most(|style| style.mono),
    }
}
