//! The head of an entry in pieces: cut at dashes, bars, commas and words such as "at".

use std::sync::LazyLock;

use regex::Regex;

use crate::entries::{SectionEntry, rest_without_dates};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::words::{ORGANISATIONS, PlaceNameKind, SCHOOLS, place, words_of};

/// The separator before a piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum PieceSeparator {
    /// `, `
    Comma,
    /// ` in `
    In,
    /// ` – `, ` | `, a tab
    Mark,
    /// ` at `, ` bei `: an employer follows
    At,
    /// A new line, or a date between
    Line,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TextPiece {
    pub(crate) span: ByteSpan,
    pub(crate) before: PieceSeparator,
}

static CUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?P<mark>\s*(?:\t|\s[|•·‖]\s|\|)\s*|\s+[-–—]\s+|\s{3,}|\s*—\s*|\s+[·•/]\s+|;\s)",
        r"|(?P<at>\s+(?:at|@|bei|bei der|beim|chez|presso|bij|for)\s+)",
        r"|(?P<in>\s+(?:in|à|a|en)\s+)",
        r"|(?P<comma>,\s+|，)",
    ))
    .expect("the pattern is fixed")
});

/// The pieces of an entry's heading, without dates.
pub(crate) fn of_head(parsed: &ParsedDocument, entry: &SectionEntry) -> Vec<TextPiece> {
    let rests = entry.head.iter().flat_map(|row| rest_without_dates(parsed, row));
    rests.flat_map(|span| cut(parsed, span)).collect()
}

pub(crate) fn cut(parsed: &ParsedDocument, span: ByteSpan) -> Vec<TextPiece> {
    let text = span.of(&parsed.text);
    let mut pieces = Vec::new();
    let (mut from, mut before) = (0, PieceSeparator::Line);
    for captures in CUT.captures_iter(text) {
        let whole = captures.get(0).expect("a match has a whole");
        let kind = kind_of(&captures);
        if inside_brackets(&text[..whole.start()])
            || !is_cut(kind, &text[from..whole.start()], &text[whole.end()..])
        {
            continue;
        }
        pieces.push(TextPiece { span: ByteSpan::new(span.start + from, span.start + whole.start()), before });
        (from, before) = (whole.end(), kind);
    }
    pieces.push(TextPiece { span: ByteSpan::new(span.start + from, span.end), before });
    let tidied = pieces.into_iter().map(|piece| TextPiece { span: tidied(parsed, piece.span), ..piece });
    tidied.filter(|piece| !piece.span.is_empty()).collect()
}

fn kind_of(captures: &regex::Captures<'_>) -> PieceSeparator {
    match () {
        () if captures.name("mark").is_some() => PieceSeparator::Mark,
        () if captures.name("at").is_some() => PieceSeparator::At,
        () if captures.name("in").is_some() => PieceSeparator::In,
        () => PieceSeparator::Comma,
    }
}

fn inside_brackets(text: &str) -> bool {
    text.matches('(').count() > text.matches(')').count()
}

/// "University of Texas at Austin" is one name; "in" only cuts before a place.
fn is_cut(kind: PieceSeparator, left: &str, right: &str) -> bool {
    match kind {
        PieceSeparator::At => SCHOOLS.count(left) == 0,
        PieceSeparator::In => place(right.split([',', '|', '(']).next().unwrap_or_default()).is_some(),
        _ => true,
    }
}

fn tidied(parsed: &ParsedDocument, span: ByteSpan) -> ByteSpan {
    let span = span.stripped(&parsed.text, &[',', ';', '|', ':', '*', '_', '–', '—', '•', '·']);
    // A full stop ends the line, unless it belongs to an abbreviation such as "Inc." or "S.L."
    let text = span.of(&parsed.text);
    let last = text.rsplit(' ').next().unwrap_or_default();
    let sentence = text.ends_with('.') && last.chars().count() > 5;
    let end = if sentence { span.end - 1 } else { span.end };
    let span = ByteSpan::new(span.start, end);
    match span.of(&parsed.text) {
        "()" | "[]" => ByteSpan::new(span.end, span.end),
        text if text.starts_with('(') && text.ends_with(')') && text.matches('(').count() == 1 => {
            ByteSpan::new(span.start + 1, span.end - 1)
        }
        _ => span,
    }
}

/// Takes the places at the end of lines out of the pieces: `Columbus, Ohio`, `Berlin`.
pub(crate) fn take_place(parsed: &ParsedDocument, pieces: &mut Vec<TextPiece>) -> Option<ByteSpan> {
    let known = |piece: &TextPiece| place(piece.span.of(&parsed.text));
    let at =
        (0..pieces.len()).rev().find(|at| known(&pieces[*at]).is_some() && is_last_of_line(pieces, *at))?;
    let region = matches!(known(&pieces[at]), Some(PlaceNameKind::State | PlaceNameKind::Country));
    let with_city = region
        && at > 0
        && pieces[at].before == PieceSeparator::Comma
        && may_be_city(parsed, &pieces[at - 1])
        && at > 1;
    let city_then_city = !region
        && at > 0
        && pieces[at].before == PieceSeparator::Comma
        && known(&pieces[at - 1]).is_some()
        && at > 1;
    let from = if with_city || city_then_city { at - 1 } else { at };
    // The only piece cannot be the place: then it is a name that sounds like one.
    if from == 0 && at + 1 == pieces.len() {
        return None;
    }
    let span = pieces[from].span.to(pieces[at].span);
    pieces.drain(from..=at);
    Some(span)
}

fn is_last_of_line(pieces: &[TextPiece], at: usize) -> bool {
    pieces.get(at + 1).is_none_or(|next| next.before >= PieceSeparator::Mark)
}

fn may_be_city(parsed: &ParsedDocument, piece: &TextPiece) -> bool {
    let text = piece.span.of(&parsed.text);
    place(text).is_some()
        || (words_of(text).count() <= 2 && ORGANISATIONS.count(text) == 0 && SCHOOLS.count(text) == 0)
}
