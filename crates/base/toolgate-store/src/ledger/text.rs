//! Texts in a line. Most are ids: a prefix and 32 hexadecimal digits, which are stored as 16 bytes.

use std::borrow::Cow;

const PACKED_DIGITS: usize = 32;
pub(super) const PACKED_BYTES: usize = PACKED_DIGITS / 2;
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A text, perhaps with its last 32 characters as 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    plain: &'a str,
    packed: Option<[u8; PACKED_BYTES]>,
}

impl<'a> Text<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { plain: text, packed: None }
    }

    /// An id, which is split here, once, for all that need its parts.
    pub(super) fn of_id(text: &'a str) -> Self {
        let (plain, packed) = Self::of(text).split();
        Self { plain, packed }
    }

    pub(super) fn with(plain: &'a str, packed: [u8; PACKED_BYTES]) -> Self {
        Self { plain, packed: Some(packed) }
    }

    /// The form with 16 bytes, for every text that has one.
    pub(super) fn split(self) -> (&'a str, Option<[u8; PACKED_BYTES]>) {
        if self.packed.is_some() {
            return (self.plain, self.packed);
        }
        match pack(self.plain) {
            Some((plain, packed)) => (plain, Some(packed)),
            None => (self.plain, None),
        }
    }

    /// All of it, or what comes before the packed digits.
    pub(super) fn plain_part(self) -> &'a str {
        self.plain
    }

    /// The whole text.
    pub(super) fn read(&self) -> Cow<'a, str> {
        let Some(packed) = self.packed else { return Cow::Borrowed(self.plain) };
        let mut text = String::with_capacity(self.plain.len() + PACKED_DIGITS);
        text.push_str(self.plain);
        text.extend(digits(&packed).map(char::from));
        Cow::Owned(text)
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        match self.packed {
            None => self.plain == other,
            Some(packed) => {
                let Some(rest) = other.strip_prefix(self.plain) else { return false };
                rest.len() == PACKED_DIGITS && digits(&packed).eq(rest.bytes())
            }
        }
    }
}

fn digits(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
}

/// A text that ends with 32 hexadecimal digits in small letters.
fn pack(text: &str) -> Option<(&str, [u8; PACKED_BYTES])> {
    let (plain, last) = text.split_at_checked(text.len().checked_sub(PACKED_DIGITS)?)?;
    let mut packed = [0; PACKED_BYTES];
    for (byte, pair) in packed.iter_mut().zip(last.as_bytes().chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some((plain, packed))
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_stored_as_bytes_and_read_as_it_was() {
        let digits = "0123456789abcdef".repeat(2);
        for (text, is_packed) in [
            (format!("tc_{digits}"), true),
            (digits.clone(), true),
            (format!("ä{digits}"), true),
            (format!("tc_{}", digits.to_uppercase()), false),
            (format!("tc_{digits}x"), false),
            ("ä".repeat(17), false),
            ("tc_1".to_owned(), false),
            (String::new(), false),
        ] {
            let (plain, packed) = Text::of(&text).split();
            assert_eq!(packed.is_some(), is_packed, "{text}");
            let read = Text { plain, packed };
            assert_eq!(read.read(), text);
            assert!(read == *text && read != *format!("{text}0") && read != *"tc_", "{text}");
        }
    }
}
