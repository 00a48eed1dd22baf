//! The person: the name, and the words below it about their occupation.

use crate::contact::{Contacts, segments};
use crate::dates;
use crate::draft::FoundValue;
use crate::labels::{self, LineLabel};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::sections::{LineLooks, ResumeSection, SectionKind};
use crate::words::{ORGANISATIONS, SCHOOLS, TITLES, fold, place, words_of};

/// The number of words in a name.
const NAME_WORDS: std::ops::RangeInclusive<usize> = 1..=6;
/// The minimum score of a name.
const SCORE_MIN: f32 = 1.2;
/// The number of lines of the first page that are searched for a name.
const LINES_MAX: usize = 60;

/// A name with its line.
pub(crate) struct Name {
    pub(crate) found: FoundValue,
    pub(crate) line: usize,
}

pub(crate) fn name(parsed: &ParsedDocument, sections: &[ResumeSection], contacts: &Contacts) -> Option<Name> {
    let looks = LineLooks::of(parsed);
    let headings: Vec<usize> = sections.iter().filter_map(|section| section.heading).collect();
    let mut best: Option<(f32, Name)> = None;
    for (rank, index) in
        (0..parsed.lines.len().min(LINES_MAX)).filter(|index| !headings.contains(index)).enumerate()
    {
        let line = &parsed.lines[index];
        for segment in segments(parsed, line.span, &contacts.taken) {
            let (said, span) = said_name(parsed, segment);
            let score = score(parsed, &looks, index, rank, span, contacts) + if said { 2.0 } else { 0.0 };
            if score >= SCORE_MIN && best.as_ref().is_none_or(|(other, _)| score > *other) {
                let confidence = (score / 4.0).clamp(0.35, 0.97);
                best = Some((score, Name { found: FoundValue::text(parsed, span, confidence), line: index }));
            }
        }
    }
    best.map(|(_, name)| name)
}

fn said_name(parsed: &ParsedDocument, segment: ByteSpan) -> (bool, ByteSpan) {
    match labels::leading(segment.of(&parsed.text)) {
        Some((LineLabel::Name, rest)) => {
            (true, ByteSpan::new(segment.end - rest.len(), segment.end).trimmed(&parsed.text))
        }
        _ => (false, before_place(parsed, segment)),
    }
}

/// `JANE DOE Chicago, IL` in one line: the name ends where the place begins.
fn before_place(parsed: &ParsedDocument, segment: ByteSpan) -> ByteSpan {
    let text = segment.of(&parsed.text);
    let Some((before, _)) = text.split_once(',') else { return segment };
    match crate::contact::city_at_end(before) {
        Some(at) if at > 0 => ByteSpan::new(segment.start, segment.start + at).trimmed(&parsed.text),
        _ => segment,
    }
}

fn score(
    parsed: &ParsedDocument,
    looks: &LineLooks,
    index: usize,
    rank: usize,
    span: ByteSpan,
    contacts: &Contacts,
) -> f32 {
    let text = span.of(&parsed.text);
    if !has_shape_of_name(text) || parsed.lines[index].item {
        return 0.0;
    }
    let line = &parsed.lines[index];
    let size = (looks.scale(line) - 1.0).clamp(0.0, 1.0) * 1.6;
    let early = 1.0 / (1.0 + rank as f32 * 0.35);
    let bold = if line.bold || line.heading.is_some() { 0.3 } else { 0.0 };
    let words = if words_of(text).count() >= 2 || !text.is_ascii() { 0.5 } else { 0.0 };
    let address = contacts.email.as_ref().map_or(0.0, |email| 1.6 * alike(text, &email.value));
    let other = TITLES.count(text)
        + ORGANISATIONS.count(text)
        + SCHOOLS.count(text)
        + usize::from(place(text).is_some());
    size + early + bold + words + address - if other > 0 { 1.5 } else { 0.0 }
}

fn has_shape_of_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins_small = |word: &&str| word.starts_with(char::is_lowercase);
    let small = words.iter().filter(|word| begins_small(word)).count();
    NAME_WORDS.contains(&words.len())
        && !text.contains(|character: char| character.is_numeric() || "@:/|;,!?".contains(character))
        && small * 2 <= words.len()
        && text.chars().any(char::is_alphabetic)
        && !is_title_of_document(text)
        && text.chars().count() >= 2
}

fn is_title_of_document(text: &str) -> bool {
    let folded = fold(text);
    [
        "curriculum vitae",
        "curriculum",
        "lebenslauf",
        "resume",
        "cv",
        "europass",
        "curriculo",
        "personal information",
    ]
    .iter()
    .any(|title| {
        folded == *title || folded.starts_with(&format!("{title} ")) || folded.ends_with(&format!(" {title}"))
    })
}

/// The similarity of a name and an address such as `amara.okonkwo@…`: 0 to 1.
fn alike(name: &str, email: &str) -> f32 {
    let address = letters(email.split('@').next().unwrap_or_default());
    let words: Vec<String> = words_of(name).map(letters).filter(|word| word.len() > 2).collect();
    if words.is_empty() || address.is_empty() {
        return 0.0;
    }
    let hits = words.iter().filter(|word| address.contains(word.as_str())).count();
    hits as f32 / words.len() as f32
}

/// As in addresses: ä becomes ae or a.
fn letters(text: &str) -> String {
    let spelled = text
        .to_lowercase()
        .replace('ä', "ae")
        .replace('ö', "oe")
        .replace('ü', "ue")
        .replace('ß', "ss")
        .replace('ı', "i");
    fold(&spelled).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The occupation, from the line below the name or a form.
pub(crate) fn label(
    parsed: &ParsedDocument,
    sections: &[ResumeSection],
    contacts: &Contacts,
    name: &Name,
) -> Option<FoundValue> {
    let headings: Vec<usize> = sections.iter().filter_map(|section| section.heading).collect();
    let top: Vec<(usize, ByteSpan)> = sections
        .iter()
        .filter(|section| matches!(section.kind, SectionKind::Top | SectionKind::Contact))
        .flat_map(|section| section.spans.clone())
        .collect();
    if let Some(said) =
        labels::read(parsed, &top).into_iter().find(|labelled| labelled.label == LineLabel::Occupation)
    {
        return Some(FoundValue::text(parsed, said.span, 0.9));
    }
    let below = (name.line..parsed.lines.len()).take_while(|index| !headings.contains(index)).take(4);
    let candidates = below.flat_map(|index| segments(parsed, parsed.lines[index].span, &contacts.taken));
    let below = candidates.filter(|span| span.start >= name.found.span.end);
    let fitting: Vec<ByteSpan> = below.filter(|span| is_label(parsed, *span)).collect();
    let best = fitting.iter().find(|span| TITLES.count(span.of(&parsed.text)) > 0).or(fitting.first())?;
    Some(FoundValue::text(parsed, *best, if TITLES.count(best.of(&parsed.text)) > 0 { 0.85 } else { 0.55 }))
}

fn is_label(parsed: &ParsedDocument, span: ByteSpan) -> bool {
    let text = span.of(&parsed.text);
    let parts: Vec<&str> = text.split(", ").collect();
    let somewhere = parts.iter().any(|part| place(part).is_some());
    let short = text.chars().count() <= 90 && !text.ends_with('.');
    short
        && !somewhere
        && !text.contains(char::is_numeric)
        && dates::periods(text, 0).is_empty()
        && labels::leading(text).is_none()
}
