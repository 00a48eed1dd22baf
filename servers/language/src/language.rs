//! Language detection. Two detectors and the stop words vote; a text that is too short or too ambiguous is
//! `unsure`.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use language_codes::by_iso_639_3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whatlang::{Lang, Script};

use crate::sentences::sentences;
use crate::stopwords;
use crate::words::words;

/// The language of a text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DetectedLanguage {
    /// ISO 639-1, such as `en`; null if there are no letters.
    pub language: Option<String>,
    /// In English.
    pub name: Option<String>,
    /// From 0 to 1.
    pub confidence: f64,
    /// The text is too short or too mixed to rely on `language`.
    pub unsure: bool,
    /// Such as `Latin`.
    pub script: Option<String>,
    /// Present if parts of the text are in different languages; the largest share first.
    #[serde(default, skip_serializing_if = "is_one")]
    pub languages: Vec<LanguageShare>,
}

/// A single share repeats the language.
fn is_one(languages: &[LanguageShare]) -> bool {
    languages.len() < 2
}

/// The share of a text in a language.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LanguageShare {
    pub language: String,
    /// Part of the letters, from 0 to 1.
    pub share: f64,
}

/// Detection reads this much: more does not change the answer.
const SAMPLE_BYTES: usize = 16 << 10;
/// Below that many letters a text in a script of many languages is `unsure`.
const LETTERS_MIN: usize = 20;
/// If detectors contradict each other, more is needed.
const LETTERS_CONTRADICTED_MIN: usize = 40;
/// The minimum number of letters of a part in a mixed text.
const PART_LETTERS_MIN: usize = 25;
/// Shares below are taken for mistakes.
const SHARE_MIN: f64 = 0.1;
/// Below this confidence an answer is called `unsure`.
const CONFIDENCE_MIN: f64 = 0.5;

/// The language of `text`, and of its parts if they differ.
pub fn detect(text: &str) -> DetectedLanguage {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let Some(vote) = vote(sample) else { return nothing() };
    let languages = shares(sample, vote.lang);
    let largest = languages.first().map_or(1.0, |largest| largest.share);
    let mixed = languages.len() > 1;
    let code = languages.first().map_or(iso_639_1(vote.lang), |largest| &largest.language).to_owned();
    let confidence = if mixed { vote.confidence.min(largest) } else { vote.confidence };
    DetectedLanguage {
        name: known_language(&code).map(|(_, name)| name.to_owned()),
        language: Some(code),
        confidence: (confidence * 100.0).round() / 100.0,
        unsure: confidence < CONFIDENCE_MIN,
        script: Some(vote.script.name().to_owned()),
        languages,
    }
}

/// The code and the English name of a language that can be detected, by any of its codes or names.
pub fn known_language(said: &str) -> Option<(&'static str, &'static str)> {
    let lang = Lang::from_code(language_codes::find(said)?.iso_639_3)?;
    by_iso_639_3(lang.code()).map(|language| (language.code, language.name))
}

fn nothing() -> DetectedLanguage {
    DetectedLanguage {
        language: None,
        name: None,
        confidence: 0.0,
        unsure: true,
        script: None,
        languages: Vec::new(),
    }
}

struct LanguageVote {
    lang: Lang,
    confidence: f64,
    script: Script,
}

/// One text, one language.
fn vote(text: &str) -> Option<LanguageVote> {
    let info = whatlang::detect(text)?;
    let letters = text.chars().filter(|character| character.is_alphabetic()).count();
    let script = info.script();
    if info.script().langs().len() == 1 || matches!(info.lang(), Lang::Cmn | Lang::Jpn) {
        let confidence = if letters < 2 { 0.4 } else { info.confidence().max(0.9) };
        return Some(LanguageVote { lang: info.lang(), confidence, script });
    }
    let (lang, agreed) = decide(text, &info);
    let needed = if agreed { LETTERS_MIN } else { LETTERS_CONTRADICTED_MIN };
    let long_enough = (letters as f64 / needed as f64).min(1.0);
    let trusted = if agreed { info.confidence().max(0.85) } else { 0.6 };
    Some(LanguageVote { lang, confidence: trusted * long_enough, script })
}

/// The language, and whether the detectors agree. The smaller detector knows 16 languages and hardly errs
/// among them; for the others the wider one decides, if it is sure.
fn decide(text: &str, info: &whatlang::Info) -> (Lang, bool) {
    let narrow = Lang::from_code(whichlang::detect_language(text).three_letter_code());
    let wide = info.lang();
    match narrow {
        Some(narrow) if narrow == wide => (wide, true),
        // It does not know the script, so it contradicts nothing; two languages of a script are rarely
        // confused.
        Some(narrow) if !info.script().langs().contains(&narrow) => {
            (wide, info.is_reliable() || info.script().langs().len() <= 2)
        }
        Some(narrow) if knows_narrow(wide) => (by_stop_words(text, narrow, wide), false),
        Some(narrow) if info.is_reliable() => {
            let common = stop_share(text, narrow) > 0.3;
            if common { (narrow, false) } else { (wide, true) }
        }
        Some(narrow) => match stop_share(text, narrow) {
            // A sentence with few stop words of a language is probably not in that language.
            share if share < 0.25 && stopwords::known(iso_639_1(narrow)).is_some() => (wide, false),
            share => (narrow, share > 0.3),
        },
        None => (wide, info.is_reliable()),
    }
}

/// Of two candidates, the one with more stop words in the text.
fn by_stop_words(text: &str, narrow: Lang, wide: Lang) -> Lang {
    if stop_share(text, wide) > stop_share(text, narrow) + 0.1 { wide } else { narrow }
}

fn stop_share(text: &str, lang: Lang) -> f64 {
    let (words, code) = (words(text), iso_639_1(lang));
    let stops = words.iter().filter(|word| stopwords::contains(code, &word.text.to_lowercase()));
    stops.count() as f64 / words.len().max(1) as f64
}

fn knows_narrow(lang: Lang) -> bool {
    whichlang::LANGUAGES.iter().any(|narrow| narrow.three_letter_code() == lang.code())
}

/// Languages of the sentences by their letters, the largest share first. Sentences too short to tell go with the text.
fn shares(text: &str, whole: Lang) -> Vec<LanguageShare> {
    let mut letters_of: BTreeMap<&'static str, usize> = BTreeMap::new();
    for sentence in sentences(text) {
        let letters = sentence.text.chars().filter(|character| character.is_alphabetic()).count();
        let sure = |vote: &LanguageVote| letters >= PART_LETTERS_MIN && vote.confidence >= 0.8;
        let lang = vote(sentence.text).filter(sure).map_or(whole, |vote| vote.lang);
        *letters_of.entry(iso_639_1(lang)).or_default() += letters;
    }
    let total: usize = letters_of.values().sum();
    let mut shares: Vec<_> = letters_of
        .into_iter()
        .map(|(language, letters)| (language, letters as f64 / total.max(1) as f64))
        .filter(|(_, share)| *share >= SHARE_MIN)
        .map(|(language, share)| LanguageShare {
            language: language.to_owned(),
            share: (share * 100.0).round() / 100.0,
        })
        .collect();
    shares.sort_by(|one, other| other.share.total_cmp(&one.share));
    shares
}

fn iso_639_1(lang: Lang) -> &'static str {
    by_iso_639_3(lang.code()).map_or(lang.code(), |language| language.code)
}
