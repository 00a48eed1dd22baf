//! The stop words and the stems of a language.

use std::borrow::Cow;
use std::collections::HashMap;

use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::stopwords;
use crate::words::{Word, words};

/// A language as the counting of words needs it. An unknown language has no stop words and no stems, and still works.
pub struct Lexicon {
    code: Option<&'static str>,
    stemmer: Option<Stemmer>,
}

impl Lexicon {
    /// Words up to this many letters carry little where no stop words are known.
    const SHORT_CHARS: usize = 3;

    /// `code` is of ISO 639-1, such as `en`.
    pub fn of(code: Option<&str>) -> Self {
        let code = code.and_then(stopwords::known);
        Self { code, stemmer: code.and_then(algorithm).map(Stemmer::create) }
    }

    pub fn code(&self) -> Option<&'static str> {
        self.code
    }

    /// `word` in lower case.
    pub fn is_stop(&self, word: &str) -> bool {
        match self.code {
            Some(code) => stopwords::contains(code, word),
            None => word.is_ascii() && word.chars().count() <= Self::SHORT_CHARS,
        }
    }

    /// `word` in lower case.
    pub fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(word),
            None => Cow::Borrowed(word),
        }
    }

    /// The content words of a text, for counting: stems without stop words. Chinese characters are paired.
    pub fn terms(&self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        for word in words(text) {
            match word.is_cjk() {
                true => terms.extend(pairs(&word)),
                false => terms.extend(self.term(word.text)),
            }
        }
        terms
    }

    fn term(&self, word: &str) -> Option<String> {
        let word = word.to_lowercase();
        (!self.is_stop(&word)).then(|| self.stem(&word).into_owned())
    }

    /// The frequency of each term.
    pub fn counts(&self, text: &str) -> HashMap<String, u32> {
        let mut counts = HashMap::new();
        for term in self.terms(text) {
            *counts.entry(term).or_default() += 1;
        }
        counts
    }
}

fn pairs(word: &Word<'_>) -> Vec<String> {
    let characters: Vec<char> = word.text.chars().collect();
    match characters.as_slice() {
        [_] => vec![word.text.to_owned()],
        _ => characters.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

fn algorithm(code: &str) -> Option<Algorithm> {
    Some(match code {
        "en" => Algorithm::English,
        "de" => Algorithm::German,
        "fr" => Algorithm::French,
        "es" => Algorithm::Spanish,
        "it" => Algorithm::Italian,
        "pt" => Algorithm::Portuguese,
        "nl" => Algorithm::Dutch,
        "sv" => Algorithm::Swedish,
        "ru" => Algorithm::Russian,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_stem_are_one_term() {
        let english = Lexicon::of(Some("en"));
        assert_eq!(english.terms("The libraries of a library"), ["librari", "librari"]);
        let german = Lexicon::of(Some("de"));
        assert_eq!(german.terms("Die Häuser und das Haus"), ["haus", "haus"]);
    }

    #[test]
    fn a_language_without_a_list_still_has_terms() {
        let unknown = Lexicon::of(Some("xx"));
        assert_eq!(unknown.code(), None);
        assert_eq!(unknown.terms("szép nap"), ["szép"]);
        assert_eq!(unknown.terms("東京都"), ["東京", "京都"]);
    }
}
