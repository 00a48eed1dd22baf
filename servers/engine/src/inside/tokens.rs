//! Texts as words: runs of letters and digits, in lower case and without accents, stemmed if the profile says so.
//!
//! What a word becomes is remembered: texts have the same words again and again, and stemming took a third of the time of an ingest.
//!
//! Scripts that put no space between words become single characters and pairs of neighbours, so that any part of a word is found.

use std::collections::HashMap;

use engine_protocol::Stemming;
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, Stemmer, TextAnalyzer, Token, TokenStream,
    Tokenizer, TokenizerManager,
};

/// A longer word is cut to its beginning.
const WORD_BYTES_MAX: usize = 64;
/// Words that are remembered for each field that is written.
const KNOWN_MAX: usize = 1 << 14;

/// The name under which an index knows its tokenizer.
pub(super) fn tokenizer_name(stemming: Stemming) -> &'static str {
    match stemming {
        Stemming::None => "toolgate_words",
        Stemming::English => "toolgate_words_english",
    }
}

pub(super) fn analyzer(stemming: Stemming) -> TextAnalyzer {
    TextAnalyzer::from(WordTokenizer { token: Token::default(), finished: FinishedWords::of(stemming) })
}

pub(super) fn tokenizers() -> TokenizerManager {
    let manager = TokenizerManager::default();
    for stemming in [Stemming::None, Stemming::English] {
        manager.register(tokenizer_name(stemming), analyzer(stemming));
    }
    manager
}

#[derive(Clone)]
struct WordTokenizer {
    token: Token,
    finished: FinishedWords,
}

/// Words in lower case, without accents and stemmed.
#[derive(Clone)]
struct FinishedWords {
    /// Takes a text as one word.
    filters: TextAnalyzer,
    known: HashMap<Box<str>, Box<str>>,
}

impl FinishedWords {
    fn of(stemming: Stemming) -> Self {
        let plain =
            TextAnalyzer::builder(RawTokenizer::default()).filter(LowerCaser).filter(AsciiFoldingFilter);
        let filters = match stemming {
            Stemming::None => plain.build(),
            Stemming::English => plain.filter(Stemmer::new(Language::English)).build(),
        };
        Self { filters, known: HashMap::new() }
    }

    fn push(&mut self, word: &str, to: &mut String) {
        if let Some(known) = self.known.get(word) {
            to.push_str(known);
            return;
        }
        let mut stream = self.filters.token_stream(word);
        let finished = if stream.advance() { stream.token().text.as_str() } else { "" };
        to.push_str(finished);
        if self.known.len() < KNOWN_MAX {
            self.known.insert(word.into(), finished.into());
        }
    }
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream { text, at: 0, pair_of: None, token: &mut self.token, finished: &mut self.finished }
    }
}

struct WordStream<'a> {
    text: &'a str,
    /// Bytes that were read.
    at: usize,
    /// The last character of a script without spaces: its beginning, if the next character stands beside it.
    pair_of: Option<usize>,
    token: &'a mut Token,
    finished: &'a mut FinishedWords,
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        self.token.position = self.token.position.wrapping_add(1);
        let pair_of = self.pair_of.take();
        let Some(next) = self.text[self.at..].chars().next() else { return false };
        match pair_of {
            Some(start) if is_spaceless(next) => self.emit(start, self.at + next.len_utf8()),
            _ => return self.advance_to_word(),
        }
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

impl WordStream<'_> {
    fn advance_to_word(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some((skipped, first)) = rest.char_indices().find(|(_, character)| character.is_alphanumeric())
        else {
            self.at = self.text.len();
            return false;
        };
        let start = self.at + skipped;
        if is_spaceless(first) {
            self.at = start + first.len_utf8();
            self.pair_of = Some(start);
            self.emit(start, self.at);
        } else {
            let end = start + word_bytes(&self.text[start..]);
            self.at = end + possessive_bytes(&self.text[end..]);
            self.emit(start, end);
        }
        true
    }

    fn emit(&mut self, start: usize, end: usize) {
        self.token.offset_from = start;
        self.token.offset_to = end;
        self.token.text.clear();
        let word = &self.text[start..end];
        let kept = word.floor_char_boundary(WORD_BYTES_MAX.min(word.len()));
        self.finished.push(&word[..kept], &mut self.token.text);
    }
}

fn word_bytes(text: &str) -> usize {
    text.char_indices()
        .find(|(_, character)| !character.is_alphanumeric() || is_spaceless(*character))
        .map_or(text.len(), |(at, _)| at)
}

/// The length of an `'s` that ends a word: it says nothing.
fn possessive_bytes(text: &str) -> usize {
    let mut characters = text.chars();
    let Some(mark @ ('\'' | '’')) = characters.next() else { return 0 };
    let Some('s' | 'S') = characters.next() else { return 0 };
    match characters.next() {
        Some(next) if next.is_alphanumeric() => 0,
        _ => mark.len_utf8() + 1,
    }
}

/// True for letters of scripts whose words stand side by side: Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean.
pub(super) fn is_spaceless(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3040..=0x30FF
        | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F | 0x20000..=0x3FFFF)
        && character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(stemming: Stemming, text: &str) -> Vec<String> {
        let mut analyzer = analyzer(stemming);
        let mut stream = analyzer.token_stream(text);
        let mut words = Vec::new();
        while let Some(token) = stream.next() {
            assert!(text.is_char_boundary(token.offset_from) && text.is_char_boundary(token.offset_to));
            words.push(token.text.clone());
        }
        words
    }

    #[test]
    fn words_are_folded_and_lose_their_possessive() {
        assert_eq!(
            words(Stemming::None, "The Aircraft's WING, a café’s 3.5 x"),
            ["the", "aircraft", "wing", "a", "cafe", "3", "5", "x"]
        );
        assert_eq!(words(Stemming::None, "it's'sail don't"), ["it", "sail", "don", "t"]);
        assert_eq!(words(Stemming::English, "flying wings flew"), ["fli", "wing", "flew"]);
    }

    #[test]
    fn scripts_without_spaces_become_characters_and_pairs() {
        assert_eq!(words(Stemming::English, "水素 gas水"), ["水", "水素", "素", "gas", "水"]);
        assert_eq!(words(Stemming::None, "東京都"), ["東", "東京", "京", "京都", "都"]);
        assert_eq!(words(Stemming::None, "Ωμέγα Привет"), ["ωμέγα", "привет"]);
    }

    #[test]
    fn a_word_becomes_the_same_whether_it_is_remembered_or_not() {
        let text: String = (0..KNOWN_MAX + 100).map(|number| format!("Flying{number}s ")).collect();
        let first = words(Stemming::English, &text);
        assert_eq!(words(Stemming::English, &format!("{text}{text}")), [first.clone(), first].concat());
    }

    #[test]
    fn a_long_word_is_cut() {
        assert_eq!(words(Stemming::None, &"é".repeat(1000))[0].len(), 32);
        assert_eq!(words(Stemming::None, ""), [""; 0]);
    }
}
