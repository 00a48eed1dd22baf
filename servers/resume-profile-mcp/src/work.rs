//! Jobs: position, employer, place, dates, and tasks.

use crate::draft::{FoundValue, Record};
use crate::entries::{self, Anchors, SectionEntry, SectionRow};
use crate::labels::{self, LabelledValue, LineLabel};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::pieces::{self, PieceSeparator, TextPiece};
use crate::sections::ResumeSection;
use crate::words::{ORGANISATIONS, TITLES, words_of};

/// The order of position and employer in the entries of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JobOrder {
    TitleFirst,
    EmployerFirst,
}

/// The head of one job while it is read: units are the rest besides the place.
struct JobHead {
    units: Vec<Vec<TextPiece>>,
    place: Option<ByteSpan>,
    /// A word such as "at" decides the order.
    said: bool,
}

pub(crate) fn read(parsed: &ParsedDocument, section: &ResumeSection) -> Vec<Record> {
    if labels::is_form(parsed, &section.spans) {
        return form(parsed, section);
    }
    let rows = entries::rows(parsed, section);
    let found = entries::split(parsed, &rows, Anchors::Periods);
    let heads: Vec<JobHead> = found.iter().map(|entry| head(parsed, entry)).collect();
    let order = order(parsed, &heads);
    found.iter().zip(heads).filter_map(|(entry, head)| record(parsed, entry, head, order)).collect()
}

fn head(parsed: &ParsedDocument, entry: &SectionEntry) -> JobHead {
    let mut pieces = pieces::of_head(parsed, entry);
    let said = pieces.iter().any(|piece| piece.before == PieceSeparator::At);
    let place = pieces::take_place(parsed, &mut pieces);
    let mut units: Vec<Vec<TextPiece>> = Vec::new();
    for piece in pieces {
        match units.last_mut() {
            Some(unit) if piece.before < PieceSeparator::Mark => unit.push(piece),
            _ => units.push(vec![piece]),
        }
    }
    JobHead { units, place, said }
}

fn whole(unit: &[TextPiece]) -> ByteSpan {
    unit[0].span.to(unit[unit.len() - 1].span)
}

/// Titles sound like titles, employers like employers; the section decides as a whole.
fn order(parsed: &ParsedDocument, heads: &[JobHead]) -> JobOrder {
    let sound = |span: ByteSpan| {
        let text = span.of(&parsed.text);
        TITLES.count(text).min(2) as i32 * 2 - ORGANISATIONS.count(text).min(2) as i32 * 2
    };
    let of_head = |head: &JobHead| {
        let (first, second) = first_two(head)?;
        Some(if head.said { 4 } else { sound(first) - sound(second) })
    };
    let sum: i32 = heads.iter().filter_map(of_head).sum();
    if sum < 0 { JobOrder::EmployerFirst } else { JobOrder::TitleFirst }
}

fn first_two(head: &JobHead) -> Option<(ByteSpan, ByteSpan)> {
    match head.units.as_slice() {
        [] => None,
        [only] if only.len() > 1 => Some((only[0].span, only[1].span)),
        [_] => None,
        [first, second, ..] => Some((whole(first), second[0].span)),
    }
}

fn record(parsed: &ParsedDocument, entry: &SectionEntry, head: JobHead, order: JobOrder) -> Option<Record> {
    let mut record = Record::default();
    let (title, employer, place) = assign(parsed, &head, order);
    let confidence = if head.units.len() > 1 || head.said { 0.85 } else { 0.7 };
    if let Some(employer) = employer {
        record.set("name", FoundValue::text(parsed, employer, confidence));
    }
    if let Some(title) = title {
        let sure =
            if TITLES.count(title.of(&parsed.text)) > 0 { confidence + 0.1 } else { confidence - 0.15 };
        record.set("position", FoundValue::text(parsed, title, sure));
    }
    if let Some(place) = head.place.or(place) {
        record.set("location", FoundValue::text(parsed, place, 0.75));
    }
    set_period(&mut record, entry);
    add_body(parsed, &mut record, &entry.body);
    (record.get("name").is_some() || record.get("position").is_some()).then_some(record)
}

pub(crate) fn set_period(record: &mut Record, entry: &SectionEntry) {
    let Some(period) = entry.period() else { return };
    if let Some(start) = &period.start {
        record.set("startDate", FoundValue::date(start, 0.93));
    }
    if let Some(end) = &period.end {
        record.set("endDate", FoundValue::date(end, if period.start.is_some() { 0.93 } else { 0.6 }));
    }
}

/// Points are highlights; sentences before them are the summary, or highlights if there are no points.
pub(crate) fn add_body(parsed: &ParsedDocument, record: &mut Record, body: &[SectionRow]) {
    for row in body {
        let text = row.span.of(&parsed.text);
        if words_of(text).count() > 0 {
            record.push("highlights", FoundValue::text(parsed, row.span, if row.item { 0.9 } else { 0.7 }));
        }
    }
}

/// Title, employer, and a place that is not in the list of known places.
fn assign(
    parsed: &ParsedDocument,
    head: &JobHead,
    order: JobOrder,
) -> (Option<ByteSpan>, Option<ByteSpan>, Option<ByteSpan>) {
    match head.units.as_slice() {
        [] => (None, None, None),
        [only] => one_unit(parsed, only, order),
        [both, place] if is_place_below(parsed, head, both, place) => {
            let (title, employer, _) = one_unit(parsed, both, order);
            (title, employer, Some(whole(place)))
        }
        [first, second, rest @ ..] => {
            let rest = rest.first().map(|unit| whole(unit));
            match if head.said { JobOrder::TitleFirst } else { order } {
                JobOrder::TitleFirst => {
                    let (employer, tail) = employer_of(parsed, second, head.place);
                    (Some(whole(first)), Some(employer), tail.or(rest))
                }
                JobOrder::EmployerFirst => {
                    let (employer, tail) = employer_of(parsed, first, head.place);
                    (Some(whole(second)), Some(employer), tail.or(rest))
                }
            }
        }
    }
}

/// The text after an employer's name and a comma is its place, unless the place is known already.
fn employer_of(
    parsed: &ParsedDocument,
    unit: &[TextPiece],
    place: Option<ByteSpan>,
) -> (ByteSpan, Option<ByteSpan>) {
    let tail = (unit.len() > 1 && place.is_none()).then(|| unit[unit.len() - 1].span);
    match tail {
        Some(tail) if ORGANISATIONS.count(tail.of(&parsed.text)) == 0 => {
            (whole(&unit[..unit.len() - 1]), Some(tail))
        }
        _ => (whole(unit), None),
    }
}

/// `Trainee, Power Supply BV` with a town below that is not known as one.
fn is_place_below(parsed: &ParsedDocument, head: &JobHead, both: &[TextPiece], place: &[TextPiece]) -> bool {
    let employs = |piece: &TextPiece| ORGANISATIONS.count(piece.span.of(&parsed.text)) > 0;
    let sounds =
        |span: ByteSpan| TITLES.count(span.of(&parsed.text)) + ORGANISATIONS.count(span.of(&parsed.text));
    let short = place.len() == 1 && words_of(place[0].span.of(&parsed.text)).count() <= 3;
    !head.said
        && head.place.is_none()
        && both.len() == 2
        && employs(&both[1])
        && short
        && sounds(place[0].span) == 0
}

/// Everything in one line with commas: the first that sounds like the other kind begins it.
fn one_unit(
    parsed: &ParsedDocument,
    unit: &[TextPiece],
    order: JobOrder,
) -> (Option<ByteSpan>, Option<ByteSpan>, Option<ByteSpan>) {
    let text = |piece: &TextPiece| piece.span.of(&parsed.text);
    if unit.len() == 1 {
        let employer = ORGANISATIONS.count(text(&unit[0])) > 0 && TITLES.count(text(&unit[0])) == 0;
        return if employer { (None, Some(unit[0].span), None) } else { (Some(unit[0].span), None, None) };
    }
    let sounds = |piece: &TextPiece| match order {
        JobOrder::TitleFirst => ORGANISATIONS.count(text(piece)) > 0,
        JobOrder::EmployerFirst => TITLES.count(text(piece)) > 0,
    };
    let second = (1..unit.len()).find(|at| sounds(&unit[*at])).unwrap_or(1);
    let first = whole(&unit[..second]);
    let (other, tail) = match unit.len() > second + 1 {
        true => (unit[second].span, Some(whole(&unit[second + 1..]))),
        false => (unit[second].span, None),
    };
    match order {
        JobOrder::TitleFirst => (Some(first), Some(other), tail),
        JobOrder::EmployerFirst => (Some(other), Some(first), tail),
    }
}

/// Jobs in a form: a repeated label begins the next job.
fn form(parsed: &ParsedDocument, section: &ResumeSection) -> Vec<Record> {
    let mut records = Vec::new();
    for fields in form_entries(labels::read(parsed, &section.spans)) {
        let mut record = Record::default();
        for field in fields {
            match field.label {
                LineLabel::Position => record.set("position", FoundValue::text(parsed, field.span, 0.92)),
                LineLabel::Employer => {
                    let mut pieces = pieces::cut(parsed, field.span);
                    let place = pieces::take_place(parsed, &mut pieces);
                    let (name, tail) = employer_of(parsed, &pieces, place);
                    record.set("name", FoundValue::text(parsed, name, 0.9));
                    if let Some(place) = place.or(tail) {
                        record.set("location", FoundValue::text(parsed, place, 0.7));
                    }
                }
                LineLabel::Dates => form_dates(parsed, &mut record, field.span),
                LineLabel::Duties => record.push("highlights", FoundValue::text(parsed, field.span, 0.85)),
                _ => {}
            }
        }
        records.push(record);
    }
    records.retain(|record| record.get("name").is_some() || record.get("position").is_some());
    records
}

pub(crate) fn form_dates(parsed: &ParsedDocument, record: &mut Record, span: ByteSpan) {
    if let Some(period) = crate::dates::periods(span.of(&parsed.text), span.start).into_iter().next() {
        if let Some(start) = &period.start {
            record.set("startDate", FoundValue::date(start, 0.95));
        }
        if let Some(end) = &period.end {
            record.set("endDate", FoundValue::date(end, 0.95));
        }
    }
}

pub(crate) fn form_entries(fields: Vec<LabelledValue>) -> Vec<Vec<LabelledValue>> {
    let mut entries: Vec<Vec<LabelledValue>> = Vec::new();
    for field in fields {
        match entries.last_mut() {
            Some(entry) if entry.iter().all(|other| other.label != field.label) => entry.push(field),
            _ => entries.push(vec![field]),
        }
    }
    entries
}
