//! The smaller sections: certificates, projects, awards, publications, volunteering, interests.

use crate::draft::{FoundValue, Record};
use crate::entries::{self, Anchors, SectionEntry, SectionRow, rest_without_dates};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::pieces::{self, PieceSeparator, TextPiece};
use crate::sections::{ResumeSection, SectionKind};
use crate::skills;
use crate::work::set_period;

/// JSON Resume's names for the parts of an entry in one line.
struct EntryShape {
    section: &'static str,
    first: &'static str,
    second: &'static str,
    date: &'static str,
}

const CERTIFICATES: EntryShape =
    EntryShape { section: "certificates", first: "name", second: "issuer", date: "date" };
const AWARDS: EntryShape = EntryShape { section: "awards", first: "title", second: "awarder", date: "date" };
const PUBLICATIONS: EntryShape =
    EntryShape { section: "publications", first: "name", second: "publisher", date: "releaseDate" };

/// The section of JSON Resume and its entries.
pub(crate) fn read(parsed: &ParsedDocument, section: &ResumeSection) -> Option<(&'static str, Vec<Record>)> {
    let rows = entries::rows(parsed, section);
    match section.kind {
        SectionKind::Certificates => Some(lines(parsed, &rows, &CERTIFICATES)),
        SectionKind::Awards => Some(lines(parsed, &rows, &AWARDS)),
        SectionKind::Publications => Some(lines(parsed, &rows, &PUBLICATIONS)),
        SectionKind::Volunteer => Some(("volunteer", volunteer(parsed, &rows))),
        SectionKind::Projects => Some(("projects", projects(parsed, &rows))),
        SectionKind::Interests => Some(("interests", interests(parsed, &rows))),
        _ => None,
    }
}

/// One entry in each line: a name, an issuer, and a date.
fn lines(parsed: &ParsedDocument, rows: &[SectionRow], shape: &EntryShape) -> (&'static str, Vec<Record>) {
    let records = rows.iter().filter_map(|row| {
        let pieces: Vec<TextPiece> =
            rest_without_dates(parsed, row).into_iter().flat_map(|span| pieces::cut(parsed, span)).collect();
        let (first, rest) = pieces.split_first()?;
        let mut record = Record::default();
        let (name, second) = stop_inside(parsed, first.span).unwrap_or((first.span, None));
        record.set(shape.first, FoundValue::text(parsed, numberless(parsed, name), 0.8));
        if let Some(second) = second.or_else(|| rest.first().map(|piece| piece.span)) {
            record.set(shape.second, FoundValue::text(parsed, second, 0.6));
        }
        if let Some(date) =
            row.periods.first().and_then(|period| period.end.as_ref().or(period.start.as_ref()))
        {
            record.set(shape.date, FoundValue::date(date, 0.9));
        }
        Some(record)
    });
    (shape.section, records.collect())
}

/// `A title. A journal`: the full stop parts them.
fn stop_inside(parsed: &ParsedDocument, span: ByteSpan) -> Option<(ByteSpan, Option<ByteSpan>)> {
    let text = span.of(&parsed.text);
    let at = text.match_indices(". ").map(|(at, _)| at).find(|at| *at > 12)?;
    let second = ByteSpan::new(span.start + at + 2, span.end).stripped(&parsed.text, &['.', '_', '*']);
    Some((ByteSpan::new(span.start, span.start + at), Some(second).filter(|second| !second.is_empty())))
}

/// Without the number of a list: `1. A title`.
fn numberless(parsed: &ParsedDocument, span: ByteSpan) -> ByteSpan {
    let text = span.of(&parsed.text);
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(rest) if rest.len() < text.len() => {
            ByteSpan::new(span.end - rest.len(), span.end).trimmed(&parsed.text)
        }
        _ => span,
    }
}

fn volunteer(parsed: &ParsedDocument, rows: &[SectionRow]) -> Vec<Record> {
    let entries = entries::split(parsed, rows, Anchors::PeriodsOrPoints);
    entries.iter().filter_map(|entry| volunteered(parsed, entry)).collect()
}

fn volunteered(parsed: &ParsedDocument, entry: &SectionEntry) -> Option<Record> {
    let mut pieces = pieces::of_head(parsed, entry);
    let _where = pieces::take_place(parsed, &mut pieces);
    let mut record = Record::default();
    record.set("position", FoundValue::text(parsed, pieces.first()?.span, 0.65));
    if let Some(second) = pieces.get(1) {
        record.set("organization", FoundValue::text(parsed, second.span, 0.65));
    }
    set_period(&mut record, entry);
    crate::work::add_body(parsed, &mut record, &entry.body);
    Some(record)
}

/// `Name: description`, or a name with points below it.
fn projects(parsed: &ParsedDocument, rows: &[SectionRow]) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for row in rows {
        let text = row.span.of(&parsed.text);
        if let Some(at) = text.find(": ").filter(|at| *at < 80) {
            let mut record = Record::default();
            record.set(
                "name",
                FoundValue::text(parsed, ByteSpan::new(row.span.start, row.span.start + at), 0.85),
            );
            record.set(
                "description",
                FoundValue::text(
                    parsed,
                    ByteSpan::new(row.span.start + at + 1, row.span.end).trimmed(&parsed.text),
                    0.85,
                ),
            );
            records.push(record);
        } else if let (true, Some(last)) = (row.item || text.ends_with('.'), records.last_mut()) {
            last.push("highlights", FoundValue::text(parsed, row.span, 0.8));
        } else {
            records.extend(project(parsed, row));
        }
    }
    records
}

fn project(parsed: &ParsedDocument, row: &SectionRow) -> Option<Record> {
    let pieces: Vec<TextPiece> =
        rest_without_dates(parsed, row).into_iter().flat_map(|span| pieces::cut(parsed, span)).collect();
    let (first, rest) = pieces.split_first()?;
    let mut record = Record::default();
    record.set("name", FoundValue::text(parsed, first.span, 0.7));
    if let Some(description) = rest.iter().find(|piece| piece.before >= PieceSeparator::Mark) {
        record.set(
            "description",
            FoundValue::text(
                parsed,
                ByteSpan::new(description.span.start, rest[rest.len() - 1].span.end),
                0.6,
            ),
        );
    }
    let period = row.periods.first();
    if let Some(start) = period.and_then(|period| period.start.as_ref()) {
        record.set("startDate", FoundValue::date(start, 0.85));
    }
    if let Some(end) = period.and_then(|period| period.end.as_ref()) {
        record.set("endDate", FoundValue::date(end, 0.85));
    }
    Some(record)
}

fn interests(parsed: &ParsedDocument, rows: &[SectionRow]) -> Vec<Record> {
    let items = rows.iter().flat_map(|row| skills::list(parsed, row.span));
    items
        .map(|span| {
            let mut record = Record::default();
            record.set("name", FoundValue::text(parsed, span, 0.85));
            record
        })
        .collect()
}
