//! Looking into a large text piece by piece. Positions are bytes of the text in UTF-8; a piece begins and ends between
//! characters, so it may be some bytes shorter than was asked for.

mod pages;

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_core::content::ContentHolder;

use crate::contents::base64_run::runs;
use crate::contents::{is_text, not_text};
use crate::files::{Files, FoundContent};
use pages::RefPages;

/// The maximum size of one piece.
const PIECE_BYTES_MAX: u64 = 8 << 10;
const MATCHES_MAX: usize = 20;
/// The amount of text shown before and after a match.
const CONTEXT_BYTES: u64 = 100;
const QUERY_CHARS_MAX: usize = 256;
/// The maximum amount of text that one query searches.
const SEARCHED_BYTES_MAX: u64 = 256 << 20;
/// Runs of at least this many letters of Base64 are left out of a piece.
const RUN_BYTES_MIN: usize = 512;

/// The requested part of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RefSelection {
    /// Bytes from a position on.
    Range { start: u64, length: Option<u64> },
    /// Lines; the first one is 1.
    Lines { from: u64, count: u64 },
    /// The positions of some words, ignoring case.
    Query { text: String },
}

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct RefPiece {
    /// The piece; or the places that match, each after its position.
    pub text: String,
    pub start: u64,
    /// The end of the piece, or of the searched part.
    pub end: u64,
    /// The length of the whole text.
    pub total: u64,
    /// True if there is more after `end`.
    pub more: bool,
    pub matches: Vec<RefMatch>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct RefMatch {
    pub start: u64,
    pub end: u64,
}

impl Files {
    /// A part of the text behind an id: one of this gateway, or one of a server.
    pub async fn read_ref(
        &self,
        holder: &ContentHolder,
        id: &str,
        wish: RefSelection,
    ) -> Result<RefPiece, Refusal> {
        let found = self.find(holder, id).await?;
        let pages = self.pages(holder, id, &found).await?;
        match wish {
            RefSelection::Range { start, length } => range(&pages, start, length).await,
            RefSelection::Lines { from, count } => lines(&pages, from, count).await,
            RefSelection::Query { text } => query(&pages, &text).await,
        }
    }

    async fn pages(
        &self,
        holder: &ContentHolder,
        id: &str,
        found: &FoundContent,
    ) -> Result<RefPages<'_>, Refusal> {
        let bytes_max = self.settings().text_bytes_max;
        if is_text(&found.media_type) {
            // A text that is too large to be decoded is read as UTF-8.
            return Ok(match found.bytes <= bytes_max {
                true => RefPages::held(self.decoded(id, found, bytes_max).await?),
                false => RefPages::far(self.blobs(), found.digest, found.bytes),
            });
        }
        let text = match self.extractor(None, id, found) {
            Ok(extractor) => self.extracted(holder, &extractor, id, found).await?,
            Err(_) => return Err(not_readable(id, found)),
        };
        Ok(RefPages::far(self.blobs(), text.digest, text.bytes))
    }
}

fn not_readable(id: &str, found: &FoundContent) -> Refusal {
    not_text(id, &found.media_type, &format!(", and has {} bytes", found.bytes)).hint(
        "pass the id to a tool that takes files, keep it with `store_artifact` as `content_ref_id`, or have a tool that \
         reads documents make text of it",
    )
}

async fn range(pages: &RefPages<'_>, start: u64, length: Option<u64>) -> Result<RefPiece, Refusal> {
    let length = length.unwrap_or(PIECE_BYTES_MAX).clamp(1, PIECE_BYTES_MAX);
    let end = start.saturating_add(length);
    let (text, place) = pages.text(start..end).await?;
    Ok(piece(pages, text, place))
}

async fn lines(pages: &RefPages<'_>, from: u64, count: u64) -> Result<RefPiece, Refusal> {
    let start = pages.line_start(0, from.saturating_sub(1), SEARCHED_BYTES_MAX).await?;
    let Some(start) = start.or((from <= 1).then_some(0)) else { return Err(no_line(from)) };
    let end = pages.line_start(start, count.max(1), PIECE_BYTES_MAX).await?;
    let end = end.unwrap_or_else(|| start.saturating_add(PIECE_BYTES_MAX));
    let (text, place) = pages.text(start..end).await?;
    Ok(piece(pages, text, place))
}

fn piece(pages: &RefPages<'_>, text: String, Range { start, end }: Range<u64>) -> RefPiece {
    let total = pages.total();
    RefPiece { text: readable(&text), start, end, total, more: end < total, matches: Vec::new() }
}

async fn query(pages: &RefPages<'_>, words: &str) -> Result<RefPiece, Refusal> {
    let pattern = pattern(words)?;
    let overlap = u64::try_from(words.len()).unwrap_or(u64::MAX).saturating_mul(4);
    let (matches, searched) = pages.search(&pattern, overlap, MATCHES_MAX, SEARCHED_BYTES_MAX).await?;
    let mut text = String::new();
    for place in around(&matches) {
        let (shown, place) = pages.text(place).await?;
        let entry = format!("@{}: {}\n", place.start, readable(&shown).replace(['\n', '\r'], " "));
        if u64::try_from(text.len() + entry.len()).is_ok_and(|bytes| bytes > PIECE_BYTES_MAX) {
            break;
        }
        text.push_str(&entry);
    }
    if matches.is_empty() {
        text = format!("no match for {words:?}");
    }
    let total = pages.total();
    Ok(RefPiece { text, start: 0, end: searched, total, more: searched < total, matches })
}

fn pattern(words: &str) -> Result<Regex, Refusal> {
    let fits = !words.is_empty() && words.chars().count() <= QUERY_CHARS_MAX;
    let pattern = fits.then(|| RegexBuilder::new(&regex::escape(words)).case_insensitive(true).build().ok());
    pattern.flatten().ok_or_else(|| {
        let message = format!("a query has 1 to {QUERY_CHARS_MAX} characters");
        Refusal::new(&codes::BAD_QUERY, message)
    })
}

/// The ranges around some matches: neighbouring ones are merged.
fn around(matches: &[RefMatch]) -> Vec<Range<u64>> {
    let mut places: Vec<Range<u64>> = Vec::new();
    for one in matches {
        let place = one.start.saturating_sub(CONTEXT_BYTES)..one.end.saturating_add(CONTEXT_BYTES);
        match places.last_mut().filter(|last| place.start <= last.end) {
            Some(last) => last.end = place.end,
            None => places.push(place),
        }
    }
    places
}

/// A text without parts that no reader can use.
fn readable(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    let mut at = 0;
    for run in runs(text, RUN_BYTES_MIN) {
        readable.push_str(&text[at..run.place.start]);
        readable.push_str(&format!("[{} bytes of Base64]", run.place.len()));
        at = run.place.end;
    }
    readable.push_str(&text[at..]);
    readable
}

fn no_line(from: u64) -> Refusal {
    let message = format!("there is no line {from} within the first {SEARCHED_BYTES_MAX} bytes");
    Refusal::new(&codes::BAD_RANGE, message).hint("ask for an earlier line, or for a range of bytes")
}

#[cfg(test)]
mod tests;
