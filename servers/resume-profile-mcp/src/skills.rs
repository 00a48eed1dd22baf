//! Skills: lists with commas, groups such as `Languages: Rust, Go`, points, and bars that show a level.

use std::sync::LazyLock;

use regex::Regex;

use crate::draft::{FoundValue, Record};
use crate::entries::{self, SectionRow};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::sections::ResumeSection;
use crate::vocabulary;
use crate::words::words_of;

/// Longer items are sentences; known skills are looked for in them.
const ITEM_WORDS_MAX: usize = 7;
/// A group has a short name.
const GROUP_WORDS_MAX: usize = 4;

static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\s*(?:[-–—:(]\s*)(?P<level>expert|advanced|intermediate|beginner|basic|proficient|experte|fortgeschritten|grundkenntnisse|sehr gut|gut|avancé|intermédiaire|débutant|avanzado|intermedio|básico|avanzato|base|avançado|intermediário|gevorderd|\d\s?/\s?\d{1,2}|\d{1,3}\s?%)\s*\)?\s*$",
        r"|\s+(?P<bar>[●○■□★☆▮▯█░◼◻]{2,})\s*$",
    ))
    .expect("the pattern is fixed")
});

pub(crate) fn read(parsed: &ParsedDocument, section: &ResumeSection) -> Vec<Record> {
    let rows = entries::rows(parsed, section);
    let mut records: Vec<Record> = Vec::new();
    let mut group: Option<Record> = None;
    for (at, row) in rows.iter().enumerate() {
        if is_group_heading(parsed, &rows, at) {
            records.extend(group.take().filter(|group| !group.lists.is_empty()));
            let mut next = Record::default();
            next.set("name", FoundValue::text(parsed, row.span.stripped(&parsed.text, &[':']), 0.75));
            group = Some(next);
            continue;
        }
        if let Some((name, rest)) = grouped(parsed, row.span) {
            records.extend(group.take().filter(|group| !group.lists.is_empty()));
            records.push(group_of(parsed, name, rest));
            continue;
        }
        for item in items(parsed, row.span) {
            match &mut group {
                Some(group) if row.item => group.push("keywords", FoundValue::text(parsed, item, 0.85)),
                _ => {
                    records.extend(group.take().filter(|group| !group.lists.is_empty()));
                    records.push(single(parsed, item));
                }
            }
        }
    }
    records.extend(group.filter(|group| !group.lists.is_empty()));
    records
}

/// A row that sticks out, with points below it.
fn is_group_heading(parsed: &ParsedDocument, rows: &[SectionRow], at: usize) -> bool {
    let row = &rows[at];
    let followed = rows.get(at + 1).is_some_and(|next| next.item || (row.bold && !next.bold));
    let text = row.span.of(&parsed.text);
    let short = words_of(text).count() <= GROUP_WORDS_MAX && !text.contains([',', ';']);
    !row.item && followed && short && (row.bold || row.heading || text.ends_with(':') || rows[at + 1].item)
}

/// `Languages: Rust, Go`
fn grouped(parsed: &ParsedDocument, span: ByteSpan) -> Option<(ByteSpan, ByteSpan)> {
    let text = span.of(&parsed.text);
    let at = text.find([':', '：'])?;
    let name = ByteSpan::new(span.start, span.start + at).trimmed(&parsed.text);
    let mark = text[at..].chars().next()?.len_utf8();
    let rest = ByteSpan::new(span.start + at + mark, span.end).trimmed(&parsed.text);
    let short = words_of(name.of(&parsed.text)).count() <= GROUP_WORDS_MAX
        && !name.of(&parsed.text).contains([',', ';']);
    (short && !name.is_empty() && !rest.is_empty() && !LEVEL.is_match(text)).then_some((name, rest))
}

fn group_of(parsed: &ParsedDocument, name: ByteSpan, rest: ByteSpan) -> Record {
    let mut record = Record::default();
    record.set("name", FoundValue::text(parsed, name, 0.85));
    for item in items(parsed, rest) {
        record.push("keywords", FoundValue::text(parsed, without_level(parsed, item).0, 0.9));
    }
    record
}

fn single(parsed: &ParsedDocument, item: ByteSpan) -> Record {
    let (name, level) = without_level(parsed, item);
    let known = vocabulary::canonical(name.of(&parsed.text)).is_some();
    let mut record = Record::default();
    record.set("name", FoundValue::text(parsed, name, if known { 0.95 } else { 0.82 }));
    if let Some(level) = level {
        record.set("level", FoundValue::text(parsed, level, 0.8));
    }
    record
}

fn without_level(parsed: &ParsedDocument, item: ByteSpan) -> (ByteSpan, Option<ByteSpan>) {
    let Some(captures) = LEVEL.captures(item.of(&parsed.text)) else { return (item, None) };
    let whole = captures.get(0).expect("a match has a whole");
    let level = captures.name("level").or(captures.name("bar")).expect("one of both matched");
    let name = ByteSpan::new(item.start, item.start + whole.start()).trimmed(&parsed.text);
    if name.is_empty() {
        return (item, None);
    }
    (name, Some(ByteSpan::new(item.start + level.start(), item.start + level.end())))
}

/// The items of a list; of a sentence, the skills that it names.
pub(crate) fn items(parsed: &ParsedDocument, span: ByteSpan) -> Vec<ByteSpan> {
    let pieces = list(parsed, span);
    let split = |piece: ByteSpan| {
        if is_sentence(parsed, piece) || is_run_of_known(parsed, piece) {
            mentioned(parsed, piece)
        } else {
            vec![piece]
        }
    };
    pieces.into_iter().flat_map(split).collect()
}

/// `HTML CSS`: merged columns of only known skills.
fn is_run_of_known(parsed: &ParsedDocument, span: ByteSpan) -> bool {
    let text = span.of(&parsed.text);
    let found = vocabulary::mentions(text);
    let named: usize = found.iter().map(|mention| mention.end - mention.start).sum();
    found.len() > 1 && vocabulary::canonical(text).is_none() && named + found.len() > text.len()
}

fn is_sentence(parsed: &ParsedDocument, span: ByteSpan) -> bool {
    words_of(span.of(&parsed.text)).count() > ITEM_WORDS_MAX
}

fn mentioned(parsed: &ParsedDocument, span: ByteSpan) -> Vec<ByteSpan> {
    let found = vocabulary::mentions(span.of(&parsed.text));
    found
        .into_iter()
        .map(|mention| ByteSpan::new(span.start + mention.start, span.start + mention.end))
        .collect()
}

/// Cut at commas, bars, dots and line breaks outside brackets.
pub(crate) fn list(parsed: &ParsedDocument, span: ByteSpan) -> Vec<ByteSpan> {
    let text = span.of(&parsed.text);
    let mut pieces = Vec::new();
    let (mut depth, mut from) = (0_i32, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth <= 0 && is_cut(text, at, character) {
            pieces.push(ByteSpan::new(span.start + from, span.start + at));
            from = at + character.len_utf8();
        }
    }
    pieces.push(ByteSpan::new(span.start + from, span.end));
    let tidied = pieces
        .into_iter()
        .map(|piece| piece.stripped(&parsed.text, &['.', '-', '–', '—', '*', '•', '●', '▪', ',']));
    tidied.filter(|piece| piece.of(&parsed.text).chars().any(char::is_alphanumeric)).collect()
}

fn is_cut(text: &str, at: usize, character: char) -> bool {
    let spaced = || text[..at].ends_with(' ') && text[at + character.len_utf8()..].starts_with(' ');
    match character {
        // A list that continues in lower case was broken within an item.
        '\n' => {
            text[..at].trim_end().ends_with([',', ';', '|', '•', '·'])
                || !text[at..].trim_start().starts_with(char::is_lowercase)
        }
        ';' | '|' | '•' | '·' | '●' | '▪' | '\t' | '、' | '，' | '；' | '‖' | '∙' => true,
        // `1,7` is a number.
        ',' => !text[at + 1..].starts_with(|next: char| next.is_ascii_digit()),
        '/' | '–' | '—' => spaced(),
        _ => false,
    }
}

/// True if a text without a known heading is a list of skills.
pub(crate) fn is_list(text: &str) -> bool {
    const KNOWN_MIN: usize = 2;
    let known = vocabulary::mentions(text).len();
    known >= KNOWN_MIN && known * 4 >= words_of(text).count()
}
