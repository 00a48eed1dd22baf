//! The smaller sections: certificates, projects, awards, publications, volunteering, interests.

use crate::draft::{Found, Record};
use crate::entries::{self, Anchors, Entry, Row, rest_without_dates};
use crate::parsed::{Parsed, Span};
use crate::pieces::{self, Before, Piece};
use crate::sections::{Section, SectionKind};
use crate::skills;
use crate::work::set_period;

/// JSON Resume's names for the parts of an entry in one line.
struct Shape {
    section: &'static str,
    first: &'static str,
    second: &'static str,
    date: &'static str,
}

const CERTIFICATES: Shape = Shape { section: "certificates", first: "name", second: "issuer", date: "date" };
const AWARDS: Shape = Shape { section: "awards", first: "title", second: "awarder", date: "date" };
const PUBLICATIONS: Shape =
    Shape { section: "publications", first: "name", second: "publisher", date: "releaseDate" };

/// The section of JSON Resume and its entries.
pub(crate) fn read(parsed: &Parsed, section: &Section) -> Option<(&'static str, Vec<Record>)> {
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
fn lines(parsed: &Parsed, rows: &[Row], shape: &Shape) -> (&'static str, Vec<Record>) {
    let records = rows.iter().filter_map(|row| {
        let pieces: Vec<Piece> =
            rest_without_dates(parsed, row).into_iter().flat_map(|span| pieces::cut(parsed, span)).collect();
        let (first, rest) = pieces.split_first()?;
        let mut record = Record::default();
        let (name, second) = stop_inside(parsed, first.span).unwrap_or((first.span, None));
        record.set(shape.first, Found::text(parsed, numberless(parsed, name), 0.8));
        if let Some(second) = second.or_else(|| rest.first().map(|piece| piece.span)) {
            record.set(shape.second, Found::text(parsed, second, 0.6));
        }
        if let Some(date) =
            row.periods.first().and_then(|period| period.end.as_ref().or(period.start.as_ref()))
        {
            record.set(shape.date, Found::date(date, 0.9));
        }
        Some(record)
    });
    (shape.section, records.collect())
}

/// `A title. A journal`: the full stop parts them.
fn stop_inside(parsed: &Parsed, span: Span) -> Option<(Span, Option<Span>)> {
    let text = span.of(&parsed.text);
    let at = text.match_indices(". ").map(|(at, _)| at).find(|at| *at > 12)?;
    let second = Span::new(span.start + at + 2, span.end).stripped(&parsed.text, &['.', '_', '*']);
    Some((Span::new(span.start, span.start + at), Some(second).filter(|second| !second.is_empty())))
}

/// Without the number of a list: `1. A title`.
fn numberless(parsed: &Parsed, span: Span) -> Span {
    let text = span.of(&parsed.text);
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(rest) if rest.len() < text.len() => {
            Span::new(span.end - rest.len(), span.end).trimmed(&parsed.text)
        }
        _ => span,
    }
}

fn volunteer(parsed: &Parsed, rows: &[Row]) -> Vec<Record> {
    let entries = entries::split(parsed, rows, Anchors::PeriodsOrPoints);
    entries.iter().filter_map(|entry| volunteered(parsed, entry)).collect()
}

fn volunteered(parsed: &Parsed, entry: &Entry) -> Option<Record> {
    let mut pieces = pieces::of_head(parsed, entry);
    let _where = pieces::take_place(parsed, &mut pieces);
    let mut record = Record::default();
    record.set("position", Found::text(parsed, pieces.first()?.span, 0.65));
    if let Some(second) = pieces.get(1) {
        record.set("organization", Found::text(parsed, second.span, 0.65));
    }
    set_period(&mut record, entry);
    crate::work::add_body(parsed, &mut record, &entry.body);
    Some(record)
}

/// `Name: description`, or a name with points below it.
fn projects(parsed: &Parsed, rows: &[Row]) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for row in rows {
        let text = row.span.of(&parsed.text);
        if let Some(at) = text.find(": ").filter(|at| *at < 80) {
            let mut record = Record::default();
            record.set("name", Found::text(parsed, Span::new(row.span.start, row.span.start + at), 0.85));
            record.set(
                "description",
                Found::text(
                    parsed,
                    Span::new(row.span.start + at + 1, row.span.end).trimmed(&parsed.text),
                    0.85,
                ),
            );
            records.push(record);
        } else if let (true, Some(last)) = (row.item || text.ends_with('.'), records.last_mut()) {
            last.push("highlights", Found::text(parsed, row.span, 0.8));
        } else {
            records.extend(project(parsed, row));
        }
    }
    records
}

fn project(parsed: &Parsed, row: &Row) -> Option<Record> {
    let pieces: Vec<Piece> =
        rest_without_dates(parsed, row).into_iter().flat_map(|span| pieces::cut(parsed, span)).collect();
    let (first, rest) = pieces.split_first()?;
    let mut record = Record::default();
    record.set("name", Found::text(parsed, first.span, 0.7));
    if let Some(description) = rest.iter().find(|piece| piece.before >= Before::Mark) {
        record.set(
            "description",
            Found::text(parsed, Span::new(description.span.start, rest[rest.len() - 1].span.end), 0.6),
        );
    }
    let period = row.periods.first();
    if let Some(start) = period.and_then(|period| period.start.as_ref()) {
        record.set("startDate", Found::date(start, 0.85));
    }
    if let Some(end) = period.and_then(|period| period.end.as_ref()) {
        record.set("endDate", Found::date(end, 0.85));
    }
    Some(record)
}

fn interests(parsed: &Parsed, rows: &[Row]) -> Vec<Record> {
    let items = rows.iter().flat_map(|row| skills::list(parsed, row.span));
    items
        .map(|span| {
            let mut record = Record::default();
            record.set("name", Found::text(parsed, span, 0.85));
            record
        })
        .collect()
}
