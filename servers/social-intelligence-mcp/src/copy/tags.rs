//! Hashtags: made of the key phrases of a text, and checked.

use std::collections::BTreeSet;

use capability_language::{KeywordOptions, keywords, words};
use schemars::JsonSchema;
use serde::Serialize;

/// A hashtag and the phrase of the text that it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuggestedTag {
    pub tag: String,
    pub phrase: String,
}

/// The fault of a hashtag in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TagFault {
    /// Only digits: platforms make no link of it.
    NoLetter,
    /// Broken by a sign such as a hyphen: the link ends there.
    Broken,
    TooLong,
    Repeated,
    /// Several words in lower case: screen readers spell it as one.
    NoCapitals,
}

/// Longer tags are not typed by anybody.
const TAG_CHARS_MAX: usize = 30;
const WORDS_MAX: usize = 3;
/// Lower-case tags of more letters are several words more often than not.
const LOWER_CHARS_MAX: usize = 15;

/// The best first. Nothing is known about how many people follow them.
pub fn suggested_tags(text: &str, count: usize) -> Vec<SuggestedTag> {
    let present: BTreeSet<String> = tags_of(text).map(str::to_lowercase).collect();
    let options = KeywordOptions { top_k: count.saturating_mul(3), language: None };
    let found = keywords(text, &options, None).map(|found| found.keywords).unwrap_or_default();
    let mut seen = present;
    let tags = found.into_iter().filter_map(|keyword| {
        let tag = tag_of(&keyword.phrase)?;
        seen.insert(tag[1..].to_lowercase()).then_some(SuggestedTag { tag, phrase: keyword.phrase })
    });
    tags.take(count).collect()
}

/// Capitals at the beginnings of words, so that people and screen readers can read it.
fn tag_of(phrase: &str) -> Option<String> {
    let parts = words(phrase);
    let joined: String = parts.iter().map(|word| capitalised(word.text)).collect();
    let fits = (1..=WORDS_MAX).contains(&parts.len()) && joined.chars().count() < TAG_CHARS_MAX;
    (fits && joined.contains(char::is_alphabetic)).then(|| format!("#{joined}"))
}

fn capitalised(word: &str) -> String {
    let kept: String = word.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let mut letters = kept.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Without the sign.
fn tags_of(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices('#').filter_map(move |(at, _)| {
        let rest = &text[at + 1..];
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    })
}

/// The faults of the hashtags in a text, each with its tag.
pub fn faulty_tags(text: &str) -> Vec<(String, TagFault)> {
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for tag in tags_of(text) {
        if !seen.insert(tag.to_lowercase()) {
            faults.push((tag, TagFault::Repeated));
        } else if !tag.contains(char::is_alphabetic) {
            faults.push((tag, TagFault::NoLetter));
        } else if tag.chars().count() > TAG_CHARS_MAX {
            faults.push((tag, TagFault::TooLong));
        } else if is_broken(text, tag) {
            faults.push((tag, TagFault::Broken));
        } else if tag.chars().count() > LOWER_CHARS_MAX && !tag.contains(char::is_uppercase) && tag.is_ascii()
        {
            faults.push((tag, TagFault::NoCapitals));
        }
    }
    faults.into_iter().map(|(tag, fault)| (format!("#{tag}"), fault)).collect()
}

/// A hyphen, an apostrophe or an ampersand with a letter behind it.
fn is_broken(text: &str, tag: &str) -> bool {
    let Some((_, rest)) = text.split_once(&format!("#{tag}")) else { return false };
    let mut letters = rest.chars();
    letters.next().is_some_and(|sign| matches!(sign, '-' | '\'' | '’' | '&'))
        && letters.next().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_made_of_key_phrases_and_not_of_those_that_are_there() {
        let text = "Solar panels on school roofs cut bills. Solar panels need little care. #SchoolRoofs";
        let tags = suggested_tags(text, 5);
        assert!(tags.iter().any(|tag| tag.tag.eq_ignore_ascii_case("#SolarPanels")), "{tags:?}");
        assert!(tags.iter().all(|tag| !tag.tag.eq_ignore_ascii_case("#SchoolRoofs")), "{tags:?}");
    }

    #[test]
    fn faults_are_named() {
        let text = "#2024 #Fun #fun #back-to-school #thisisaveryverylongone #AnAbsurdlyLongTagThatNobodyWillEverType # #";
        let faults = faulty_tags(text);
        let expected = [
            ("#2024", TagFault::NoLetter),
            ("#fun", TagFault::Repeated),
            ("#back", TagFault::Broken),
            ("#thisisaveryverylongone", TagFault::NoCapitals),
            ("#AnAbsurdlyLongTagThatNobodyWillEverType", TagFault::TooLong),
        ];
        let found: Vec<(&str, TagFault)> = faults.iter().map(|(tag, fault)| (tag.as_str(), *fault)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn other_scripts_and_nothing_are_taken() {
        assert!(suggested_tags("", 5).is_empty());
        assert!(faulty_tags("#日本語 #größe").is_empty());
        suggested_tags("今天天气很好。我们去公园吧！", 3);
    }
}
