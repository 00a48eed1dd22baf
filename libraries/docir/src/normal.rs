//! Text in one spelling, for comparing quotations: blanks are one space, ligatures are letters, dashes and quotation marks are plain,
//! and a word that is broken over two lines is whole. Each letter knows where it came from.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// A text in one spelling.
#[derive(Default)]
pub(crate) struct NormalText {
    pub(crate) text: String,
    /// For each letter: the byte where it begins, and the code points of the original that it stands for.
    origins: Vec<LetterOrigin>,
}

struct LetterOrigin {
    byte: usize,
    from: usize,
    to: usize,
}

impl NormalText {
    pub(crate) fn of(original: &str) -> Self {
        let letters: Vec<char> = original.chars().collect();
        let mut normal = Self::default();
        let mut at = 0;
        while at < letters.len() {
            at = normal.take(&letters, at);
        }
        normal.trim_end();
        normal
    }

    /// Takes a letter with its marks, a stretch of blanks, or a break within a word, and says where the next begins.
    fn take(&mut self, letters: &[char], at: usize) -> usize {
        if letters[at].is_whitespace() {
            let end = blanks_end(letters, at);
            if !self.text.is_empty() {
                self.push(' ', at..end);
            }
            return end;
        }
        if let Some(end) = break_end(letters, at) {
            return end;
        }
        let marks = letters[at + 1..].iter().take_while(|letter| canonical_combining_class(**letter) != 0);
        let end = at + 1 + marks.count();
        for letter in letters[at..end].iter().copied().nfkc().filter_map(plain) {
            match letter.is_whitespace() {
                true if self.text.is_empty() || self.text.ends_with(' ') => {}
                true => self.push(' ', at..end),
                false => self.push(letter, at..end),
            }
        }
        end
    }

    fn push(&mut self, letter: char, from: Range<usize>) {
        if letter == ' ' && self.text.ends_with(' ') {
            return;
        }
        self.origins.push(LetterOrigin { byte: self.text.len(), from: from.start, to: from.end });
        self.text.push(letter);
    }

    fn trim_end(&mut self) {
        if self.text.ends_with(' ') {
            self.text.pop();
            self.origins.pop();
        }
    }

    pub(crate) fn letters(&self) -> usize {
        self.origins.len()
    }

    /// The code points of the original that some bytes of the text stand for.
    pub(crate) fn origin(&self, bytes: Range<usize>) -> Option<Range<usize>> {
        let first = self.origins.partition_point(|origin| origin.byte < bytes.start);
        let last = self.origins.partition_point(|origin| origin.byte < bytes.end).checked_sub(1)?;
        Some(self.origins.get(first)?.from..self.origins.get(last)?.to)
    }
}

fn blanks_end(letters: &[char], at: usize) -> usize {
    at + letters[at..].iter().take_while(|letter| letter.is_whitespace()).count()
}

/// The end of a hyphen and the line break after it, if they are within a word.
fn break_end(letters: &[char], at: usize) -> Option<usize> {
    let is_hyphen = matches!(letters[at], '-' | '\u{2010}' | '\u{AD}');
    let end = blanks_end(letters, at + 1);
    let has_break = letters[at + 1..end].contains(&'\n');
    let before = at.checked_sub(1).is_some_and(|before| letters[before].is_alphabetic());
    let after = letters.get(end).is_some_and(|letter| letter.is_lowercase());
    (is_hyphen && has_break && before && after).then_some(end)
}

/// The plain form of a letter; none if nobody sees it.
fn plain(letter: char) -> Option<char> {
    Some(match letter {
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' => return None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' => '-',
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '`' | '\u{B4}' | '\u{2039}' | '\u{203A}' => '\'',
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{AB}' | '\u{BB}' => '"',
        letter => letter,
    })
}
