//! The strings of a JSON text, keys and values alike, without reading anything else of it.

use std::borrow::Cow;
use std::ops::Range;

use toolgate_core::Raw;
use toolgate_wire::object::string;

/// Walks through a text that is known to be valid JSON.
pub(super) struct JsonStrings<'a> {
    text: &'a str,
    at: usize,
    /// The key before the value that comes next.
    key: Option<&'a str>,
}

pub(super) struct JsonString<'a> {
    /// From quote to quote.
    pub(super) place: Range<usize>,
    /// With its quotes.
    raw: &'a str,
    /// The raw key of the value.
    pub(super) key: Option<&'a str>,
}

impl<'a> JsonString<'a> {
    /// Its maximum length, once decoded.
    pub(super) fn bytes_max(&self) -> usize {
        self.raw.len() - 2
    }

    pub(super) fn decoded(&self) -> Cow<'a, str> {
        // An undecodable string has a lone surrogate in it. It is checked as it is written.
        let inner = &self.raw[1..self.raw.len() - 1];
        string(Raw::found(self.raw)).unwrap_or(Cow::Borrowed(inner))
    }
}

pub(super) fn strings(json: &str) -> JsonStrings<'_> {
    JsonStrings { text: json, at: 0, key: None }
}

impl<'a> Iterator for JsonStrings<'a> {
    type Item = JsonString<'a>;

    fn next(&mut self) -> Option<JsonString<'a>> {
        let bytes = self.text.as_bytes();
        let start = self.at + memchr::memchr(b'"', &bytes[self.at..])?;
        let key = self.key.take().filter(|_| bytes[self.at..start].iter().all(u8::is_ascii_whitespace));
        let end = string_end(bytes, start + 1);
        let next = end + bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at = end;
        if bytes.get(next) == Some(&b':') {
            self.at = next + 1;
            self.key = Some(&self.text[start + 1..end - 1]);
        }
        Some(JsonString { place: start..end, raw: &self.text[start..end], key })
    }
}

/// Behind the closing quote; `at` is behind the opening one.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(json: &str) -> Vec<(String, Option<&str>)> {
        strings(json).map(|found| (found.decoded().into_owned(), found.key)).collect()
    }

    #[test]
    fn keys_and_values_are_found_with_the_key_before_them() {
        let json = r#"{"a" : "x\"y\\", "b":[ "z", {"c":1, "d" :"\u00e9"} ], "e":{"f":"g"}}"#;
        let expected = [
            ("a", None),
            ("x\"y\\", Some("a")),
            ("b", None),
            ("z", None),
            ("c", None),
            ("d", None),
            ("é", Some("d")),
            ("e", None),
            ("f", None),
            ("g", Some("f")),
        ];
        let found = all(json);
        let found: Vec<(&str, Option<&str>)> =
            found.iter().map(|(text, key)| (text.as_str(), *key)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn places_go_from_quote_to_quote() {
        let json = r#"[ "one" ,"two"]"#;
        let places: Vec<&str> = strings(json).map(|found| &json[found.place]).collect();
        assert_eq!(places, [r#""one""#, r#""two""#]);
        assert!(all("[1,true,null]").is_empty());
    }
}
