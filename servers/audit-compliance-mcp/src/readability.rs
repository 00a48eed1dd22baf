//! The difficulty of a text by published formulas for the languages that have one.

use capability_language::{detect, sentences, words};

use crate::content::PlacedText;
use crate::report::{Finding, FindingList, Severity, shortened};

/// Words of a sentence that is long, and too long.
const LONG: usize = 25;
const TOO_LONG: usize = 40;

/// Figures of a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Readability {
    pub language: Option<String>,
    pub words: usize,
    pub sentences: usize,
    pub words_per_sentence: f64,
    pub syllables_per_word: f64,
    /// The formula and its value; None for languages without one here.
    pub score: Option<(&'static str, f64)>,
    /// The school year that the text asks for, for English.
    pub grade: Option<f64>,
    pub findings: Vec<Finding>,
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Measures a text.
pub fn measure(text: &PlacedText) -> Readability {
    let language = detect(&text.text).language;
    let all = words(&text.text);
    let plain: Vec<&str> = all.iter().filter(|it| !it.is_number()).map(|it| it.text).collect();
    let parts = sentences(&text.text);
    let (count, sentence_count) = (plain.len().max(1) as f64, parts.len().max(1) as f64);
    let code = language.as_deref().unwrap_or_default();
    let syllables: usize = plain.iter().map(|it| syllables(it, code)).sum();
    let letters: usize = plain.iter().map(|it| it.chars().count()).sum();
    let (length, weight) = (count / sentence_count, syllables as f64 / count);
    let spaced = !all.first().is_some_and(|it| it.is_cjk());
    let known = !plain.is_empty() && spaced;
    Readability {
        words: plain.len(),
        sentences: parts.len(),
        words_per_sentence: rounded(length),
        syllables_per_word: (weight * 100.0).round() / 100.0,
        score: known.then(|| score(code, length, weight, letters as f64 / count)).flatten(),
        grade: (code == "en" && known).then(|| rounded(0.39 * length + 11.8 * weight - 15.59)),
        findings: if spaced { long_sentences(text, &parts) } else { Vec::new() },
        language,
    }
}

/// Formulas by the one who published them: higher is easier.
fn score(language: &str, length: f64, weight: f64, letters: f64) -> Option<(&'static str, f64)> {
    let (name, value) = match language {
        "en" => ("Flesch reading ease", 206.835 - 1.015 * length - 84.6 * weight),
        "de" => ("Flesch by Amstad", 180.0 - length - 58.5 * weight),
        "es" => ("Fernández Huerta", 206.84 - 60.0 * weight - 1.02 * length),
        "fr" => ("Kandel and Moles", 207.0 - 1.015 * length - 73.6 * weight),
        "it" => ("Gulpease", 89.0 + 300.0 / length.max(1.0) - 10.0 * letters),
        "nl" => ("Flesch by Douma", 206.84 - 0.93 * length - 77.0 * weight),
        "pt" => ("Flesch by Martins", 248.835 - 1.015 * length - 84.6 * weight),
        _ => return None,
    };
    Some((name, rounded(value)))
}

/// Groups of vowels; English words lose a silent e.
fn syllables(word: &str, language: &str) -> usize {
    let lower = word.to_lowercase();
    let is_vowel = |it: char| "aeiouyáàâäãåæéèêëíìîïóòôöõøœúùûüýÿ".contains(it);
    let mut count = 0;
    let mut inside = false;
    for letter in lower.chars() {
        count += usize::from(is_vowel(letter) && !inside);
        inside = is_vowel(letter);
    }
    let silent = lower.ends_with('e') && !lower.ends_with("le") && !lower.ends_with("ee");
    if language == "en" && silent && count > 1 { count - 1 } else { count.max(1) }
}

fn long_sentences(text: &PlacedText, parts: &[capability_language::Sentence<'_>]) -> Vec<Finding> {
    let mut found = FindingList::default();
    for sentence in parts {
        let count = words(sentence.text).len();
        let (rule, severity) = match count {
            _ if count > TOO_LONG => ("readability sentence-40", Severity::Warning),
            _ if count > LONG => ("readability sentence-25", Severity::Note),
            _ => continue,
        };
        let asks = if count > TOO_LONG {
            "Sentences have at most 40 words."
        } else {
            "Sentences have at most 25 words."
        };
        let finding = Finding::new(rule, severity, asks, "split the sentence");
        let spot = text.spot(sentence.start..sentence.end());
        found.add(finding.at(spot).evidence(format!("{count} words: {}", shortened(sentence.text))));
    }
    found.sorted()
}
