//! The encoding of a line's parts. Numbers have seven bits in each byte, the lowest first; the highest
//! bit says that more follow.

use toolgate_core::Digest;

use super::text::{PACKED_BYTES, Text};

/// Frequent words have a number: 1 for the first of these. Words are added at the end and never moved.
const WORDS: [&str; 12] = [
    "tool.call.started",
    "tool.call.completed",
    "policy.decided",
    "tool.call.paused",
    "tool.call.resumed",
    "filter.matched",
    "permit",
    "approve",
    "deny",
    "succeeded",
    "tool_error",
    "failed",
];

pub(super) fn put_number(to: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

/// Small numbers stay short, whatever their sign.
pub(super) fn put_signed(to: &mut Vec<u8>, number: i64) {
    put_number(to, ((number << 1) ^ (number >> 63)) as u64);
}

pub(super) fn put_text(to: &mut Vec<u8>, text: Text<'_>) {
    let (plain, packed) = text.split();
    put_number(to, (plain.len() as u64) << 1 | u64::from(packed.is_some()));
    to.extend_from_slice(plain.as_bytes());
    if let Some(packed) = packed {
        to.extend_from_slice(&packed);
    }
}

pub(super) fn put_word(to: &mut Vec<u8>, word: &str) {
    match WORDS.iter().position(|known| *known == word) {
        Some(place) => put_number(to, place as u64 + 1),
        None => {
            put_number(to, 0);
            put_text(to, Text::of(word));
        }
    }
}

pub(super) fn put_digest(to: &mut Vec<u8>, digest: Digest) {
    to.extend_from_slice(digest.as_bytes());
}

/// The rest of a line that is being read.
pub(super) struct FieldReader<'a>(pub(super) &'a [u8]);

impl<'a> FieldReader<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = *self.bytes(1)? else { return None };
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn text(&mut self) -> Option<Text<'a>> {
        let head = self.number()?;
        let plain = std::str::from_utf8(self.bytes(usize::try_from(head >> 1).ok()?)?).ok()?;
        if head & 1 == 0 {
            return Some(Text::of(plain));
        }
        let packed = self.bytes(PACKED_BYTES)?.try_into().ok()?;
        Some(Text::with(plain, packed))
    }

    /// A text that is never packed.
    pub(super) fn plain(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    pub(super) fn word(&mut self) -> Option<Text<'a>> {
        match self.number()? {
            0 => self.text(),
            place => WORDS.get(usize::try_from(place - 1).ok()?).copied().map(Text::of),
        }
    }

    pub(super) fn digest(&mut self) -> Option<Digest> {
        self.bytes(32)?.try_into().ok().map(Digest::from_bytes)
    }
}

pub(super) fn put_plain(to: &mut Vec<u8>, text: &str) {
    put_number(to, text.len() as u64);
    to.extend_from_slice(text.as_bytes());
}
