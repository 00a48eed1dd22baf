//! The title: labelled, in the first lines, or in the sentence that says who is wanted.

use std::sync::LazyLock;

use regex::Regex;
use resume_profile_mcp::shared;

use super::labels::{JobLabel, LabelledValues};
use crate::advert::{Advert, AdvertSpan};
use crate::posting::ParsedPosting;

const TITLE_CHARS_MAX: usize = 100;
const TITLE_WORDS_MAX: usize = 12;
/// Lines at the beginning that may be a title.
const LINES_SEARCHED: usize = 6;

/// Marks that say that anyone may apply: `(m/w/d)`, `(H/F)`, `(all genders)`.
static GENDERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\s*[(\[](?:(?:[mwfdxhig*]|gn|div|all)(?:\s?[/|,*]\s?(?:[mwfdxhig*]|gn|div))+|all genders|gn)[)\]]|\s+(?:m/w/d|w/m/d|m/f/d|f/m/d|m/w/x|h/f|f/h)\b").expect("the pattern is fixed")
});

/// A sentence that says who is wanted. What follows is the title, up to its end.
static HIRING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:looking for|we(?:'re| are) hiring|(?:is|are|now) hiring|\bhiring|seeking|seeks|searching for|in search of|recruiting|join us as|needs|vacancy for|suchen|sucht|recrutons|recrute|recherchons|recherche|buscamos|busca|cerchiamo|procuramos|zoeken|zoekt)(?:\s+(?:wir|zum nächstmöglichen zeitpunkt|ab sofort))?\s*:?\s+(?:(?:an?|eine?n?|une?|una?|um|uma|een|the|our next|another)\s+)?([^.,;:!?\n(]{3,80}(?:\([^)\n]{1,14}\))?)").expect("the pattern is fixed")
});

/// The end of a title within a sentence or a line.
static END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\s+(?:at|@|bei|chez|for our|to join|to help|to work|who|with|based in|located in|for|within|zur|für|pour|para)\s|(?-i:\s+(?:in|à|en|im|au)\s+\p{Lu})|\s+[|·•–—]\s+|\s+-\s+|\t").expect("the pattern is fixed")
});

pub(super) fn read(advert: &Advert, labelled: &LabelledValues, parsed: &mut ParsedPosting) {
    if parsed.posting.title.is_some() {
        return;
    }
    let found = labelled
        .find(JobLabel::Title)
        .or_else(|| in_first_line(advert))
        .or_else(|| in_sentence(advert))
        .or_else(|| in_head(advert))
        .or_else(|| for_all_genders(advert))
        .or_else(|| first_line(advert));
    let Some(span) = found else { return };
    let title = clean(span.of(&advert.text));
    if title.is_empty() {
        return;
    }
    parsed.note("/posting/title", span);
    parsed.posting.title = Some(title);
}

/// Without the marks about genders.
pub(crate) fn clean(title: &str) -> String {
    let bare = GENDERS.replace_all(title, "");
    bare.trim().trim_end_matches(['-', '–', ':', ',', '|', '·', '.']).trim().to_owned()
}

fn in_first_line(advert: &Advert) -> Option<AdvertSpan> {
    let line = advert.lines.first()?;
    let written = advert.line(line);
    let sentence = HIRING.is_match(written) || written.ends_with('.') || written.contains(": ");
    if sentence || written.chars().count() > TITLE_CHARS_MAX * 2 {
        return None;
    }
    titled(advert, line.span)
}

fn in_sentence(advert: &Advert) -> Option<AdvertSpan> {
    HIRING.captures_iter(&advert.text).find_map(|found| {
        let said = found.get(1)?;
        titled(advert, AdvertSpan::new(said.start(), said.end()))
    })
}

fn in_head(advert: &Advert) -> Option<AdvertSpan> {
    let lines = advert.lines.iter().take(LINES_SEARCHED).filter(|line| !advert.line(line).ends_with('.'));
    lines.filter(|line| !advert.line(line).contains(": ")).find_map(|line| titled(advert, line.span))
}

/// Only titles have such marks.
fn for_all_genders(advert: &Advert) -> Option<AdvertSpan> {
    let mut lines = advert.lines.iter().take(LINES_SEARCHED);
    lines.find(|line| GENDERS.is_match(advert.line(line))).map(|line| line.span)
}

/// The part of a range before its end mark, if it names an occupation.
fn titled(advert: &Advert, span: AdvertSpan) -> Option<AdvertSpan> {
    let written = span.of(&advert.text);
    let end = END.find(written).map_or(written.len(), |end| end.start());
    let part = AdvertSpan::new(span.start, span.start + end).trimmed(&advert.text);
    let title = part.of(&advert.text);
    let fits =
        title.split_whitespace().count() <= TITLE_WORDS_MAX && title.chars().count() <= TITLE_CHARS_MAX;
    (fits && shared::occupation_words(title) > 0).then_some(part)
}

/// An occupation that no list knows.
fn first_line(advert: &Advert) -> Option<AdvertSpan> {
    let line = advert.lines.first()?;
    let written = advert.line(line);
    let end = END.find(written).map_or(written.len(), |end| end.start());
    let span = AdvertSpan::new(line.span.start, line.span.start + end).trimmed(&advert.text);
    let title = span.of(&advert.text);
    let fits =
        title.split_whitespace().count() <= TITLE_WORDS_MAX && title.chars().count() <= TITLE_CHARS_MAX;
    let sentence = written.ends_with(['.', '!', '?', ':']) || title.contains(['@', ':']);
    (fits && !sentence && title.chars().any(char::is_alphabetic)).then_some(span)
}
