//! The signs of a headline, counted as `train.py` counts them.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

/// A sign that is a list of words.
struct WordList {
    name: &'static str,
    words: HashSet<&'static str>,
}

static LISTS: LazyLock<Vec<WordList>> = LazyLock::new(|| {
    let lines = include_str!("../../data/signs.txt").lines();
    let lists = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(':'));
    lists.map(|(name, words)| WordList { name, words: words.split_whitespace().collect() }).collect()
});

/// Lists whose word at the beginning is a sign of its own.
const OPENINGS: [(&str, &str); 6] = [
    ("question_word", "starts_with_question_word"),
    ("he_or_she", "starts_with_he_or_she"),
    ("this", "starts_with_this"),
    ("you", "starts_with_you"),
    ("i", "starts_with_i"),
    ("they", "starts_with_they"),
];

/// More of one kind counts as this many.
const COUNT_MAX: usize = 3;
const SENTENCES_MAX: usize = 4;

/// Runs of letters, digits and apostrophes, without apostrophes at their ends.
pub fn headline_words(text: &str) -> Vec<String> {
    let straight = text.replace(['’', '‘'], "'");
    let runs = straight.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    runs.map(|run| run.trim_matches('\'')).filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

/// Words and pairs of neighbours in lower case; `^` and `$` are the ends.
pub fn headline_terms(text: &str) -> BTreeSet<String> {
    let words: Vec<String> = headline_words(text).iter().map(|word| word.to_lowercase()).collect();
    let mut ends = vec!["^"];
    ends.extend(words.iter().map(String::as_str));
    ends.push("$");
    let pairs = ends.windows(2).map(|pair| pair.join(" "));
    pairs.chain(words.iter().cloned()).collect()
}

/// The value of every sign, by name.
pub fn sign_values(text: &str) -> Vec<(&'static str, f64)> {
    let text = text.trim();
    let written = headline_words(text);
    let words: Vec<String> = written.iter().map(|word| word.to_lowercase()).collect();
    let mut values = form(text, &written, &words);
    for list in LISTS.iter() {
        let count = words.iter().filter(|word| list.words.contains(word.as_str())).count();
        values.push((list.name, count.min(COUNT_MAX) as f64));
    }
    values.extend(openings(words.first().map_or("", String::as_str)));
    values
}

/// Signs of form: length, marks, capitals.
fn form(text: &str, written: &[String], words: &[String]) -> Vec<(&'static str, f64)> {
    let has = |letters: &[char]| f64::from(u8::from(text.contains(letters)));
    let letters: usize = words.iter().map(|word| word.chars().count()).sum();
    let length = words.len() as f64 / 10.0;
    let first = words.first().and_then(|word| word.chars().next());
    let capitals = written.iter().filter(|word| is_shouted(word)).count();
    vec![
        ("length", length),
        ("length_squared", length * length),
        ("word_length", letters as f64 / words.len().max(1) as f64),
        ("question_mark", has(&['?'])),
        ("exclamation_mark", has(&['!'])),
        ("ellipsis", f64::from(u8::from(text.contains("...") || text.contains('…')))),
        ("quotation", has(&['"', '“', '”'])),
        ("colon", has(&[':'])),
        ("dash", has(&['—', '–'])),
        ("parenthesis", has(&['('])),
        ("asterisk", has(&['*'])),
        ("hash", has(&['#'])),
        ("commas", text.matches(',').count().min(COUNT_MAX) as f64),
        ("sentences", sentence_count(text) as f64),
        ("full_stop", f64::from(u8::from(text.ends_with('.')))),
        ("digit", f64::from(u8::from(text.contains(char::is_numeric)))),
        ("starts_with_number", f64::from(u8::from(first.is_some_and(char::is_numeric)))),
        ("capitals", capitals.min(COUNT_MAX) as f64),
    ]
}

fn openings(first: &str) -> impl Iterator<Item = (&'static str, f64)> {
    let begins = |name: &str| LISTS.iter().any(|list| list.name == name && list.words.contains(first));
    let flags = OPENINGS.map(|(list, sign)| (sign, f64::from(u8::from(begins(list)))));
    flags.into_iter().chain([("starts_with_if", f64::from(u8::from(first == "if")))])
}

/// Two letters or more, all of them capitals.
pub(super) fn is_shouted(word: &str) -> bool {
    word.chars().count() > 1 && word.to_uppercase() == word && word.to_lowercase() != word
}

/// Ends of sentences, at least one.
fn sentence_count(text: &str) -> usize {
    let letters: Vec<char> = text.chars().collect();
    let ends = (0..letters.len()).filter(|at| {
        matches!(letters[*at], '.' | '!' | '?' | '…')
            && letters.get(at + 1).is_none_or(|next| next.is_whitespace())
    });
    ends.count().clamp(1, SENTENCES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, sign: &str) -> f64 {
        sign_values(text).into_iter().find(|(name, _)| *name == sign).expect("a sign").1
    }

    #[test]
    fn words_keep_their_apostrophes_and_lose_quotation_marks() {
        assert_eq!(headline_words("She Said 'Don’t!' Twice"), ["She", "Said", "Don't", "Twice"]);
        assert!(headline_words(" '' — ").is_empty());
    }

    #[test]
    fn terms_are_words_and_neighbours_with_both_ends() {
        let terms = headline_terms("He Won");
        let expected = ["^ he", "he", "he won", "won", "won $"];
        assert_eq!(terms.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn signs_are_counted() {
        let text = "Why Do 3 Kids NEVER Ask Her? Watch. And See...";
        assert_eq!(value(text, "question_mark"), 1.0);
        assert_eq!(value(text, "sentences"), 3.0);
        assert_eq!(value(text, "capitals"), 1.0);
        assert_eq!(value(text, "digit"), 1.0);
        assert_eq!(value(text, "starts_with_number"), 0.0);
        assert_eq!(value(text, "starts_with_question_word"), 1.0);
        assert_eq!(value(text, "he_or_she"), 1.0);
        assert_eq!(value(text, "see"), 2.0);
        assert_eq!(value("", "length"), 0.0);
        assert_eq!(value("", "sentences"), 1.0);
    }
}
