//! Requirements: what must be met, and what is nice to have.

use std::sync::LazyLock;

use regex::Regex;

use crate::advert::{Advert, AdvertSection, AdvertSpan};
use crate::posting::ParsedPosting;

/// Requirements of one kind are listed to here.
const REQUIREMENTS_MAX: usize = 40;
const REQUIREMENT_CHARS: std::ops::RangeInclusive<usize> = 2..=400;

/// A line that says of itself that it is optional.
static OPTIONAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)nice[ -]to[ -]have|\bpreferred\b|preferably|\bis (?:a|an) (?:\w+ )?(?:plus|bonus|advantage|asset)\b|\ba plus\b|desirable|\bideally\b|von vorteil|wünschenswert|idealerweise|\bun (?:plus|atout)\b|souhaité|deseable|se valora").expect("the pattern is fixed")
});

/// Sentences that ask for something, in a text without headings.
static ASKING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:must (?:have|be)|you (?:have|bring|need|know|should)|(?:is|are) required|required\b|we expect|we require|at least \d+ years|minimum of|\d\+? years of|sie (?:haben|bringen|verfügen)|du (?:hast|bringst)|vous (?:avez|maîtrisez|disposez)|erforderlich|imprescindible)").expect("the pattern is fixed")
});

static YEARS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\d{1,2}|one|two|three|four|five|six|seven|eight|ten)\s*(?:\+|plus|or more)?\s*(?:(?:-|–|to|bis)\s?\d{1,2}\s*)?(?:years?|yrs|jahren?|ans|années|años)\b").expect("the pattern is fixed")
});

/// Fills `must`, `nice` and the months of experience.
pub(crate) fn read(advert: &Advert, parsed: &mut ParsedPosting) {
    let mut items = listed(advert);
    if !items.iter().any(|(_, optional)| !optional) {
        items.extend(said(advert));
    }
    for (span, optional) in items {
        let (list, name) = if optional { (&mut parsed.nice, "nice") } else { (&mut parsed.must, "must") };
        let text = span.of(&advert.text).trim_end_matches(['.', ';', ',']).trim_end();
        let fits = REQUIREMENT_CHARS.contains(&text.chars().count());
        if !fits || list.len() >= REQUIREMENTS_MAX || list.iter().any(|other| other == text) {
            continue;
        }
        let path = format!("/{name}/{}", list.len());
        list.push(text.to_owned());
        let end = span.start + text.len();
        parsed.note(path, AdvertSpan::new(span.start, end));
        if !optional {
            years(advert, AdvertSpan::new(span.start, end), parsed);
        }
    }
}

/// The items of the sections that ask for something, and true for those that are optional.
fn listed(advert: &Advert) -> Vec<(AdvertSpan, bool)> {
    let mut found = Vec::new();
    for line in &advert.lines {
        let optional = match line.section {
            _ if line.is_heading => continue,
            AdvertSection::Must => false,
            AdvertSection::Nice => true,
            _ => continue,
        };
        let pieces = match line.is_item {
            true => vec![line.span],
            false => split(&advert.text, line.span),
        };
        found.extend(
            pieces.into_iter().map(|span| (span, optional || OPTIONAL.is_match(span.of(&advert.text)))),
        );
    }
    found
}

/// Parts of a paragraph: at semicolons, else at the ends of sentences.
fn split(text: &str, span: AdvertSpan) -> Vec<AdvertSpan> {
    static ENDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[.!?](?:\s+|$)").expect("the pattern is fixed"));
    let written = span.of(text);
    let mut cuts: Vec<(usize, usize)> =
        written.match_indices(';').map(|(at, mark)| (at, at + mark.len())).collect();
    if cuts.is_empty() {
        cuts = ENDS
            .find_iter(written)
            .filter(|found| !is_abbreviation(&written[..found.start()]))
            .map(|found| (found.start(), found.end()))
            .collect();
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for (end, next) in cuts {
        parts.push(AdvertSpan::new(span.start + from, span.start + end));
        from = next;
    }
    parts.push(AdvertSpan::new(span.start + from, span.end));
    parts.into_iter().map(|part| part.trimmed(text)).filter(|part| !part.is_empty()).collect()
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    word.contains('.')
        || matches!(word, "etc" | "z.B" | "incl" | "inkl" | "min" | "ca" | "approx" | "e.g" | "i.e")
}

/// Sentences that ask for something, wherever they stand.
fn said(advert: &Advert) -> Vec<(AdvertSpan, bool)> {
    let asks = [AdvertSection::Offer, AdvertSection::Apply, AdvertSection::Nice];
    let lines = advert.lines.iter().filter(|line| !line.is_heading && !asks.contains(&line.section));
    let sentences = lines.flat_map(|line| split(&advert.text, line.span));
    sentences
        .filter_map(|span| {
            let text = span.of(&advert.text);
            let optional = OPTIONAL.is_match(text);
            (optional || ASKING.is_match(text)).then_some((span, optional))
        })
        .collect()
}

fn years(advert: &Advert, span: AdvertSpan, parsed: &mut ParsedPosting) {
    let Some((months, said)) = named_months(span.of(&advert.text)) else { return };
    let before =
        parsed.posting.experience_requirements.as_ref().map_or(0, |before| before.months_of_experience);
    if months > before {
        parsed.posting.experience_requirements =
            Some(crate::posting::ExperienceMonths { months_of_experience: months });
        parsed.note(
            "/posting/experienceRequirements",
            AdvertSpan::new(span.start + said.start, span.start + said.end),
        );
    }
}

/// Months of the first years that a text names.
pub(crate) fn months_in(text: &str) -> Option<u32> {
    named_months(text).map(|(months, _)| months)
}

fn named_months(text: &str) -> Option<(u32, std::ops::Range<usize>)> {
    const WORDS: [(&str, u32); 9] = [
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("ten", 10),
    ];
    let found = YEARS.captures(text)?;
    let said = found[1].to_lowercase();
    let years: Option<u32> =
        said.parse().ok().or_else(|| WORDS.iter().find(|(word, _)| *word == said).map(|(_, years)| *years));
    Some((years? * 12, found.get(0)?.range()))
}
