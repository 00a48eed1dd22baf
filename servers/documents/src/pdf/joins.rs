//! Joins lines: words that were hyphenated at the end of a line become whole.

use std::collections::HashSet;

use super::lines::append_word;

/// Words of a document that are remembered.
const WORDS_MAX: usize = 300_000;
const WORD_BYTES_MAX: usize = 64;

/// The words of a document, to tell broken words from words that have a hyphen.
#[derive(Default)]
pub(super) struct DocumentWords {
    words: HashSet<String>,
}

impl DocumentWords {
    /// Remembers the words of a line, except for its last, which may be broken.
    pub(super) fn learn(&mut self, line: &str) {
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.next() {
            if words.peek().is_none() || self.words.len() >= WORDS_MAX {
                break;
            }
            let word = bare(word);
            if !word.is_empty() && word.len() <= WORD_BYTES_MAX && !self.words.contains(word) {
                self.words.insert(word.to_lowercase());
            }
        }
    }

    fn knows(&self, word: &str) -> bool {
        self.words.contains(&word.to_lowercase())
    }

    /// Adds a line to a text.
    pub(super) fn join(&self, text: &mut String, line: &str) {
        let Some((before, after)) = broken(text, line) else {
            append_word(text, line);
            return;
        };
        let whole = format!("{before}{after}");
        let hyphenated = format!("{before}-{after}");
        // A part with its own hyphen, or a word known with one, keeps it.
        let keeps = !self.knows(&whole) && (self.knows(&hyphenated) || before.contains('-'));
        if !keeps {
            text.pop();
        }
        text.push_str(line);
    }
}

/// The two parts of a word that may be broken here.
fn broken<'t>(text: &'t str, line: &'t str) -> Option<(&'t str, &'t str)> {
    let before = text.strip_suffix('-')?;
    let before = bare(before.rsplit(char::is_whitespace).next()?);
    let after = bare(line.split_whitespace().next()?);
    let ends_in_letter = before.chars().next_back().is_some_and(char::is_alphabetic);
    let goes_on = line.chars().next().is_some_and(char::is_lowercase);
    (ends_in_letter && goes_on).then_some((before, after))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}
