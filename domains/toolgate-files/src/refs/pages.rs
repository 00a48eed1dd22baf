//! A text that may be too large to be held, in windows.

use std::ops::Range;

use bytes::Bytes;
use regex::bytes::Regex;
use toolgate_core::{Digest, Refusal};

use super::RefMatch;
use crate::blobs::Blobs;

/// The window of a searched text.
const WINDOW_BYTES: u64 = 1 << 20;
/// The maximum size of a character.
const CHARACTER_BYTES_MAX: u64 = 4;

pub(super) enum RefPages<'a> {
    Held(Bytes),
    Far { blobs: &'a Blobs, digest: Digest, total: u64 },
}

impl<'a> RefPages<'a> {
    pub(super) fn held(text: String) -> Self {
        Self::Held(text.into())
    }

    pub(super) fn far(blobs: &'a Blobs, digest: Digest, total: u64) -> Self {
        Self::Far { blobs, digest, total }
    }

    pub(super) fn total(&self) -> u64 {
        match self {
            RefPages::Held(text) => u64::try_from(text.len()).expect("a length fits into 64 bits"),
            RefPages::Far { total, .. } => *total,
        }
    }

    /// The characters that begin within a range, and their exact range.
    pub(super) async fn text(&self, range: Range<u64>) -> Result<(String, Range<u64>), Refusal> {
        let wide =
            range.start.saturating_sub(CHARACTER_BYTES_MAX)..range.end.saturating_add(CHARACTER_BYTES_MAX);
        let first = wide.start.min(self.total());
        let bytes = self.bytes(wide).await?;
        let at = |place: u64| {
            let at = usize::try_from(place.saturating_sub(first)).unwrap_or(usize::MAX).min(bytes.len());
            boundary(&bytes, at)
        };
        let start = at(range.start);
        // A character longer than the range is better than none.
        let mut end = at(range.end);
        while end <= start && end < bytes.len() {
            end = next_boundary(&bytes, end);
        }
        let text = String::from_utf8_lossy(&bytes[start..end]).into_owned();
        Ok((text, place(first, start)..place(first, end)))
    }

    /// The start of the line that is `lines` lines after the one at `start`, if it is within some bytes.
    pub(super) async fn line_start(
        &self,
        start: u64,
        lines: u64,
        bytes_max: u64,
    ) -> Result<Option<u64>, Refusal> {
        let (mut at, mut left) = (start, lines);
        let last = self.total().min(start.saturating_add(bytes_max));
        while at < last && left > 0 {
            let window = self.bytes(at..last.min(at + WINDOW_BYTES)).await?;
            for line_break in memchr::memchr_iter(b'\n', &window) {
                left -= 1;
                if left == 0 {
                    return Ok(Some(place(at, line_break + 1)));
                }
            }
            at = place(at, window.len());
        }
        Ok((left == 0).then_some(start))
    }

    /// The matches of a pattern, and the end of the searched part.
    pub(super) async fn search(
        &self,
        pattern: &Regex,
        overlap: u64,
        matches_max: usize,
        bytes_max: u64,
    ) -> Result<(Vec<RefMatch>, u64), Refusal> {
        let mut matches: Vec<RefMatch> = Vec::new();
        let last = self.total().min(bytes_max);
        let mut at = 0;
        while at < last {
            let fresh = last.min(at + WINDOW_BYTES);
            let window = self.bytes(at..fresh.saturating_add(overlap)).await?;
            for found in pattern.find_iter(&window) {
                let one = RefMatch { start: place(at, found.start()), end: place(at, found.end()) };
                if one.start >= fresh || matches.last().is_some_and(|before| one.start < before.end) {
                    continue;
                }
                matches.push(one);
                if matches.len() == matches_max {
                    return Ok((matches, one.end));
                }
            }
            at = fresh;
        }
        Ok((matches, last))
    }

    async fn bytes(&self, range: Range<u64>) -> Result<Bytes, Refusal> {
        let end = range.end.min(self.total());
        let start = range.start.min(end);
        match self {
            RefPages::Held(text) => {
                let index = |at: u64| usize::try_from(at).expect("it lies within what is in memory");
                Ok(text.slice(index(start)..index(end)))
            }
            RefPages::Far { blobs, digest, .. } => blobs.read_some(*digest, start..end).await,
        }
    }
}

fn place(first: u64, at: usize) -> u64 {
    first.saturating_add(u64::try_from(at).expect("a length fits into 64 bits"))
}

/// The start of the character that a byte is part of.
fn boundary(bytes: &[u8], at: usize) -> usize {
    let is_start = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0b1100_0000 != 0b1000_0000);
    (at.saturating_sub(3)..=at).rev().find(is_start).unwrap_or(at)
}

fn next_boundary(bytes: &[u8], at: usize) -> usize {
    let is_start = |at: &usize| bytes[*at] & 0b1100_0000 != 0b1000_0000;
    (at + 1..bytes.len()).find(is_start).unwrap_or(bytes.len())
}
