//! The pieces of a text that are encoded one by one: words with the blank before them, short numbers, punctuation,
//! blanks.

use std::sync::LazyLock;

use regex::Regex;

use super::ascii;

/// The pattern of o200k without its last look-ahead, which [`of`] replaces: this way no match has to be tried
/// twice, for any text. Every character belongs to some piece.
const PATTERN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+",
);

/// For text beyond plain ASCII.
static ANY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(PATTERN).expect("the pattern is constant and tested"));

pub(super) fn of(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = ascii::piece_end(text.as_bytes(), start).or_else(|| piece_end(text, start))?;
        Some(&text[start..at])
    })
}

fn piece_end(text: &str, start: usize) -> Option<usize> {
    let found = ANY.find_at(text, start)?;
    let before_blank = before_last_blank(found.as_str(), start).filter(|_| at_text(text, found.end()));
    Some(before_blank.unwrap_or(found.end()))
}

/// True if something other than a blank follows.
fn at_text(text: &str, end: usize) -> bool {
    text[end..].starts_with(|c: char| !c.is_whitespace())
}

/// Of several blanks before a word the last one belongs to the word.
fn before_last_blank(piece: &str, start: usize) -> Option<usize> {
    let is_blank = piece.chars().all(char::is_whitespace) && !piece.ends_with(['\r', '\n']);
    let (last, _) = piece.char_indices().next_back().filter(|_| is_blank)?;
    (last > 0).then_some(start + last)
}
