//! The spoken languages, with their levels.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::draft::{FoundValue, Record};
use crate::entries;
use crate::labels::{self, LineLabel};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::sections::ResumeSection;
use crate::skills;
use crate::words::{fold, lines_of, words_of};

static NAMES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for entry in lines_of(include_str!("../data/languages.txt")).flat_map(|line| line.split('|')) {
        let mut words = entry.split_whitespace();
        let Some(code) = words.next() else { continue };
        names.extend(words.map(|word| (fold(&word.replace('-', " ")), code)));
    }
    names
});

/// Wordings of fluency, the longest first, each with how much it is.
static FLUENCY: LazyLock<Vec<(String, f32)>> = LazyLock::new(|| {
    let mut levels = Vec::new();
    for line in lines_of(include_str!("../data/fluency.txt")) {
        let Some((level, words)) = line.split_once(' ') else { continue };
        let level: f32 = level.parse().expect("the file begins its lines with numbers");
        levels.extend(words.split('|').map(|word| (fold(word.trim()), level)));
    }
    levels.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    levels
});

/// The code of a language, from its name in any of several languages.
pub(crate) fn code(name: &str) -> Option<&'static str> {
    NAMES.get(&fold(name.trim())).copied()
}

/// The level of a wording: 0 to 1.
pub(crate) fn level(text: &str) -> Option<f32> {
    let folded = fold(text);
    FLUENCY.iter().find(|(word, _)| holds(&folded, word)).map(|(_, level)| *level)
}

fn holds(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Languages named in a text, with their places.
pub(crate) fn named(text: &str) -> Vec<(&'static str, usize, usize)> {
    let words = words_of(text).map(|word| (word, word.as_ptr() as usize - text.as_ptr() as usize));
    words
        .filter(|(word, _)| !word.starts_with(char::is_lowercase) || !word.is_ascii())
        .filter_map(|(word, at)| {
            // `Englischkenntnisse`
            let name = word.strip_suffix("kenntnisse").unwrap_or(word);
            Some((code(name)?, at, at + name.len()))
        })
        .collect()
}

/// True if most of a text is names of languages and their levels.
pub(crate) fn is_list(text: &str) -> bool {
    const SHARE: usize = 5;
    let found = named(text).len();
    found > 0 && found * SHARE >= words_of(text).count()
}

pub(crate) fn read(parsed: &ParsedDocument, section: &ResumeSection) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for row in entries::rows(parsed, section) {
        let (native, span) = without_label(parsed, row.span);
        for item in skills::list(parsed, span) {
            add(parsed, &mut records, item, native);
        }
    }
    records.retain(|record| record.get("language").is_some());
    records
}

/// `Mother tongue Romanian`: the label is the level.
fn without_label(parsed: &ParsedDocument, span: ByteSpan) -> (Option<ByteSpan>, ByteSpan) {
    let text = span.of(&parsed.text);
    match labels::leading(text) {
        Some((label @ (LineLabel::MotherTongue | LineLabel::OtherLanguages), rest)) => {
            let said = ByteSpan::new(span.start, span.end - rest.len()).stripped(&parsed.text, &[':']);
            (
                Some(said).filter(|_| label == LineLabel::MotherTongue),
                ByteSpan::new(span.end - rest.len(), span.end).trimmed(&parsed.text),
            )
        }
        _ => (None, span),
    }
}

fn add(parsed: &ParsedDocument, records: &mut Vec<Record>, item: ByteSpan, native: Option<ByteSpan>) {
    let text = item.of(&parsed.text);
    let (name, rest) = split(parsed, item);
    let known = code(name.of(&parsed.text)).is_some() || !named(name.of(&parsed.text)).is_empty();
    if !known && level(text).is_some() && rest.is_none() {
        // A level alone belongs to the language before it.
        if let Some(last) = records.last_mut() {
            last.set("fluency", FoundValue::text(parsed, item, 0.8));
        }
        return;
    }
    if name.of(&parsed.text).contains(char::is_numeric) {
        return;
    }
    let mut record = Record::default();
    let short = words_of(name.of(&parsed.text)).count() <= 3;
    if !known && !short {
        return;
    }
    record.set("language", FoundValue::text(parsed, name, if known { 0.95 } else { 0.6 }));
    if let Some(fluency) = rest.or(native) {
        record.set("fluency", FoundValue::text(parsed, fluency, 0.85));
    }
    records.push(record);
}

/// The name, and its level: in brackets, after a mark, or directly after it.
fn split(parsed: &ParsedDocument, item: ByteSpan) -> (ByteSpan, Option<ByteSpan>) {
    const MARKS: [char; 12] = ['(', ')', '[', ']', ':', '-', '–', '—', '|', ',', '=', '.'];
    let text = item.of(&parsed.text);
    let cut = text
        .find(['(', '[', ':', '：', '|'])
        .or_else(|| spaced_dash(text))
        .or_else(|| after_name(text))
        .or_else(|| before_level(text));
    let Some(at) = cut else { return (item, None) };
    let name = ByteSpan::new(item.start, item.start + at).stripped(&parsed.text, &MARKS);
    let rest = ByteSpan::new(item.start + at, item.end)
        .stripped(&parsed.text, &['(', ')', '[', ']', ':', '：', '–', '—', '|', '-']);
    if name.is_empty() {
        return (item, None);
    }
    (name, Some(rest).filter(|rest| !rest.is_empty()))
}

fn spaced_dash(text: &str) -> Option<usize> {
    [" - ", " – ", " — "].iter().filter_map(|dash| text.find(dash)).min()
}

/// `English C1`: the first word is a language, and more follows.
fn after_name(text: &str) -> Option<usize> {
    let first = text.split_whitespace().next()?;
    (code(first).is_some() && first.len() < text.len()).then_some(first.len())
}

/// `Scottish Gaelic fluent`: a known wording ends it.
fn before_level(text: &str) -> Option<usize> {
    let (at, _) = text
        .match_indices(' ')
        .find(|(at, _)| FLUENCY.iter().any(|(word, _)| fold(text[*at..].trim()) == *word))?;
    Some(at)
}
