//! Redaction of plain text, Markdown and HTML.

use std::cmp::Reverse;
use std::ops::Range;

use capability_documents::{OpenOptions, open};

use super::order::{Redacted, RedactionError, RedactionOrder};
use super::search::{extended, matches};
use super::seen::SeenText;
use super::verify::still_there;
use super::{html, markdown};
use crate::web;

/// Stands in place of redacted text: its length tells nothing.
const BLOCK: &str = "█████";
/// Bytes of a text: places of all its letters are kept.
const TEXT_BYTES_MAX: usize = 16 << 20;
/// Shorter terms turn up in names of tags and attributes, which nobody sees.
const MARKUP_CHARS_MIN: usize = 5;

/// The markup of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkupKind {
    Html,
    Markdown,
}

/// Replaces every match in a text without markup. Tags that turn up in it all the same hide nothing.
pub fn text(text: &str, order: &RedactionOrder) -> Result<Redacted, RedactionError> {
    check(text, order)?;
    let order = extended(order, std::iter::once(text));
    let found = matches(text, &order);
    let out = cut(text, found.iter().map(|it| (it.clone(), BLOCK)).collect());
    if let Some(left) = still_there(&out, &order.terms) {
        return Err(RedactionError::StillThere(left));
    }
    if still_there(&web::texts(&out), &order.terms).is_some() {
        return markup(text, MarkupKind::Html, &order);
    }
    Ok(Redacted { bytes: out.into_bytes(), count: found.len(), is_verified: true, ..Redacted::default() })
}

/// Replaces every match in what a page or a Markdown file shows, in values of attributes and in styles. Scripts and
/// comments go: they may write anything.
pub fn markup(source: &str, kind: MarkupKind, order: &RedactionOrder) -> Result<Redacted, RedactionError> {
    check(source, order)?;
    let seen = kind.seen(source);
    order.check_length(&seen.text)?;
    let order = extended(order, std::iter::once(seen.text.as_str()));
    let found = matches(&seen.text, &order);
    let mut cuts: Vec<(Range<usize>, &str)> = seen.dropped.iter().map(|it| (it.clone(), "")).collect();
    for range in &found {
        let pieces = seen.pieces(range).into_iter().enumerate();
        cuts.extend(pieces.map(|(index, piece)| (piece, if index == 0 { BLOCK } else { "" })));
    }
    let edited = cut(source, cuts);
    // The names of tags and whatever was read as something else.
    let raw = RedactionOrder { terms: raw_terms(&order.terms), ..RedactionOrder::default() };
    let left = matches(&edited, &raw);
    let out = cut(&edited, left.iter().map(|it| (it.clone(), BLOCK)).collect());
    if let Some(term) = kind.left(&out, &order.terms).or_else(|| still_there(&out, &raw.terms)) {
        return Err(RedactionError::StillThere(term));
    }
    let mut result = Redacted { bytes: out.into_bytes(), is_verified: true, ..Redacted::default() };
    result.count = found.len() + left.len();
    warn(&mut result, &seen);
    Ok(result)
}

fn check(text: &str, order: &RedactionOrder) -> Result<(), RedactionError> {
    if order.terms.is_empty() && order.kinds.is_empty() {
        return Err(RedactionError::Nothing);
    }
    if text.len() > TEXT_BYTES_MAX {
        return Err(RedactionError::TooLarge(TEXT_BYTES_MAX));
    }
    order.check_length(text)
}

impl MarkupKind {
    fn seen(self, source: &str) -> SeenText {
        let (mut main, asides) = match self {
            MarkupKind::Html => html::seen(source, 0..source.len()),
            MarkupKind::Markdown => markdown::seen(source),
        };
        main.part();
        main.append(asides);
        main
    }

    /// A term that a reader of the result still sees: the page as HTML's own rules build it, and the text that other
    /// tools here take from it.
    fn left(self, out: &str, terms: &[String]) -> Option<String> {
        let media_type = match self {
            MarkupKind::Html => "text/html",
            MarkupKind::Markdown => "text/markdown",
        };
        let read = open(out.as_bytes(), Some(media_type), &OpenOptions::default());
        let mut texts = vec![web::texts(out)];
        texts.extend(read.ok().map(|it| it.text()));
        texts.extend(web::attribute_values(out));
        if self == MarkupKind::Markdown {
            texts.push(markdown::seen(out).0.text);
        }
        texts.iter().find_map(|text| still_there(text, terms))
    }
}

fn raw_terms(terms: &[String]) -> Vec<String> {
    terms.iter().filter(|it| it.chars().count() >= MARKUP_CHARS_MIN).cloned().collect()
}

/// Takes ranges out of a text and puts something in their place. Where two overlap, the first counts.
fn cut(source: &str, mut cuts: Vec<(Range<usize>, &str)>) -> String {
    cuts.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
    let (mut out, mut at) = (String::with_capacity(source.len()), 0);
    for (range, instead) in cuts {
        if range.end <= at {
            continue;
        }
        out.push_str(&source[at..range.start.max(at)]);
        out.push_str(instead);
        at = range.end;
    }
    out.push_str(&source[at..]);
    out
}

fn warn(result: &mut Redacted, seen: &SeenText) {
    if !seen.dropped.is_empty() {
        result.warnings.push(format!("{} scripts and comments were removed", seen.dropped.len()));
    }
    if seen.pictures > 0 {
        result.is_verified = false;
        let sentence = format!("{} pictures inside the file were not searched: look at them", seen.pictures);
        result.warnings.push(sentence);
    }
}
