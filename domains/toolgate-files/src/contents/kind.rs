//! The media types that are text.

use crate::media::{ByteSample, sniff, wants_tail};
use crate::text;

/// Text by another name.
const WRITTEN: [&str; 7] = [
    "application/json",
    "application/xml",
    "application/javascript",
    "application/yaml",
    "application/toml",
    "application/x-ndjson",
    "image/svg+xml",
];
const PLAIN: &str = "text/plain";
const JSON: &str = "application/json";
/// The part of the beginning that is checked.
const HEAD_BYTES: usize = 8 << 10;
const DECLARED_BYTES_MAX: usize = 64;

pub(crate) fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/") || WRITTEN.contains(&media_type)
}

/// The detected type of bytes in memory.
pub(super) fn of_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_structure(text) => JSON.to_owned(),
        _ => sniffed(bytes).to_owned(),
    }
}

/// The type of a text. Its server may declare the kind of plain text.
pub(super) fn of_text(text: &str, declared: Option<&str>) -> String {
    if is_structure(text) {
        return JSON.to_owned();
    }
    let sniffed = sniffed(text.as_bytes());
    let declared = declared.map(|declared| declared.split(';').next().unwrap_or(declared).trim());
    match declared.filter(|declared| sniffed == PLAIN && is_kind_of_text(declared)) {
        Some(declared) => declared.to_owned(),
        None if is_text(sniffed) => sniffed.to_owned(),
        // Letters that look like another format are still text.
        None => PLAIN.to_owned(),
    }
}

/// The beginning of a text, as far as it can be decoded without the rest.
pub(super) fn beginning(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    match std::str::from_utf8(head) {
        Ok(text) => text.to_owned(),
        // The last character is cut in two.
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&head[..error.valid_up_to()]).into_owned()
        }
        Err(_) => text::decode(head).unwrap_or_default(),
    }
}

/// The beginning is enough; a large text is not read twice for it.
fn sniffed(bytes: &[u8]) -> &'static str {
    if bytes.len() <= HEAD_BYTES {
        return sniff(&ByteSample::whole(bytes), None);
    }
    let length = u64::try_from(bytes.len()).expect("a length fits into 64 bits");
    let head = &bytes[..HEAD_BYTES];
    let at = |place: u64| usize::try_from(place).expect("it lies within what is in memory");
    let tail = wants_tail(head, length).map_or(&[][..], |tail| &bytes[at(tail.start)..at(tail.end)]);
    sniff(&ByteSample { head, tail, bytes: length }, None)
}

fn is_structure(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && toolgate_wire::object::raw(text).is_ok()
}

fn is_kind_of_text(declared: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/.+-_".contains(&byte);
    declared.starts_with("text/") && declared.len() <= DECLARED_BYTES_MAX && declared.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_only_say_which_kind_of_text_it_is() {
        assert_eq!(of_text("# Hi", Some("text/markdown; charset=utf-8")), "text/markdown");
        assert_eq!(of_text("# Hi", Some("application/pdf")), "text/plain");
        assert_eq!(of_text("# Hi", Some("text/\"x")), "text/plain");
        assert_eq!(of_text("{\"a\":1}", Some("text/markdown")), "application/json");
        assert_eq!(of_text("%PDF-1.7 is how they begin", None), "text/plain");
    }

    #[test]
    fn bytes_say_themselves_what_they_are() {
        assert_eq!(of_bytes(b"%PDF-1.7\n\xff"), "application/pdf");
        assert_eq!(of_bytes(format!("[{}1]", "1,".repeat(50_000)).as_bytes()), "application/json");
        assert_eq!(of_bytes("é".repeat(50_000).as_bytes()), "text/plain");
        assert_eq!(of_bytes(&[0, 1, 2, 3, 255]), "application/octet-stream");
        assert_eq!(beginning("é".repeat(50_000).as_bytes()).len(), HEAD_BYTES);
        assert_eq!(beginning(format!("a{}", "é".repeat(50_000)).as_bytes()).len(), HEAD_BYTES - 1);
        assert_eq!(beginning(b"Stra\xdfe und B\xe4ume"), "Straße und Bäume");
    }

    #[test]
    fn text_is_told_from_what_is_none() {
        for text in ["text/plain", "text/csv", "application/json", "image/svg+xml"] {
            assert!(is_text(text), "{text}");
        }
        for other in ["application/pdf", "image/png", "application/octet-stream", "application/rtf"] {
            assert!(!is_text(other), "{other}");
        }
    }
}
