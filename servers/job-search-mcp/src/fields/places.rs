//! Places of work: labelled, in the first lines, or behind `in` in the first sentences.

use std::sync::LazyLock;

use regex::Regex;
use resume_profile_mcp::shared;

use super::labels::{JobLabel, LabelledValues};
use crate::advert::{Advert, AdvertSection, AdvertSpan};
use crate::posting::{JobAddress, JobPlace, NamedThing, ParsedPosting};

const PLACES_MAX: usize = 10;
const LINES_SEARCHED: usize = 6;
const PLACE_CHARS_MAX: usize = 60;

static SEPARATORS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*[|·•]\s*|\s+[-–—]\s+|\t+|\s{3,}|\s+(?:at|bei|chez)\s+|\s+recrute\s*:\s*")
        .expect("the pattern is fixed")
});

static SEVERAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*(?:;|/|\bor\b|\boder\b|\bou\b|\band\b|\bund\b)\s*").expect("the pattern is fixed")
});

/// `in Berlin, Germany`
static INSIDE: LazyLock<Regex> = LazyLock::new(|| {
    const WORD: &str = r"(?:St\.|\p{Lu}[\p{L}'’-]*)";
    Regex::new(&format!(
        r"\b(?:in|In|à|en|nach|près de|near)\s+({WORD}(?:[ -]{WORD}){{0,3}}(?:,\s{WORD}(?: {WORD}){{0,2}}){{0,2}})"
    ))
    .expect("the pattern is fixed")
});

/// `remote within the UK`, `anywhere in the EU`
static WITHIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i:remote|home|anywhere|télétravail|homeoffice)\s+(?:(?i:with)?in|(?i:from|across|en|au))\s+(?:the\s+)?((?:\p{Lu}[\p{L}.]*)(?: \p{Lu}[\p{L}.]*){0,2})").expect("the pattern is fixed")
});

pub(super) fn read(advert: &Advert, labelled: &LabelledValues, parsed: &mut ParsedPosting) {
    within(advert, parsed);
    if !parsed.posting.job_location.is_empty() {
        return;
    }
    let mut found = labelled.find(JobLabel::Location).map(|span| several(advert, span)).unwrap_or_default();
    if found.is_empty() {
        found = in_head(advert);
    }
    if found.is_empty() {
        found.extend(in_sentence(advert));
    }
    for span in found.into_iter().take(PLACES_MAX) {
        let place = JobPlace { address: address(span.of(&advert.text)) };
        if !parsed.posting.job_location.contains(&place) {
            parsed.note(format!("/posting/jobLocation/{}", parsed.posting.job_location.len()), span);
            parsed.posting.job_location.push(place);
        }
    }
}

/// The place that a text names, as it is written.
pub(crate) fn place_of(advert: &Advert) -> Option<String> {
    let labelled = LabelledValues::of(advert);
    let mut found = labelled.find(JobLabel::Location).map(|span| several(advert, span)).unwrap_or_default();
    if found.is_empty() {
        found = in_head(advert);
    }
    found.first().copied().or_else(|| in_sentence(advert)).map(|span| span.of(&advert.text).to_owned())
}

/// The regions that remote workers must live in.
fn within(advert: &Advert, parsed: &mut ParsedPosting) {
    let Some(name) = WITHIN.captures(&advert.text).and_then(|found| found.get(1)) else { return };
    parsed.note("/posting/applicantLocationRequirements/0", AdvertSpan::new(name.start(), name.end()));
    parsed.posting.applicant_location_requirements = vec![NamedThing { name: name.as_str().to_owned() }];
}

/// The parts of a line between separators.
pub(super) fn parts(text: &str, span: AdvertSpan) -> Vec<AdvertSpan> {
    cut(text, span, &SEPARATORS)
}

fn cut(text: &str, span: AdvertSpan, at: &Regex) -> Vec<AdvertSpan> {
    let mut from = span.start;
    let mut parts = Vec::new();
    for mark in at.find_iter(span.of(text)) {
        parts.push(AdvertSpan::new(from, span.start + mark.start()));
        from = span.start + mark.end();
    }
    parts.push(AdvertSpan::new(from, span.end));
    parts.into_iter().map(|part| part.trimmed(text)).filter(|part| !part.is_empty()).collect()
}

/// Remote is a rule, and no place.
fn several(advert: &Advert, span: AdvertSpan) -> Vec<AdvertSpan> {
    let places = parts(&advert.text, span).into_iter().flat_map(|part| cut(&advert.text, part, &SEVERAL));
    let bare = places.map(|part| without_brackets(&advert.text, part));
    bare.filter(|part| !part.is_empty() && !is_rule(part.of(&advert.text))).collect()
}

fn without_brackets(text: &str, span: AdvertSpan) -> AdvertSpan {
    let written = span.of(text);
    let end = written.find(['(', '[']).unwrap_or(written.len());
    AdvertSpan::new(span.start, span.start + end).trimmed(text)
}

fn is_rule(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "remote",
        "hybrid",
        "anywhere",
        "worldwide",
        "home office",
        "homeoffice",
        "on-site",
        "onsite",
        "télétravail",
    ]
    .iter()
    .any(|rule| lower.contains(rule))
}

fn in_head(advert: &Advert) -> Vec<AdvertSpan> {
    let lines = advert.head().take(LINES_SEARCHED).filter(|line| !is_sentence(advert.line(line)));
    let mut found = lines.map(|line| {
        let parts = parts(&advert.text, line.span).into_iter();
        parts.filter(|part| is_placelike(part.of(&advert.text))).collect::<Vec<_>>()
    });
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// A line with separators is none, even if a PDF has put the next paragraph behind it.
pub(super) fn is_sentence(line: &str) -> bool {
    line.ends_with(['.', '!', '?']) && !line.contains(['·', '|', '•'])
}

/// `Berlin`, `Austin, TX`, `Springfield, United Kingdom`: the names are known, or the last one is.
pub(super) fn is_placelike(text: &str) -> bool {
    let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let capital = |name: &&str| name.starts_with(|first: char| first.is_uppercase() || !first.is_ascii());
    let fits = text.chars().count() <= PLACE_CHARS_MAX && names.iter().all(capital) && !is_rule(text);
    match names.as_slice() {
        [name] => fits && shared::is_place(name),
        [first, .., last] => {
            fits && (shared::is_place(last) || shared::is_place(first))
                && shared::occupation_words(first) == 0
        }
        [] => false,
    }
}

/// The first known place behind `in`, else the first name behind `in` in the sentence that is about the job.
fn in_sentence(advert: &Advert) -> Option<AdvertSpan> {
    let sections = [AdvertSection::Head, AdvertSection::Other, AdvertSection::About, AdvertSection::Tasks];
    let lines = advert.lines.iter().filter(|line| sections.contains(&line.section));
    let named: Vec<AdvertSpan> = lines
        .flat_map(|line| {
            INSIDE.captures_iter(advert.line(line)).filter_map(|found| found.get(1)).map(move |name| {
                AdvertSpan::new(line.span.start + name.start(), line.span.start + name.end())
            })
        })
        .map(|span| without_last_point(&advert.text, span))
        .collect();
    let known = named.iter().find(|span| {
        let first = span.of(&advert.text).split(',').next().unwrap_or_default();
        shared::is_place(first) || is_placelike(span.of(&advert.text))
    });
    let in_first = advert.lines.first().map(|line| line.span);
    let first = named.iter().find(|span| {
        in_first.is_some_and(|line| span.start < line.end)
            && shared::skill_name(span.of(&advert.text)).is_none()
    });
    known.or(first).copied()
}

fn without_last_point(text: &str, span: AdvertSpan) -> AdvertSpan {
    AdvertSpan::new(span.start, span.start + span.of(text).trim_end_matches(['.', '\'', '’']).len())
}

/// The names of an address by their kind: the first is the town unless it is a country.
fn address(text: &str) -> JobAddress {
    let mut address = JobAddress::default();
    let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    for (at, name) in names.iter().enumerate() {
        let last = at + 1 == names.len();
        let slot = match () {
            () if at == 0 && (names.len() > 1 || !shared::is_country(name)) => &mut address.address_locality,
            () if shared::is_country(name) && !shared::is_state(name) => &mut address.address_country,
            () if shared::is_state(name) || name.chars().count() <= 3 || !last => &mut address.address_region,
            () => &mut address.address_country,
        };
        slot.get_or_insert_with(|| (*name).to_owned());
    }
    address
}
