//! The employer: labelled, beside the title, or the subject of a sentence about itself.

use std::sync::LazyLock;

use regex::Regex;
use resume_profile_mcp::shared;

use super::labels::{JobLabel, LabelledValues};
use super::{places, terms};
use crate::advert::{Advert, AdvertSection, AdvertSpan};
use crate::posting::{NamedThing, ParsedPosting};

const NAME_CHARS: std::ops::RangeInclusive<usize> = 2..=80;
/// Lines at the beginning that may name the employer.
const LINES_SEARCHED: usize = 5;

/// `Engineer at Acme`, `Entwickler bei Acme`.
static AT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s(?:at|@|bei|chez|presso)\s+(?:the\s+|der\s+)?(\p{Lu}[^|·•\n,(]{1,60})")
        .expect("the pattern is fixed")
});

/// A name that does something: `Acme Ltd is looking for`, `Die Acme GmbH sucht`.
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[.!?]\s+)(?:The\s+|Die\s+|Der\s+|Das\s+|At\s+|Here at\s+)?(\p{Lu}[\p{L}\d.&+'’-]*(?:\s+(?:\p{Lu}[\p{L}\d.&+'’-]*|&|of|and|und|de|des|du|la|the|für|plc|mbH))*)\s*(?:,[^,\n]{2,60},)?\s+(?:is|are|has|was|sucht|suchen|recrute|recherche|busca|cerca|zoekt|seeks|offers|develops|provides|builds|makes|operates|ist|hat|bietet|entwickelt|est|propose|développe|needs|wants)\b").expect("the pattern is fixed")
});

/// `Join Acme`, `About Acme`.
static JOINED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[.!?]\s+)(?:Join|About|Über|Working at|Why)\s+(\p{Lu}[\p{L}\d.&+'’-]*(?:\s+(?:\p{Lu}[\p{L}\d.&+'’-]*|&))*)").expect("the pattern is fixed")
});

/// Subjects of sentences that are no employers.
const NO_NAMES: &str = " we you this that the it our your they there all what who as if in for to please he she i a an role position job team candidate successful applicants application applications candidates experience knowledge ability work employment salary compensation hybrid remote working sie wir ihr du das die der es ihre nous vous votre notre ce cette il elle le la les nosotros tu usted us";

pub(super) fn read(advert: &Advert, labelled: &LabelledValues, parsed: &mut ParsedPosting) {
    if parsed.posting.hiring_organization.is_some() {
        return;
    }
    let found = labelled
        .find(JobLabel::Employer)
        .or_else(|| beside_title(advert))
        .or_else(|| in_head(advert, labelled, parsed))
        .or_else(|| subject(advert, &SUBJECT))
        .or_else(|| subject(advert, &JOINED));
    let Some(span) = found else { return };
    parsed.note("/posting/hiringOrganization", span);
    parsed.posting.hiring_organization = Some(NamedThing { name: span.of(&advert.text).to_owned() });
}

fn beside_title(advert: &Advert) -> Option<AdvertSpan> {
    let line = advert.lines.first()?;
    let written = advert.line(line);
    let found = AT.captures(written)?.get(1)?;
    // Of `at Acme in Berlin` the place is another field.
    let name = found.as_str();
    let name = name.split(" in ").next().unwrap_or(name).split(" - ").next().unwrap_or(name);
    let start = line.span.start + found.start();
    Some(AdvertSpan::new(start, start + name.len()).trimmed(&advert.text)).filter(|_| !written.ends_with('.'))
}

/// A part of the first lines that is neither title nor place nor anything else that is known.
fn in_head(advert: &Advert, labelled: &LabelledValues, parsed: &ParsedPosting) -> Option<AdvertSpan> {
    let title = parsed.posting.title.as_deref().unwrap_or_default();
    let lines = advert.head().take(LINES_SEARCHED).filter(|line| !labelled.begins_in(line.span));
    let short = lines.filter(|line| {
        let written = advert.line(line);
        !places::is_sentence(written) && !written.ends_with(':')
    });
    let parts = short.flat_map(|line| places::parts(&advert.text, line.span)).filter(|part| {
        let text = part.of(&advert.text);
        let fits = NAME_CHARS.contains(&text.chars().count())
            && text.starts_with(|first: char| first.is_uppercase() || first.is_ascii_digit());
        let other = text.contains(title) && !title.is_empty()
            || terms::is_about_terms(text)
            || text.contains(['@', '€', '$', '£']);
        fits && !other && !places::is_placelike(text)
    });
    let parts: Vec<AdvertSpan> = parts.collect();
    let named = parts.iter().find(|part| shared::employer_words(part.of(&advert.text)) > 0);
    named.or(parts.first()).copied().filter(|part| part.of(&advert.text).split_whitespace().count() <= 8)
}

fn subject(advert: &Advert, pattern: &Regex) -> Option<AdvertSpan> {
    let aside = |at: usize| {
        let line = advert.lines.iter().find(|line| line.span.start <= at && at <= line.span.end);
        line.is_some_and(|line| {
            matches!(line.section, AdvertSection::Must | AdvertSection::Nice | AdvertSection::Tasks)
        })
    };
    pattern.captures_iter(&advert.text).filter_map(|found| found.get(1)).find_map(|name| {
        let first = name.as_str().split_whitespace().next().unwrap_or_default().to_lowercase();
        let last = name.as_str().split_whitespace().next_back().unwrap_or_default().to_lowercase();
        let known = NO_NAMES.split_whitespace().any(|word| word == first || word == last);
        let fits = !known && !aside(name.start()) && NAME_CHARS.contains(&name.as_str().chars().count());
        (fits && shared::occupation_words(&last) == 0).then(|| AdvertSpan::new(name.start(), name.end()))
    })
}
