//! Contact data: e-mail, telephone, web addresses, and the place of residence.

use std::sync::LazyLock;

use regex::Regex;

use crate::dates;
use crate::draft::{FoundValue, Record};
use crate::labels::{self, LineLabel};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::sections::{ResumeSection, SectionKind};
use crate::words::{PlaceNameKind, place};

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\b")
        .expect("the pattern is fixed")
});

static PHONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\+|\(\+?)?\(?\d[\d \u{a0}().\-/–]{5,}\d").expect("the pattern is fixed")
});

static URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)(?:https?://|www\.)[^\s|,;<>()"]+[^\s|,;<>().:"]"#,
        r"|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|me|edu|eu|de|fr|es|it|pt|nl|uk|ch|at|be|se|no|dk|pl|br|mx|ca|au|in|cn|jp|info|design|app|ai|tech|page|site|social|scot)(?:/[^\s|,;<>()]*[^\s|,;<>().:])?",
    ))
    .expect("the pattern is fixed")
});

/// Hosts of personal profile pages.
const NETWORKS: [(&str, &str); 19] = [
    ("linkedin", "LinkedIn"),
    ("github", "GitHub"),
    ("gitlab", "GitLab"),
    ("bitbucket", "Bitbucket"),
    ("twitter", "Twitter"),
    ("xing", "Xing"),
    ("behance", "Behance"),
    ("dribbble", "Dribbble"),
    ("stackoverflow", "Stack Overflow"),
    ("medium", "Medium"),
    ("instagram", "Instagram"),
    ("facebook", "Facebook"),
    ("youtube", "YouTube"),
    ("orcid", "ORCID"),
    ("mastodon", "Mastodon"),
    ("researchgate", "ResearchGate"),
    ("kaggle", "Kaggle"),
    ("codepen", "CodePen"),
    ("soundcloud", "SoundCloud"),
];

/// Digits of a telephone number.
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// The parts of a line to ignore when searching for names and places.
pub(crate) struct Contacts {
    pub(crate) email: Option<FoundValue>,
    pub(crate) phone: Option<FoundValue>,
    pub(crate) url: Option<FoundValue>,
    pub(crate) profiles: Vec<Record>,
    /// The positions of all of these.
    pub(crate) taken: Vec<ByteSpan>,
}

pub(crate) fn find(parsed: &ParsedDocument, sections: &[ResumeSection]) -> Contacts {
    let mut contacts =
        Contacts { email: None, phone: None, url: None, profiles: Vec::new(), taken: Vec::new() };
    emails(parsed, &mut contacts);
    let near = lines_of_contact(sections);
    for (_, span) in &near {
        urls(parsed, *span, &mut contacts);
    }
    for (_, span) in &near {
        phones(parsed, *span, &mut contacts);
    }
    contacts
}

/// The top and the contact section; everything if there is neither.
pub(crate) fn lines_of_contact(sections: &[ResumeSection]) -> Vec<(usize, ByteSpan)> {
    let of_kind = |kinds: &[SectionKind]| -> Vec<(usize, ByteSpan)> {
        sections
            .iter()
            .filter(|section| kinds.contains(&section.kind))
            .flat_map(|section| section.spans.clone())
            .collect()
    };
    let near = of_kind(&[SectionKind::Top, SectionKind::Contact]);
    if near.is_empty() { sections.iter().flat_map(|section| section.spans.clone()).collect() } else { near }
}

fn emails(parsed: &ParsedDocument, contacts: &mut Contacts) {
    for found in EMAIL.find_iter(&parsed.text) {
        let span = ByteSpan::new(found.start(), found.end());
        contacts.taken.push(span);
        contacts.email.get_or_insert_with(|| FoundValue::text(parsed, span, 0.99));
    }
}

fn urls(parsed: &ParsedDocument, line: ByteSpan, contacts: &mut Contacts) {
    for found in URL.find_iter(line.of(&parsed.text)) {
        let span =
            with_next_line(parsed, line, ByteSpan::new(line.start + found.start(), line.start + found.end()));
        if contacts.taken.iter().any(|taken| taken.start < span.end && span.start < taken.end) {
            continue;
        }
        contacts.taken.push(span);
        match profile(parsed, span) {
            Some(profile) => contacts.profiles.push(profile),
            None => {
                contacts.url.get_or_insert_with(|| FoundValue {
                    value: with_scheme(span.of(&parsed.text)),
                    span,
                    confidence: 0.9,
                });
            }
        }
    }
}

/// An address that was broken after a dot at the end of its line continues in the next.
fn with_next_line(parsed: &ParsedDocument, line: ByteSpan, found: ByteSpan) -> ByteSpan {
    let broken = parsed.text[found.end..line.end].trim() == "." && found.of(&parsed.text).contains("://");
    let rest = &parsed.text[line.end..];
    let next = rest.trim_start();
    let length = next
        .find(|character: char| !character.is_ascii_alphanumeric() && !"./-_".contains(character))
        .unwrap_or(next.len());
    let start = line.end + rest.len() - next.len();
    if broken && length > 1 { ByteSpan::new(found.start, start + length) } else { found }
}

fn with_scheme(written: &str) -> String {
    let written: String = written.split_whitespace().collect();
    if written.contains("://") { written } else { format!("https://{written}") }
}

fn profile(parsed: &ParsedDocument, span: ByteSpan) -> Option<Record> {
    let written = span.of(&parsed.text);
    let bare = written.split_once("://").map_or(written, |(_, rest)| rest);
    let (host, path) = bare.split_once('/')?;
    let host = host.to_lowercase();
    let (_, network) = NETWORKS.iter().find(|(part, _)| host.split('.').any(|label| label == *part))?;
    let mut record = Record::default();
    record.set("network", FoundValue { value: (*network).to_owned(), span, confidence: 0.95 });
    if let Some(name) = path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()) {
        let start = span.start + written.rfind(name).expect("it was cut out of this");
        let start = start + usize::from(name.starts_with('@'));
        record.set(
            "username",
            FoundValue::text(parsed, ByteSpan::new(start, start + name.trim_start_matches('@').len()), 0.9),
        );
    }
    record.set("url", FoundValue { value: with_scheme(written), span, confidence: 0.95 });
    Some(record)
}

fn phones(parsed: &ParsedDocument, line: ByteSpan, contacts: &mut Contacts) {
    let text = line.of(&parsed.text);
    for found in PHONE.find_iter(text) {
        let span = ByteSpan::new(line.start + found.start(), line.start + found.end())
            .stripped(&parsed.text, &['-', '/', '–', '.']);
        let digits = span.of(&parsed.text).chars().filter(char::is_ascii_digit).count();
        let in_url = contacts.taken.iter().any(|taken| taken.start < span.end && span.start < taken.end);
        if in_url || !DIGITS.contains(&digits) || is_time(span.of(&parsed.text)) {
            continue;
        }
        contacts.taken.push(span);
        contacts.phone.get_or_insert_with(|| FoundValue::text(parsed, span, 0.93));
    }
}

/// `2011 – 2017` has eight digits too.
fn is_time(text: &str) -> bool {
    let dated: usize = dates::periods(text, 0).iter().map(|period| period.span.end - period.span.start).sum();
    dated * 2 > text.len()
}

/// The rest of a line without the taken parts, split at the marks between contacts.
pub(crate) fn segments(parsed: &ParsedDocument, line: ByteSpan, taken: &[ByteSpan]) -> Vec<ByteSpan> {
    let mut cuts: Vec<ByteSpan> = taken.iter().copied().filter(|span| line.contains(*span)).collect();
    cuts.sort_by_key(|span| span.start);
    let mut pieces = Vec::new();
    let mut from = line.start;
    for cut in cuts.into_iter().chain([ByteSpan::new(line.end, line.end)]) {
        if cut.start > from {
            pieces.extend(split_marks(parsed, ByteSpan::new(from, cut.start)));
        }
        from = from.max(cut.end);
    }
    pieces
}

static MARKS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[|•·●▪◦\t⋄∙‖]|\s/\s|\s[-–—]\s|;|\s{3,}").expect("the pattern is fixed"));

fn split_marks(parsed: &ParsedDocument, span: ByteSpan) -> Vec<ByteSpan> {
    let text = span.of(&parsed.text);
    let mut pieces = Vec::new();
    let mut from = 0;
    for mark in MARKS.find_iter(text).map(|mark| mark.range()).chain(std::iter::once(text.len()..text.len()))
    {
        let piece = ByteSpan::new(span.start + from, span.start + mark.start);
        pieces.push(piece.stripped(&parsed.text, &[',', ':', '/', '(', ')', '-', '–']));
        from = mark.end;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The place of residence: the first place among the contacts.
pub(crate) fn location(
    parsed: &ParsedDocument,
    sections: &[ResumeSection],
    contacts: &Contacts,
    taken_too: &[ByteSpan],
) -> Record {
    let taken: Vec<ByteSpan> = contacts.taken.iter().chain(taken_too).copied().collect();
    let mut second = Record::default();
    for (_, line) in lines_of_contact(sections) {
        for segment in segments(parsed, line, &taken) {
            match read_place(parsed, segment) {
                Some((record, true)) => return record,
                Some((record, false)) if second.is_empty() => second = record,
                _ => {}
            }
        }
    }
    second
}

/// A place and whether a part of it is known to be one.
fn read_place(parsed: &ParsedDocument, segment: ByteSpan) -> Option<(Record, bool)> {
    let (said, segment) = match labels::leading(segment.of(&parsed.text)) {
        Some((LineLabel::Address, rest)) => {
            (true, ByteSpan::new(segment.end - rest.len(), segment.end).trimmed(&parsed.text))
        }
        Some(_) => return None,
        None => (false, segment),
    };
    let parts = comma_parts(parsed, segment);
    let names: Vec<&str> = parts.iter().map(|part| part.of(&parsed.text)).collect();
    let known: Vec<Option<PlaceNameKind>> = names.iter().map(|name| place(name)).collect();
    let is_region = |at: usize| matches!(known[at], Some(PlaceNameKind::Country | PlaceNameKind::State));
    let last = (0..parts.len()).rev().find(|at| *at > 0 && is_region(*at));
    let city_at = match last {
        Some(at) => at - 1,
        None => known
            .iter()
            .position(|kind| *kind == Some(PlaceNameKind::City))
            .or_else(|| unknown_place(&names, said))?,
    };
    let city = without_code(parsed, parts[city_at]);
    let city = city_at_end(city.of(&parsed.text)).map_or(city, |at| ByteSpan::new(city.start + at, city.end));
    let sure = last.is_some() || known[city_at].is_some() || said;
    let confidence = if sure { 0.85 } else { 0.5 };
    let mut record = Record::default();
    record.set("city", FoundValue::text(parsed, city, confidence));
    if let Some(region) = last.or_else(|| (city_at + 1 < parts.len()).then_some(city_at + 1)) {
        record.set("region", FoundValue::text(parsed, parts[region], confidence));
    }
    Some((record, sure))
}

/// Two names with a comma between them, in the place of an address.
fn unknown_place(names: &[&str], said: bool) -> Option<usize> {
    let named = |name: &&str| {
        name.starts_with(char::is_uppercase)
            && !name.contains(char::is_numeric)
            && name.split(' ').count() <= 3
    };
    ((said && !names.is_empty())
        || (names.len() == 2 && names.iter().all(named) && crate::words::TITLES.count(names[0]) == 0))
        .then_some(0)
}

fn comma_parts(parsed: &ParsedDocument, span: ByteSpan) -> Vec<ByteSpan> {
    let text = span.of(&parsed.text);
    let mut from = 0;
    let mut parts = Vec::new();
    for at in text.match_indices([',', '，']).map(|(at, _)| at).chain([text.len()]) {
        parts.push(ByteSpan::new(span.start + from, span.start + at).stripped(&parsed.text, &[',', '，']));
        from = at;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Without the postal code before or after the name.
fn without_code(parsed: &ParsedDocument, span: ByteSpan) -> ByteSpan {
    let text = span.of(&parsed.text);
    let code = |word: &str| word.chars().any(|character| character.is_ascii_digit());
    let mut words = text.split(' ').filter(|word| !word.is_empty() && !code(word));
    let (Some(first), last) = (words.next(), words.next_back()) else { return span };
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let last = last.unwrap_or(first);
    ByteSpan::new(span.start + offset(first), span.start + offset(last) + last.len())
}

/// The start of a known city at the end of a text.
pub(crate) fn city_at_end(text: &str) -> Option<usize> {
    const WORDS_MAX: usize = 3;
    let starts = text.match_indices(' ').map(|(at, _)| at + 1).collect::<Vec<_>>();
    let near = starts.into_iter().rev().take(WORDS_MAX).collect::<Vec<_>>();
    near.into_iter().rev().find(|at| place(&text[*at..]) == Some(PlaceNameKind::City))
}
