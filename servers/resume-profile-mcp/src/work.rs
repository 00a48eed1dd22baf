//! Jobs: position, employer, place, dates, and tasks.

use crate::draft::{Found, Record};
use crate::entries::{self, Anchors, Entry, Row};
use crate::labels::{self, Label, Labelled};
use crate::parsed::{Parsed, Span};
use crate::pieces::{self, Before, Piece};
use crate::sections::Section;
use crate::words::{ORGANISATIONS, TITLES, words_of};

/// The order of position and employer in the entries of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    TitleFirst,
    EmployerFirst,
}

/// The head of one job while it is read: units are the rest besides the place.
struct Head {
    units: Vec<Vec<Piece>>,
    place: Option<Span>,
    /// A word such as "at" decides the order.
    said: bool,
}

pub(crate) fn read(parsed: &Parsed, section: &Section) -> Vec<Record> {
    if labels::is_form(parsed, &section.spans) {
        return form(parsed, section);
    }
    let rows = entries::rows(parsed, section);
    let found = entries::split(parsed, &rows, Anchors::Periods);
    let heads: Vec<Head> = found.iter().map(|entry| head(parsed, entry)).collect();
    let order = order(parsed, &heads);
    found.iter().zip(heads).filter_map(|(entry, head)| record(parsed, entry, head, order)).collect()
}

fn head(parsed: &Parsed, entry: &Entry) -> Head {
    let mut pieces = pieces::of_head(parsed, entry);
    let said = pieces.iter().any(|piece| piece.before == Before::At);
    let place = pieces::take_place(parsed, &mut pieces);
    let mut units: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match units.last_mut() {
            Some(unit) if piece.before < Before::Mark => unit.push(piece),
            _ => units.push(vec![piece]),
        }
    }
    Head { units, place, said }
}

fn whole(unit: &[Piece]) -> Span {
    unit[0].span.to(unit[unit.len() - 1].span)
}

/// Titles sound like titles, employers like employers; the section decides as a whole.
fn order(parsed: &Parsed, heads: &[Head]) -> Order {
    let sound = |span: Span| {
        let text = span.of(&parsed.text);
        TITLES.count(text).min(2) as i32 * 2 - ORGANISATIONS.count(text).min(2) as i32 * 2
    };
    let of_head = |head: &Head| {
        let (first, second) = first_two(head)?;
        Some(if head.said { 4 } else { sound(first) - sound(second) })
    };
    let sum: i32 = heads.iter().filter_map(of_head).sum();
    if sum < 0 { Order::EmployerFirst } else { Order::TitleFirst }
}

fn first_two(head: &Head) -> Option<(Span, Span)> {
    match head.units.as_slice() {
        [] => None,
        [only] if only.len() > 1 => Some((only[0].span, only[1].span)),
        [_] => None,
        [first, second, ..] => Some((whole(first), second[0].span)),
    }
}

fn record(parsed: &Parsed, entry: &Entry, head: Head, order: Order) -> Option<Record> {
    let mut record = Record::default();
    let (title, employer, place) = assign(parsed, &head, order);
    let confidence = if head.units.len() > 1 || head.said { 0.85 } else { 0.7 };
    if let Some(employer) = employer {
        record.set("name", Found::text(parsed, employer, confidence));
    }
    if let Some(title) = title {
        let sure =
            if TITLES.count(title.of(&parsed.text)) > 0 { confidence + 0.1 } else { confidence - 0.15 };
        record.set("position", Found::text(parsed, title, sure));
    }
    if let Some(place) = head.place.or(place) {
        record.set("location", Found::text(parsed, place, 0.75));
    }
    set_period(&mut record, entry);
    add_body(parsed, &mut record, &entry.body);
    (record.get("name").is_some() || record.get("position").is_some()).then_some(record)
}

pub(crate) fn set_period(record: &mut Record, entry: &Entry) {
    let Some(period) = entry.period() else { return };
    if let Some(start) = &period.start {
        record.set("startDate", Found::date(start, 0.93));
    }
    if let Some(end) = &period.end {
        record.set("endDate", Found::date(end, if period.start.is_some() { 0.93 } else { 0.6 }));
    }
}

/// Points are highlights; sentences before them are the summary, or highlights if there are no points.
pub(crate) fn add_body(parsed: &Parsed, record: &mut Record, body: &[Row]) {
    for row in body {
        let text = row.span.of(&parsed.text);
        if words_of(text).count() > 0 {
            record.push("highlights", Found::text(parsed, row.span, if row.item { 0.9 } else { 0.7 }));
        }
    }
}

/// Title, employer, and a place that is not in the list of known places.
fn assign(parsed: &Parsed, head: &Head, order: Order) -> (Option<Span>, Option<Span>, Option<Span>) {
    match head.units.as_slice() {
        [] => (None, None, None),
        [only] => one_unit(parsed, only, order),
        [both, place] if is_place_below(parsed, head, both, place) => {
            let (title, employer, _) = one_unit(parsed, both, order);
            (title, employer, Some(whole(place)))
        }
        [first, second, rest @ ..] => {
            let rest = rest.first().map(|unit| whole(unit));
            match if head.said { Order::TitleFirst } else { order } {
                Order::TitleFirst => {
                    let (employer, tail) = employer_of(parsed, second, head.place);
                    (Some(whole(first)), Some(employer), tail.or(rest))
                }
                Order::EmployerFirst => {
                    let (employer, tail) = employer_of(parsed, first, head.place);
                    (Some(whole(second)), Some(employer), tail.or(rest))
                }
            }
        }
    }
}

/// The text after an employer's name and a comma is its place, unless the place is known already.
fn employer_of(parsed: &Parsed, unit: &[Piece], place: Option<Span>) -> (Span, Option<Span>) {
    let tail = (unit.len() > 1 && place.is_none()).then(|| unit[unit.len() - 1].span);
    match tail {
        Some(tail) if ORGANISATIONS.count(tail.of(&parsed.text)) == 0 => {
            (whole(&unit[..unit.len() - 1]), Some(tail))
        }
        _ => (whole(unit), None),
    }
}

/// `Trainee, Power Supply BV` with a town below that is not known as one.
fn is_place_below(parsed: &Parsed, head: &Head, both: &[Piece], place: &[Piece]) -> bool {
    let employs = |piece: &Piece| ORGANISATIONS.count(piece.span.of(&parsed.text)) > 0;
    let sounds =
        |span: Span| TITLES.count(span.of(&parsed.text)) + ORGANISATIONS.count(span.of(&parsed.text));
    let short = place.len() == 1 && words_of(place[0].span.of(&parsed.text)).count() <= 3;
    !head.said
        && head.place.is_none()
        && both.len() == 2
        && employs(&both[1])
        && short
        && sounds(place[0].span) == 0
}

/// Everything in one line with commas: the first that sounds like the other kind begins it.
fn one_unit(parsed: &Parsed, unit: &[Piece], order: Order) -> (Option<Span>, Option<Span>, Option<Span>) {
    let text = |piece: &Piece| piece.span.of(&parsed.text);
    if unit.len() == 1 {
        let employer = ORGANISATIONS.count(text(&unit[0])) > 0 && TITLES.count(text(&unit[0])) == 0;
        return if employer { (None, Some(unit[0].span), None) } else { (Some(unit[0].span), None, None) };
    }
    let sounds = |piece: &Piece| match order {
        Order::TitleFirst => ORGANISATIONS.count(text(piece)) > 0,
        Order::EmployerFirst => TITLES.count(text(piece)) > 0,
    };
    let second = (1..unit.len()).find(|at| sounds(&unit[*at])).unwrap_or(1);
    let first = whole(&unit[..second]);
    let (other, tail) = match unit.len() > second + 1 {
        true => (unit[second].span, Some(whole(&unit[second + 1..]))),
        false => (unit[second].span, None),
    };
    match order {
        Order::TitleFirst => (Some(first), Some(other), tail),
        Order::EmployerFirst => (Some(other), Some(first), tail),
    }
}

/// Jobs in a form: a repeated label begins the next job.
fn form(parsed: &Parsed, section: &Section) -> Vec<Record> {
    let mut records = Vec::new();
    for fields in form_entries(labels::read(parsed, &section.spans)) {
        let mut record = Record::default();
        for field in fields {
            match field.label {
                Label::Position => record.set("position", Found::text(parsed, field.span, 0.92)),
                Label::Employer => {
                    let mut pieces = pieces::cut(parsed, field.span);
                    let place = pieces::take_place(parsed, &mut pieces);
                    let (name, tail) = employer_of(parsed, &pieces, place);
                    record.set("name", Found::text(parsed, name, 0.9));
                    if let Some(place) = place.or(tail) {
                        record.set("location", Found::text(parsed, place, 0.7));
                    }
                }
                Label::Dates => form_dates(parsed, &mut record, field.span),
                Label::Duties => record.push("highlights", Found::text(parsed, field.span, 0.85)),
                _ => {}
            }
        }
        records.push(record);
    }
    records.retain(|record| record.get("name").is_some() || record.get("position").is_some());
    records
}

pub(crate) fn form_dates(parsed: &Parsed, record: &mut Record, span: Span) {
    if let Some(period) = crate::dates::periods(span.of(&parsed.text), span.start).into_iter().next() {
        if let Some(start) = &period.start {
            record.set("startDate", Found::date(start, 0.95));
        }
        if let Some(end) = &period.end {
            record.set("endDate", Found::date(end, 0.95));
        }
    }
}

pub(crate) fn form_entries(fields: Vec<Labelled>) -> Vec<Vec<Labelled>> {
    let mut entries: Vec<Vec<Labelled>> = Vec::new();
    for field in fields {
        match entries.last_mut() {
            Some(entry) if entry.iter().all(|other| other.label != field.label) => entry.push(field),
            _ => entries.push(vec![field]),
        }
    }
    entries
}
