//! Snippets: whole words around the best part of a passage, within a budget of tokens.

use std::collections::HashMap;
use std::ops::Range;

use engine_protocol::{Snippet, SnippetRule, Stemming};

use crate::inside::tokens::{analyzer, is_spaceless};
use crate::inside::words::WeightedTerm;

/// The worth of a word that stands in the snippet already.
const REPEATED: f32 = 0.1;
/// The worth of beginning with a sentence.
const SENTENCE_START: f32 = 0.5;
/// Worths that differ by less are alike.
const ALIKE: f32 = 1e-3;

/// Tokens that are left for snippets, in quarters: a letter of an alphabet is about a quarter of a token.
pub(super) struct SnippetBudget {
    one: u64,
    left: u64,
}

impl SnippetBudget {
    pub(super) fn new(rule: &SnippetRule) -> Self {
        Self { one: u64::from(rule.tokens) * 4, left: u64::from(rule.tokens_all) * 4 }
    }
}

pub(super) struct SnippetMaker {
    stemming: Stemming,
    /// The query's own words with their rareness.
    words: HashMap<String, f32>,
}

/// A word of a text with what follows up to the next one; or one letter of a script without spaces.
struct TextPiece {
    bytes: Range<usize>,
    quarters: u64,
    starts_sentence: bool,
    /// Words of the query in it.
    words: Vec<usize>,
}

/// A word of the query in a text.
struct QueryWord {
    bytes: Range<usize>,
    /// Equal for equal words.
    term: String,
    worth: f32,
}

impl SnippetMaker {
    pub(super) fn new(stemming: Stemming, terms: &[WeightedTerm]) -> Self {
        let own = terms.iter().filter(|term| !term.from_feedback);
        Self { stemming, words: own.map(|term| (term.text.clone(), term.idf)).collect() }
    }

    pub(super) fn snippet(&self, text: &str, budget: &mut SnippetBudget) -> Snippet {
        let most = budget.one.min(budget.left);
        let words = self.query_words(text);
        let pieces = pieces(text, &words);
        let window = best_window(&pieces, &words, most);
        let Some((first, last)) = pieces[window.clone()].first().zip(pieces[window.clone()].last()) else {
            let is_too_long = pieces.first().is_some_and(|piece| piece.quarters > budget.one);
            return if is_too_long { cut(text, most, budget) } else { Snippet::default() };
        };
        let bytes = first.bytes.start..last.bytes.end;
        let bytes = bytes.start..bytes.start + text[bytes.clone()].trim_end().len();
        budget.left -= pieces[window].iter().map(|piece| piece.quarters).sum::<u64>().min(budget.left);
        Snippet { marks: marks(text, &bytes, &words), text: text[bytes].to_owned() }
    }

    fn query_words(&self, text: &str) -> Vec<QueryWord> {
        let mut analyzer = analyzer(self.stemming);
        let mut stream = analyzer.token_stream(text);
        let mut words = Vec::new();
        while stream.advance() {
            let token = stream.token();
            if let Some(worth) = self.words.get(&token.text) {
                let bytes = token.offset_from..token.offset_to;
                words.push(QueryWord { bytes, term: token.text.clone(), worth: *worth });
            }
        }
        words
    }
}

fn pieces(text: &str, words: &[QueryWord]) -> Vec<TextPiece> {
    let mut pieces: Vec<TextPiece> = Vec::new();
    let (mut in_space, mut sentence) = (true, true);
    for (at, character) in text.char_indices() {
        let ends_at = at + character.len_utf8();
        if character.is_whitespace() {
            sentence |= character == '\n';
            in_space = true;
        } else if in_space || is_spaceless(character) || pieces.is_empty() {
            pieces.push(TextPiece {
                bytes: at..ends_at,
                quarters: 0,
                starts_sentence: sentence,
                words: Vec::new(),
            });
            in_space = is_spaceless(character);
            sentence = false;
        }
        sentence |= matches!(character, '.' | '!' | '?' | '。' | '！' | '？' | '…');
        if let Some(piece) = pieces.last_mut() {
            piece.bytes.end = ends_at;
            piece.quarters += quarters(character);
        }
    }
    for (number, word) in words.iter().enumerate() {
        let at = pieces.partition_point(|piece| piece.bytes.end <= word.bytes.start);
        if let Some(piece) = pieces.get_mut(at) {
            piece.words.push(number);
        }
    }
    pieces
}

/// The pieces with the most of the query that fit; the first such ones, from the sentence in which the words begin.
fn best_window(pieces: &[TextPiece], words: &[QueryWord], most: u64) -> Range<usize> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let (mut end, mut quarters, mut worth) = (0, 0, 0.0_f32);
    let (mut best, mut best_worth) = (0..0, f32::NEG_INFINITY);
    for start in 0..pieces.len() {
        while let Some(piece) = pieces.get(end).filter(|piece| quarters + piece.quarters <= most) {
            quarters += piece.quarters;
            for word in &piece.words {
                let count = counts.entry(&words[*word].term).or_default();
                *count += 1;
                worth += if *count == 1 { words[*word].worth } else { words[*word].worth * REPEATED };
            }
            end += 1;
        }
        let whole = worth + if pieces[start].starts_sentence { SENTENCE_START } else { 0.0 };
        let is_better = whole > best_worth + ALIKE;
        let is_nearer = || {
            whole > best_worth - ALIKE
                && pieces[start].starts_sentence
                && first_word(&pieces[start..end])
                    .is_some_and(|word| first_word(&pieces[best.clone()]) == Some(word))
        };
        if end > start && (is_better || is_nearer()) {
            (best, best_worth) = (start..end, whole);
        }
        if end == start {
            end += 1;
            continue;
        }
        quarters -= pieces[start].quarters;
        for word in &pieces[start].words {
            let count = counts.entry(&words[*word].term).or_default();
            worth -= if *count == 1 { words[*word].worth } else { words[*word].worth * REPEATED };
            *count -= 1;
        }
    }
    best
}

fn first_word(pieces: &[TextPiece]) -> Option<usize> {
    pieces.iter().find_map(|piece| piece.words.first().copied())
}

/// The beginning of a text whose words are all too long.
fn cut(text: &str, most: u64, budget: &mut SnippetBudget) -> Snippet {
    let (mut used, mut end) = (0, 0);
    for (at, character) in text.char_indices() {
        if used + quarters(character) > most {
            break;
        }
        used += quarters(character);
        end = at + character.len_utf8();
    }
    budget.left -= used.min(budget.left);
    Snippet { text: text[..end].to_owned(), marks: Vec::new() }
}

/// Characters of the snippet that are words of the query; those which overlap are one.
fn marks(text: &str, snippet: &Range<usize>, words: &[QueryWord]) -> Vec<(u64, u64)> {
    let mut marks: Vec<(u64, u64)> = Vec::new();
    let within = |word: &&QueryWord| snippet.start <= word.bytes.start && word.bytes.end <= snippet.end;
    let (mut at, mut characters) = (snippet.start, 0);
    for word in words.iter().filter(within) {
        characters += text[at..word.bytes.start].chars().count() as u64;
        at = word.bytes.start;
        let end = characters + text[word.bytes.clone()].chars().count() as u64;
        match marks.last_mut() {
            Some(last) if characters < last.1 => last.1 = last.1.max(end),
            _ => marks.push((characters, end)),
        }
    }
    marks
}

/// About how many quarters of a token a character has.
fn quarters(character: char) -> u64 {
    match u32::from(character) {
        0..=0x24F => 1,
        0x250..=0x2E7F => 2,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(text: &str, query: &[&str], tokens: u32, tokens_all: u32) -> (Snippet, SnippetBudget) {
        let terms: Vec<WeightedTerm> = query.iter().map(|word| term(word)).collect();
        let mut budget = SnippetBudget::new(&SnippetRule { tokens, tokens_all });
        let snippet = SnippetMaker::new(Stemming::English, &terms).snippet(text, &mut budget);
        (snippet, budget)
    }

    fn term(word: &str) -> WeightedTerm {
        WeightedTerm { text: word.to_owned(), weight: 1.0, passages: 1, idf: 2.0, from_feedback: false }
    }

    fn marked(snippet: &Snippet) -> Vec<String> {
        let characters: Vec<char> = snippet.text.chars().collect();
        let mark = |(from, to): &(u64, u64)| characters[*from as usize..*to as usize].iter().collect();
        snippet.marks.iter().map(mark).collect()
    }

    #[test]
    fn a_snippet_shows_the_sentence_with_the_words_and_marks_them() {
        let text =
            format!("{} The wings of é birds are light. {}", "Nothing here. ".repeat(50), "No. ".repeat(50));
        let (snippet, _) = make(&text, &["wing", "bird"], 10, 100);
        assert!(snippet.text.starts_with("The wings of é birds"), "{snippet:?}");
        assert_eq!(marked(&snippet), ["wings", "birds"]);
        assert!(snippet.text.chars().count() <= 40);
    }

    #[test]
    fn all_snippets_together_keep_the_budget() {
        let (snippet, mut budget) = make("one two three four five six", &["six"], 3, 4);
        assert_eq!(snippet.text, "five six");
        let maker = SnippetMaker::new(Stemming::English, &[]);
        assert_eq!(maker.snippet("seven eight", &mut budget).text, "seven");
        assert_eq!(maker.snippet("nine", &mut budget).text, "");
    }

    #[test]
    fn texts_without_spaces_and_words_without_end_fit_too() {
        let (snippet, _) = make(&"水素は軽い。".repeat(40), &["水素", "水"], 6, 100);
        assert_eq!(snippet.text, "水素は軽い。");
        assert_eq!(marked(&snippet), ["水素"]);
        let (snippet, _) = make(&"x".repeat(1000), &["y"], 5, 100);
        assert_eq!(snippet.text.len(), 20);
        assert_eq!(make("", &["y"], 5, 100).0, Snippet::default());
    }
}
