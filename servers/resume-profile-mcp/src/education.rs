//! Schools and universities: institution, subject, degree, dates, and grade.

use std::sync::LazyLock;

use regex::Regex;

use crate::draft::{FoundValue, Record};
use crate::entries::{self, Anchors, SectionEntry};
use crate::labels::{self, LineLabel};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::pieces::{self, TextPiece};
use crate::sections::ResumeSection;
use crate::words::{SCHOOLS, fold, lines_of};
use crate::work::{add_body, form_dates, form_entries, set_period};

/// Qualifications, folded, the longest first; those with `of *` take the following words.
static DEGREES: LazyLock<Vec<(String, bool)>> = LazyLock::new(|| {
    let entries = lines_of(include_str!("../data/degrees.txt")).flat_map(|line| line.split('|'));
    let mut degrees: Vec<(String, bool)> = entries
        .map(|entry| match entry.trim().strip_suffix(" *") {
            Some(open) => (fold(open), true),
            None => (fold(entry.trim()), false),
        })
        .collect();
    degrees.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    degrees
});

static GRADE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:gpa|grade|final grade|note|notendurchschnitt|abschlussnote|gesamtnote|nota|nota final|voto|voto finale|cijfer|average|classification|result|score|cgpa)\s*[:=]?\s*(?P<said>\S.*)$",
        r"|^(?P<number>\d{1,3}(?:[.,]\d{1,2})?(?:\s*/\s*\d{1,3}(?:[.,]\d)?)?(?:\s*(?:e lode|cum laude|%|gpa))?)$",
        r"|^(?P<class>[12]:[12]|(?:first|second|upper second|lower second)[ -]class.*|distinction|merit|(?:summa |magna |maxima )?cum laude|mention .*|with (?:first.class )?honou?rs|sehr gut|gut|befriedigend|mit auszeichnung|sobresaliente|notable|con lode|pass)$",
    ))
    .expect("the pattern is fixed")
});

static JOINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:in der|in|of|en|für|fur|de la|de|d['’]|di|em|voor|,|:|[-–—]|\()\s*")
        .expect("the pattern is fixed")
});

pub(crate) fn read(parsed: &ParsedDocument, section: &ResumeSection) -> Vec<Record> {
    if labels::is_form(parsed, &section.spans) {
        return form(parsed, section);
    }
    let rows = entries::rows(parsed, section);
    let found = entries::split(parsed, &rows, Anchors::PeriodsOrPoints);
    found.iter().flat_map(|entry| records(parsed, entry)).collect()
}

/// A list of courses without dates is one entry for each line.
fn records(parsed: &ParsedDocument, entry: &SectionEntry) -> Vec<Record> {
    let mut record = Record::default();
    set_period(&mut record, entry);
    let mut pieces = pieces::of_head(parsed, entry);
    let more: Vec<TextPiece> =
        entry.body.iter().filter(|row| !row.item).flat_map(|row| pieces::cut(parsed, row.span)).collect();
    take_grade(parsed, &mut record, &mut pieces);
    take_grade(parsed, &mut record, &mut more.clone());
    take_school(parsed, &mut record, &mut pieces);
    take_degree(parsed, &mut record, &mut pieces);
    let _where = pieces::take_place(parsed, &mut pieces);
    fill(parsed, &mut record, &pieces);
    let items: Vec<_> = entry.body.iter().filter(|row| row.item).cloned().collect();
    let mut body = Record::default();
    add_body(parsed, &mut body, &items);
    for (_, highlights) in body.lists {
        highlights.into_iter().for_each(|highlight| record.push("courses", highlight));
    }
    let named = record.get("institution").is_some()
        || record.get("studyType").is_some()
        || record.get("area").is_some();
    if named { vec![record] } else { Vec::new() }
}

fn take_grade(parsed: &ParsedDocument, record: &mut Record, pieces: &mut Vec<TextPiece>) {
    split_brackets(parsed, pieces);
    let Some(at) = pieces.iter().position(|piece| GRADE.is_match(piece.span.of(&parsed.text))) else {
        return;
    };
    let span = pieces[at].span;
    let captures = GRADE.captures(span.of(&parsed.text)).expect("it matched before");
    let part = captures.name("said").unwrap_or_else(|| captures.get(0).expect("a match has a whole"));
    let grade = ByteSpan::new(span.start + part.start(), span.start + part.end());
    record.set("score", FoundValue::text(parsed, grade, 0.8));
    pieces.remove(at);
}

/// `University (Grade: 3.8)`: a grade in brackets at the end is a separate piece.
fn split_brackets(parsed: &ParsedDocument, pieces: &mut Vec<TextPiece>) {
    for at in (0..pieces.len()).rev() {
        let span = pieces[at].span;
        let text = span.of(&parsed.text);
        let Some(open) = text.rfind('(').filter(|open| *open > 0 && text.ends_with(')')) else { continue };
        let inside = ByteSpan::new(span.start + open + 1, span.end - 1).trimmed(&parsed.text);
        if GRADE.is_match(inside.of(&parsed.text)) {
            pieces[at].span = ByteSpan::new(span.start, span.start + open).trimmed(&parsed.text);
            pieces.insert(at + 1, TextPiece { span: inside, ..pieces[at] });
        }
    }
}

fn take_school(parsed: &ParsedDocument, record: &mut Record, pieces: &mut Vec<TextPiece>) {
    let text = |piece: &TextPiece| piece.span.of(&parsed.text);
    let schools = |piece: &TextPiece| {
        SCHOOLS.count(text(piece)) > 0
            && degree(text(piece)).is_none_or(|(length, _)| {
                length < text(piece).len() / 2 && SCHOOLS.count(&text(piece)[length..]) > 0
            })
    };
    if let Some(at) = pieces.iter().position(schools) {
        record.set("institution", FoundValue::text(parsed, pieces[at].span, 0.9));
        pieces.remove(at);
    }
}

fn take_degree(parsed: &ParsedDocument, record: &mut Record, pieces: &mut Vec<TextPiece>) {
    let found =
        pieces.iter().enumerate().find_map(|(at, piece)| Some((at, degree(piece.span.of(&parsed.text))?)));
    let Some((at, (length, _))) = found else { return };
    let span = pieces[at].span;
    record.set(
        "studyType",
        FoundValue::text(parsed, ByteSpan::new(span.start, span.start + length).trimmed(&parsed.text), 0.88),
    );
    let rest = ByteSpan::new(span.start + length, span.end);
    let text = rest.of(&parsed.text);
    let joint = JOINT.find(text).map_or(0, |joint| joint.end());
    let area = ByteSpan::new(rest.start + joint, rest.end).stripped(&parsed.text, &[')', ',']);
    pieces.remove(at);
    if !area.is_empty() {
        record.set("area", FoundValue::text(parsed, area, 0.82));
    } else if let Some(next) = pieces.get(at).filter(|next| next.before == pieces::PieceSeparator::Comma) {
        record.set("area", FoundValue::text(parsed, next.span, 0.75));
        pieces.remove(at);
    }
}

/// The number of bytes of a qualification at the beginning of a text.
fn degree(text: &str) -> Option<(usize, bool)> {
    let folded = fold(text);
    let (name, open) = DEGREES.iter().find(|(name, _)| {
        let boundary = folded[..]
            .strip_prefix(name.as_str())
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        boundary && !is_mere_word(text, name)
    })?;
    let letters = name.chars().count();
    let end = folded_end(text, letters);
    if !open {
        return Some((end, false));
    }
    let rest = &text[end..];
    let stop = rest
        .find(" in ")
        .or_else(|| rest.find([',', '(', ':']))
        .or_else(|| rest.find(" - "))
        .unwrap_or(rest.len());
    Some((end + rest[..stop].trim_end().len(), true))
}

/// `be` and `ma` are degrees in capitals only.
fn is_mere_word(text: &str, name: &str) -> bool {
    const SHORT: usize = 4;
    name.is_ascii()
        && name.len() <= SHORT
        && text.chars().take(name.len()).filter(|letter| letter.is_uppercase()).count() < 2
}

/// The end of this many folded characters in the text itself.
fn folded_end(text: &str, letters: usize) -> usize {
    let mut seen = 0;
    for (at, character) in text.char_indices() {
        if seen >= letters {
            return at;
        }
        seen += fold(&character.to_string()).chars().count();
    }
    text.len()
}

/// Pieces without a telling word: in the usual order of writing, after the known ones.
fn fill(parsed: &ParsedDocument, record: &mut Record, pieces: &[TextPiece]) {
    let mut rest = pieces.iter().filter(|piece| piece.span.of(&parsed.text).chars().any(char::is_alphabetic));
    if record.get("institution").is_none()
        && record.get("studyType").is_some()
        && let Some(piece) = rest.next()
    {
        record.set("institution", FoundValue::text(parsed, piece.span, 0.55));
    }
    if record.get("area").is_none()
        && let Some(piece) = rest.next()
    {
        record.set("area", FoundValue::text(parsed, piece.span, 0.55));
    }
    if record.get("institution").is_none()
        && let Some(piece) = rest.next()
    {
        record.set("institution", FoundValue::text(parsed, piece.span, 0.45));
    }
}

fn form(parsed: &ParsedDocument, section: &ResumeSection) -> Vec<Record> {
    let mut records = Vec::new();
    for fields in form_entries(labels::read(parsed, &section.spans)) {
        let mut record = Record::default();
        for field in fields {
            match field.label {
                LineLabel::Degree => record.set("studyType", FoundValue::text(parsed, field.span, 0.92)),
                LineLabel::Subject => record.set("area", FoundValue::text(parsed, field.span, 0.9)),
                LineLabel::School => record.set("institution", FoundValue::text(parsed, field.span, 0.92)),
                LineLabel::Grade => record.set("score", FoundValue::text(parsed, field.span, 0.9)),
                LineLabel::Dates => form_dates(parsed, &mut record, field.span),
                _ => {}
            }
        }
        records.push(record);
    }
    records.retain(|record| record.get("institution").is_some() || record.get("studyType").is_some());
    records
}
