//! Snippets: whole words of a passage around its best part, within a budget of tokens.

use std::collections::BTreeMap;

use engine_protocol::{Snippet, SnippetRule};

use super::tokens::WordCutter;

/// Characters that a token has on average.
const TOKEN_CHARACTERS: u32 = 4;
const WORD_CHARACTERS_MAX: usize = 32;
/// A term that stands there again counts this much.
const REPEATED: f32 = 0.1;

/// Cuts the snippets of one answer: each within its limit, and all of them within theirs.
pub(crate) struct SnippetCutter<'a> {
    rule: SnippetRule,
    tokens_left: u32,
    terms: &'a BTreeMap<String, f32>,
    words: WordCutter,
}

/// A word of the passage, between white space: bytes, and the term that it matches, if any.
struct SnippetWord<'a> {
    from: usize,
    to: usize,
    matches: Vec<(&'a str, f32)>,
}

impl<'a> SnippetCutter<'a> {
    /// `terms` are those of the query with their worth.
    pub(crate) fn new(rule: SnippetRule, terms: &'a BTreeMap<String, f32>, words: WordCutter) -> Self {
        Self { rule, tokens_left: rule.tokens_all, terms, words }
    }

    pub(crate) fn cut(&mut self, text: &str) -> Snippet {
        let tokens = self.rule.tokens.min(self.tokens_left);
        let (from, to) = self.best_part(text, (tokens * TOKEN_CHARACTERS) as usize);
        let part = &text[from..to];
        self.tokens_left -= tokens_of(part).min(self.tokens_left);
        Snippet { text: part.to_owned(), marks: self.marks(part) }
    }

    /// The bytes of the part with the most worth, of at most so many characters; the first of equal ones.
    fn best_part(&mut self, text: &str, characters_max: usize) -> (usize, usize) {
        let words = self.snippet_words(text);
        let (mut best, mut best_worth) = ((0, 0), -1.0);
        let (mut first, mut worth) = (0, PartWorth::default());
        for last in 0..words.len() {
            worth.enter(&words[last]);
            while first <= last && text[words[first].from..words[last].to].chars().count() > characters_max {
                worth.leave(&words[first]);
                first += 1;
            }
            // Equal worth: as much of the text as fits.
            let grows = first <= last && words[first].from == best.0 && worth.sum() >= best_worth;
            if first <= last && (worth.sum() > best_worth || grows) {
                (best, best_worth) = ((words[first].from, words[last].to), worth.sum());
            }
        }
        best
    }

    fn snippet_words(&mut self, text: &str) -> Vec<SnippetWord<'a>> {
        let mut matched = self.matched(text).into_iter().peekable();
        let mut words = Vec::new();
        for (from, to) in spaced(text) {
            let mut matches = Vec::new();
            while let Some((_, _, found)) = matched.next_if(|(start, _, _)| *start < to) {
                matches.push(found);
            }
            words.push(SnippetWord { from, to, matches });
        }
        words
    }

    /// Bytes and terms of the words that the query has.
    fn matched(&mut self, text: &str) -> Vec<(usize, usize, (&'a str, f32))> {
        let terms = self.terms;
        let found = |term: &str| terms.get_key_value(term).map(|(term, worth)| (term.as_str(), *worth));
        let words = self.words.words(text).into_iter();
        words.filter_map(|word| Some((word.from, word.to, found(&word.term)?))).collect()
    }

    fn marks(&mut self, part: &str) -> Vec<(u64, u64)> {
        let mut marks: Vec<(u64, u64)> = Vec::new();
        let (mut at_byte, mut at) = (0, 0);
        for (from, to, _) in self.matched(part) {
            let Some(between) = part.get(at_byte..from) else { continue };
            let start = at + between.chars().count() as u64;
            let end = start + part[from..to].chars().count() as u64;
            marks.push((start, end));
            (at_byte, at) = (to, end);
        }
        marks
    }
}

/// The worth of a part: each of its terms once, and a little for each time more.
#[derive(Default)]
struct PartWorth<'a> {
    counts: BTreeMap<&'a str, (u32, f32)>,
}

impl<'a> PartWorth<'a> {
    fn enter(&mut self, word: &SnippetWord<'a>) {
        for (term, worth) in &word.matches {
            self.counts.entry(term).or_insert((0, *worth)).0 += 1;
        }
    }

    fn leave(&mut self, word: &SnippetWord<'a>) {
        for (term, _) in &word.matches {
            if let Some(count) = self.counts.get_mut(term) {
                count.0 = count.0.saturating_sub(1);
            }
        }
    }

    fn sum(&self) -> f32 {
        let worth = |(count, worth): &(u32, f32)| match count {
            0 => 0.0,
            more => worth * (1.0 + REPEATED * (more - 1) as f32),
        };
        self.counts.values().map(worth).sum()
    }
}

fn tokens_of(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX).div_ceil(TOKEN_CHARACTERS)
}

/// The bytes of each word between white space. A longer run, as in scripts without spaces, is cut into pieces.
fn spaced(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let (mut from, mut characters) = (0, 0);
    for (at, character) in text.char_indices() {
        if (character.is_whitespace() || characters == WORD_CHARACTERS_MAX) && characters > 0 {
            words.push((from, at));
            characters = 0;
        }
        if !character.is_whitespace() {
            if characters == 0 {
                from = at;
            }
            characters += 1;
        }
    }
    if characters > 0 {
        words.push((from, text.len()));
    }
    words
}
