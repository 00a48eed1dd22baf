//! The words of headers: folded, and encoded where they are not plain ASCII (RFC 2047, RFC 2231).

use std::fmt::Write as _;

/// Bytes of text in one encoded word, which has at most 75 characters.
const ENCODED_BYTES_MAX: usize = 42;
const LINE_CHARS: usize = 76;

/// A header without structure, such as a subject, folded to lines. Line breaks and other control characters become spaces.
pub fn unstructured(name: &str, text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let is_plain = text.is_ascii() && !text.contains("=?") && text.trim() == text;
    let words: Vec<String> = match is_plain && text.split(' ').all(|word| word.len() < LINE_CHARS) {
        true => text.split(' ').map(str::to_owned).collect(),
        false => encoded(&text),
    };
    let mut line_chars = name.len() + 1;
    let mut header = format!("{name}:");
    for word in words {
        let break_before = line_chars + 1 + word.len() > LINE_CHARS && line_chars > name.len() + 1;
        header.push_str(if break_before { "\r\n " } else { " " });
        line_chars = if break_before { 1 } else { line_chars + 1 } + word.len();
        header.push_str(&word);
    }
    header.push_str("\r\n");
    header
}

/// A header with a list, one element on each line.
pub fn list(name: &str, elements: &[String]) -> String {
    format!("{name}: {}\r\n", elements.join(",\r\n "))
}

/// The name of a person before an address.
pub(crate) fn phrase(name: &str) -> String {
    let is_atom = |c: char| c == ' ' || c.is_ascii_alphanumeric();
    if name.chars().all(is_atom) && name.len() < LINE_CHARS {
        return name.to_owned();
    }
    if name.chars().all(|c| c == ' ' || c.is_ascii_graphic()) && name.len() < LINE_CHARS {
        return format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    }
    encoded(name).join("\r\n ")
}

/// A parameter such as `filename`.
pub fn parameter(name: &str, value: &str) -> String {
    if value.chars().all(|c| c == ' ' || (c.is_ascii_graphic() && !matches!(c, '"' | '\\'))) {
        return format!("{name}=\"{value}\"");
    }
    let mut encoded = format!("{name}*=UTF-8''");
    for byte in value.bytes() {
        match byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            true => encoded.push(char::from(byte)),
            false => write!(encoded, "%{byte:02X}").expect("text takes text"),
        }
    }
    encoded
}

/// Encoded words, cut between characters.
fn encoded(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in text.chars() {
        let last = pieces.last_mut().expect("there is always a piece");
        match last.len() + c.len_utf8() > ENCODED_BYTES_MAX {
            true => pieces.push(c.to_string()),
            false => last.push(c),
        }
    }
    let word = |piece: String| format!("=?UTF-8?B?{}?=", base64_simd::STANDARD.encode_to_string(piece));
    pieces.into_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_and_others_are_encoded_within_the_line() {
        assert_eq!(unstructured("Subject", "Hello Ada"), "Subject: Hello Ada\r\n");
        assert_eq!(unstructured("Subject", "Grüße"), "Subject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n");
        let long = "wörter ".repeat(60);
        for line in unstructured("Subject", &long).split("\r\n") {
            assert!(line.len() <= LINE_CHARS + 2, "{line}");
        }
        assert_eq!(
            unstructured("Subject", "Hi\r\nBcc: eve@evil.example"),
            "Subject: Hi  Bcc: eve@evil.example\r\n"
        );
        assert!(
            unstructured("Subject", "=?UTF-8?B?QQ==?=").contains("=?UTF-8?B?PT9VVEY"),
            "no word is taken for an encoded one"
        );
    }

    #[test]
    fn names_with_marks_are_quoted_or_encoded() {
        assert_eq!(phrase("Ada Lovelace"), "Ada Lovelace");
        assert_eq!(phrase("Lovelace, \"Ada\""), "\"Lovelace, \\\"Ada\\\"\"");
        assert_eq!(phrase("Müller"), "=?UTF-8?B?TcO8bGxlcg==?=");
        assert_eq!(parameter("filename", "a b.pdf"), "filename=\"a b.pdf\"");
        assert_eq!(parameter("filename", "ä\".pdf"), "filename*=UTF-8''%C3%A4%22.pdf");
    }
}
