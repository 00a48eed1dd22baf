//! Finding the end of a JSON value, checking its grammar on the way.
//!
//! Written by hand because every message is scanned at least once: a general parser spends ten times the instructions
//! on work a gateway does not need (recursion, numbers, unescaping). Input is UTF-8 already; nesting is bounded by the
//! width of the bit stack, so that neither memory nor the machine's stack can be made to grow.

use std::fmt;

use wide::u8x16;

/// Deeper nesting is not read: the width of the bit stack, less the bracket around the value.
pub const DEPTH_MAX: usize = 127;

/// The error of a text that is nested too deeply.
pub(crate) const TOO_DEEP: &str = "nested too deep";

/// The position and the reason of an error in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotJson {
    pub at: usize,
    pub what: &'static str,
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at)
    }
}

impl std::error::Error for NotJson {}

fn fail<T>(at: usize, what: &'static str) -> Result<T, NotJson> {
    Err(NotJson { at, what })
}

/// The first position from `at` on that is not white space.
pub(crate) fn skip_space(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.get(at) {
        at += 1;
    }
    at
}

/// The position behind the value that starts at `at` and nests at most `depth_max` deep.
pub(crate) fn value_end(text: &[u8], mut at: usize, depth_max: usize) -> Result<usize, NotJson> {
    let depth_max = depth_max.min(DEPTH_MAX);
    // One bit per open bracket: 1 for an object, 0 for an array.
    let mut open: u128 = 0;
    let mut depth = 0;
    loop {
        match text.get(at) {
            Some(b'"') => at = string_end(text, at + 1)?,
            Some(bracket @ (b'{' | b'[')) => {
                if depth == depth_max {
                    return fail(at, TOO_DEEP);
                }
                let object = *bracket == b'{';
                at = skip_space(text, at + 1);
                if text.get(at) == Some(if object { &b'}' } else { &b']' }) {
                    at += 1;
                } else {
                    open = (open << 1) | u128::from(object);
                    depth += 1;
                    at = if object { key_end(text, at)? } else { at };
                    continue;
                }
            }
            Some(b't') => at = literal_end(text, at, b"true")?,
            Some(b'f') => at = literal_end(text, at, b"false")?,
            Some(b'n') => at = literal_end(text, at, b"null")?,
            Some(b'-' | b'0'..=b'9') => at = number_end(text, at)?,
            Some(_) => return fail(at, "expected a value"),
            None => return fail(at, "unexpected end"),
        }
        loop {
            if depth == 0 {
                return Ok(at);
            }
            at = skip_space(text, at);
            let object = open & 1 == 1;
            match (text.get(at), object) {
                (Some(b','), true) => {
                    at = key_end(text, skip_space(text, at + 1))?;
                    break;
                }
                (Some(b','), false) => {
                    at = skip_space(text, at + 1);
                    break;
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    at += 1;
                    open >>= 1;
                    depth -= 1;
                }
                (Some(_), _) => return fail(at, "expected a comma or the closing bracket"),
                (None, _) => return fail(at, "unexpected end"),
            }
        }
    }
}

/// From the quote of a key to the beginning of its value.
fn key_end(text: &[u8], at: usize) -> Result<usize, NotJson> {
    if text.get(at) != Some(&b'"') {
        return fail(at, "expected a key");
    }
    colon_end(text, string_end(text, at + 1)?)
}

/// From behind a key to the beginning of its value.
pub(crate) fn colon_end(text: &[u8], at: usize) -> Result<usize, NotJson> {
    let at = skip_space(text, at);
    if text.get(at) != Some(&b':') {
        return fail(at, "expected a colon");
    }
    Ok(skip_space(text, at + 1))
}

/// The position behind the closing quote; `at` is behind the opening one.
pub(crate) fn string_end(text: &[u8], mut at: usize) -> Result<usize, NotJson> {
    loop {
        at = next_special(text, at);
        match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = escape_end(text, at)?,
            Some(_) => return fail(at, "control character in a string"),
            None => return fail(at, "unexpected end"),
        }
    }
}

/// The first quote, backslash or control character from `at` on. Strings are most of a large message, so
/// sixteen bytes are checked together.
fn next_special(text: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = text.get(at..at + 16) {
        let bytes = u8x16::from(<[u8; 16]>::try_from(chunk).expect("the chunk has sixteen bytes"));
        let control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
        let special = control | bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\'));
        match special.to_bitmask() {
            0 => at += 16,
            found => return at + found.trailing_zeros() as usize,
        }
    }
    while at < text.len() && !is_special(text[at]) {
        at += 1;
    }
    at
}

fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn escape_end(text: &[u8], at: usize) -> Result<usize, NotJson> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') if text.get(at + 2..at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => {
            Ok(at + 6)
        }
        _ => fail(at, "invalid escape"),
    }
}

fn literal_end(text: &[u8], at: usize, literal: &[u8]) -> Result<usize, NotJson> {
    if text[at..].starts_with(literal) { Ok(at + literal.len()) } else { fail(at, "expected a value") }
}

fn number_end(text: &[u8], mut at: usize) -> Result<usize, NotJson> {
    if text[at] == b'-' {
        at += 1;
    }
    at = match text.get(at) {
        Some(b'0') => at + 1,
        Some(b'1'..=b'9') => digits_end(text, at)?,
        _ => return fail(at, "invalid number"),
    };
    if text.get(at) == Some(&b'.') {
        at = digits_end(text, at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        at = digits_end(text, at)?;
    }
    Ok(at)
}

fn digits_end(text: &[u8], start: usize) -> Result<usize, NotJson> {
    let mut at = start;
    while let Some(b'0'..=b'9') = text.get(at) {
        at += 1;
    }
    if at == start { fail(at, "invalid number") } else { Ok(at) }
}

/// Checks that the text is one value with only white space around it; returns the value.
pub fn whole(text: &str) -> Result<&str, NotJson> {
    let bytes = text.as_bytes();
    let start = skip_space(bytes, 0);
    let end = value_end(bytes, start, DEPTH_MAX)?;
    match skip_space(bytes, end) {
        rest if rest == bytes.len() => Ok(&text[start..end]),
        rest => fail(rest, "more text after the end"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str) {
        let ours = whole(text).is_ok();
        let theirs = serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
        assert_eq!(ours, theirs, "{text:?}: {:?}", whole(text));
    }

    #[test]
    fn valid_and_invalid_texts_are_told_apart() {
        for text in [
            "",
            " ",
            "{",
            "}",
            "[",
            "]",
            "{}",
            "[]",
            " [ ] ",
            "{ }",
            "[,]",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1 \"b\":2}",
            "{a:1}",
            "{\"a\":1}",
            "[1,2,[3,{\"x\":[]}]]",
            "[}",
            "{]",
            "1",
            "-",
            "-1",
            "01",
            "1.",
            "1.5",
            "1e",
            "1e5",
            "1E+5",
            "1e-05",
            ".5",
            "+1",
            "--1",
            "true",
            "tru",
            "truex",
            "null",
            "nul",
            "\"",
            "\"a\"",
            "\"a\nb\"",
            "\"\\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12ab\"",
            "\"\\uzzzz\"",
            "\"a\" \"b\"",
            "[\"a\":1]",
            "\u{feff}1",
            "nan",
            "[[[[]]]]",
            "{\"a\":{\"b\":[1,{}]}}x",
        ] {
            check(text);
        }
    }

    #[test]
    fn long_strings_are_scanned_in_chunks() {
        for length in [0, 1, 31, 32, 33, 63, 64, 65, 1000] {
            for tail in ["\"", "\\\"\"", "\u{1}\"", "", "é\""] {
                check(&format!("\"{}{tail}", "x".repeat(length)));
            }
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(whole(&nested(127)).is_ok());
        assert_eq!(whole(&nested(200)).map_err(|error| error.what), Err(TOO_DEEP));
        assert!(value_end(nested(5).as_bytes(), 0, 5).is_ok());
        assert!(value_end(nested(6).as_bytes(), 0, 5).is_err());
        assert!(whole(&"[".repeat(1 << 20)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_judged_like_serde_json_does(text in r#"[\[\]{},:"\\0-9a-fntrul.eE+ -]{0,24}"#) {
            check(&text);
        }
    }
}
