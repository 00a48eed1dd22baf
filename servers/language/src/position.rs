//! Positions in a text as callers count them: in characters, not in bytes.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From `start` up to but excluding `end`, in characters (Unicode code points) from the beginning of the
/// text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// Turns bytes into characters quickly, for many places in one text.
pub struct Positions<'a> {
    bytes: &'a [u8],
    /// Characters before every `STRIDE`th byte.
    before: Vec<usize>,
}

impl<'a> Positions<'a> {
    const STRIDE: usize = 256;

    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut count = 0;
        let before = bytes
            .chunks(Self::STRIDE)
            .map(|chunk| {
                let before = count;
                count += beginnings(chunk);
                before
            })
            .chain(std::iter::once(0))
            .collect();
        Self { bytes, before }
    }

    pub fn span(&self, bytes: Range<usize>) -> Span {
        Span { start: self.chars_before(bytes.start), end: self.chars_before(bytes.end) }
    }

    fn chars_before(&self, byte: usize) -> usize {
        let stride = (byte / Self::STRIDE).min(self.bytes.len().saturating_sub(1) / Self::STRIDE);
        self.before[stride] + beginnings(&self.bytes[stride * Self::STRIDE..byte])
    }
}

/// Bytes that begin a character; UTF-8 marks the others.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters_wherever_they_are() {
        let text = "é日😀x".repeat(300);
        let positions = Positions::new(&text);
        for (chars, (byte, _)) in text.char_indices().enumerate() {
            assert_eq!(positions.span(byte..byte).start, chars);
        }
        assert_eq!(positions.span(text.len()..text.len()).end, 1200);
    }

    #[test]
    fn an_empty_text_has_a_beginning() {
        assert_eq!(Positions::new("").span(0..0), Span { start: 0, end: 0 });
    }
}
