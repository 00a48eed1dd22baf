//! Text that knows the place of each of its lines and words, while lines are joined to paragraphs.

use super::joins::DocumentWords;
use super::lines::append_word;
use crate::{BlockPlace, PlacedLine};

/// A text and the places of its lines. Spans are code points of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacedText {
    pub(super) text: String,
    letters: usize,
    lines: Vec<PlacedLine>,
}

impl PlacedText {
    /// Adds a line after a space, if its script has spaces.
    pub(super) fn append(&mut self, text: &str, lines: &[PlacedLine]) {
        let before = self.text.len();
        append_word(&mut self.text, text);
        self.place(before, text, lines);
    }

    /// Adds a line; a word that was broken before it becomes whole.
    pub(super) fn join(&mut self, text: &str, lines: &[PlacedLine], vocabulary: &DocumentWords) {
        let before = self.text.len();
        vocabulary.join(&mut self.text, text);
        self.place(before, text, lines);
    }

    /// Adds another text as `join` adds a line.
    pub(super) fn join_text(&mut self, next: &Self, vocabulary: &DocumentWords) {
        self.join(&next.text, &next.lines, vocabulary);
    }

    /// Adds a line of code below the others, set in by some spaces.
    pub(super) fn add_line(&mut self, spaces: usize, text: &str, lines: &[PlacedLine]) {
        let before = self.text.len();
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.extend(std::iter::repeat_n(' ', spaces));
        self.text.push_str(text);
        self.place(before, text, lines);
    }

    /// Places the lines of a text that was just added. All that may stand between it and what was before is of one byte a letter: spaces,
    /// a line break, or a hyphen that was taken away.
    fn place(&mut self, before: usize, text: &str, lines: &[PlacedLine]) {
        let begins = self.text.len() - text.len();
        self.letters = self.letters + begins - before;
        if begins < before {
            self.cut_last();
        }
        let start = self.letters;
        self.letters += text.chars().count();
        self.lines.extend(lines.iter().map(|line| moved(line, start)));
    }

    /// The last line ends where the text does now.
    fn cut_last(&mut self) {
        if let Some(last) = self.lines.last_mut() {
            clip(last, self.letters);
        }
    }

    /// Takes the first bytes away, as those of a marker.
    pub(super) fn cut_start(&mut self, bytes: usize) {
        let letters = self.text[..bytes].chars().count();
        self.text.drain(..bytes);
        self.letters -= letters;
        for line in &mut self.lines {
            take_start(line, letters);
        }
        self.lines.retain(|line| line.end > line.start);
    }

    pub(super) fn into_parts(self) -> (String, BlockPlace) {
        (self.text, BlockPlace { lines: self.lines })
    }
}

fn moved(line: &PlacedLine, by: usize) -> PlacedLine {
    let mut line = line.clone();
    line.start += by;
    line.end += by;
    for word in &mut line.words {
        word.start += by;
        word.end += by;
    }
    line
}

/// Leaves nothing of a line beyond a letter of its text.
pub(crate) fn clip(line: &mut PlacedLine, letters: usize) {
    line.start = line.start.min(letters);
    line.end = line.end.min(letters);
    for word in &mut line.words {
        word.start = word.start.min(letters);
        word.end = word.end.min(letters);
    }
    line.words.retain(|word| word.end > word.start);
}

/// Takes the words before a letter out of a line, and makes it as wide as the rest.
fn take_start(line: &mut PlacedLine, letters: usize) {
    let count = line.words.len();
    line.words.retain(|word| word.end > letters);
    line.start = line.start.saturating_sub(letters);
    line.end = line.end.saturating_sub(letters);
    for word in &mut line.words {
        word.start = word.start.saturating_sub(letters);
        word.end -= letters;
    }
    if line.words.len() < count && !line.words.is_empty() {
        line.bounds.left = line.words.iter().map(|word| word.left).fold(f32::MAX, f32::min);
        line.bounds.right = line.words.iter().map(|word| word.right).fold(f32::MIN, f32::max);
        line.start = line.words.iter().map(|word| word.start).min().unwrap_or(line.start);
    }
}
