//! Words that carry no topic, by language. The lists are this project's own: articles, pronouns, prepositions, conjunctions,
//! auxiliaries, and the adverbs that every text uses. One list is a file of words parted by blanks.

use std::collections::HashSet;
use std::sync::LazyLock;

type StopWords = LazyLock<HashSet<&'static str>>;

static ENGLISH: StopWords = LazyLock::new(|| read(include_str!("stopwords/en.txt")));
static GERMAN: StopWords = LazyLock::new(|| read(include_str!("stopwords/de.txt")));
static FRENCH: StopWords = LazyLock::new(|| read(include_str!("stopwords/fr.txt")));
static SPANISH: StopWords = LazyLock::new(|| read(include_str!("stopwords/es.txt")));
static ITALIAN: StopWords = LazyLock::new(|| read(include_str!("stopwords/it.txt")));
static PORTUGUESE: StopWords = LazyLock::new(|| read(include_str!("stopwords/pt.txt")));
static DUTCH: StopWords = LazyLock::new(|| read(include_str!("stopwords/nl.txt")));
static SWEDISH: StopWords = LazyLock::new(|| read(include_str!("stopwords/sv.txt")));
static RUSSIAN: StopWords = LazyLock::new(|| read(include_str!("stopwords/ru.txt")));
/// Words that are not part of a key phrase although they carry meaning: actions of texts (`show`, `propose`),
/// degrees (`very`).
static ENGLISH_BREAKS: StopWords = LazyLock::new(|| read(include_str!("stopwords/en-breaks.txt")));
/// Words that say too little alone: `problem`, but not `allocation problem`.
static ENGLISH_ALONE: StopWords = LazyLock::new(|| read(include_str!("stopwords/en-alone.txt")));

/// Languages with a list.
pub(crate) const CODES: [&str; 9] = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "ru"];

fn read(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

/// The code if there is a list for it.
pub(crate) fn known(code: &str) -> Option<&'static str> {
    CODES.into_iter().find(|known| *known == code)
}

pub(crate) fn contains(code: &str, word: &str) -> bool {
    match code {
        "en" => ENGLISH.contains(word) || ENGLISH.contains(word.replace('’', "'").as_str()),
        "de" => GERMAN.contains(word),
        "fr" => FRENCH.contains(word),
        "es" => SPANISH.contains(word),
        "it" => ITALIAN.contains(word),
        "pt" => PORTUGUESE.contains(word),
        "nl" => DUTCH.contains(word),
        "sv" => SWEDISH.contains(word),
        "ru" => RUSSIAN.contains(word),
        _ => false,
    }
}

/// True if a key phrase ends before `word`.
pub(crate) fn breaks(code: &str, word: &str) -> bool {
    contains(code, word) || (code == "en" && (ENGLISH_BREAKS.contains(word) || is_english_adverb(word)))
}

/// True if `word` needs another beside it to be a key phrase.
pub(crate) fn is_vague(code: &str, word: &str) -> bool {
    code == "en" && ENGLISH_ALONE.contains(word)
}

/// `quickly`, but not `assembly`.
fn is_english_adverb(word: &str) -> bool {
    const NOUNS: [&str; 12] = [
        "anomaly",
        "assembly",
        "butterfly",
        "family",
        "fly",
        "friendly",
        "italy",
        "july",
        "monopoly",
        "reply",
        "supply",
        "poly",
    ];
    word.ends_with("ly") && word.is_ascii() && !NOUNS.iter().any(|noun| word.ends_with(noun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_knows_its_words() {
        for (code, word) in [
            ("en", "the"),
            ("de", "und"),
            ("fr", "dans"),
            ("es", "para"),
            ("it", "della"),
            ("pt", "não"),
            ("nl", "het"),
            ("sv", "och"),
            ("ru", "что"),
        ] {
            assert!(contains(code, word), "{code} lacks {word}");
            assert!(!contains(code, "toolgate"));
        }
        assert!(CODES.iter().all(|code| known(code).is_some()));
    }

    #[test]
    fn adverbs_end_a_phrase_and_nouns_like_them_do_not() {
        assert!(breaks("en", "efficiently"));
        assert!(!breaks("en", "supply"));
        assert!(!breaks("de", "efficiently"));
    }
}
