//! Values that a server received and may have sent back: addresses that open a file by themselves, and files
//! that are so short that their Base64 looks like any other word.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use toolgate_core::RawJson;
use toolgate_core::content::SentContent;

/// The replacement for such an address.
const INSTEAD: &str = "[address of a file]";
/// The ends of the names of parameters that open an address.
const OPENING: [&str; 3] = ["signature", "token", "key"];
/// A shorter value would be found everywhere.
const VALUE_BYTES_MIN: usize = 16;

/// A letter or digit that is written by its number, however deep it is nested.
static SPELLED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\\+u00(3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])").expect("it is a pattern"));

/// A result without the sent values, in any escaping: for JSON at any nesting, for addresses, or for HTML.
pub(super) fn without(result: RawJson, sent: &[SentContent]) -> RawJson {
    if sent.is_empty() {
        return result;
    }
    let result = removed(result, sent);
    let Cow::Owned(plain) = SPELLED.replace_all(result.as_str(), letter) else { return result };
    let left = removed(RawJson::from_composed(plain.clone()), sent);
    // Such escapes only serve to hide letters; if they hide no sent value, they stay.
    if left.as_str() == plain { result } else { left }
}

fn letter(found: &Captures<'_>) -> String {
    let code = u8::from_str_radix(&found[1], 16).expect("the pattern has digits there");
    char::from(code).to_string()
}

fn removed(result: RawJson, sent: &[SentContent]) -> RawJson {
    let contents = sent.iter().filter_map(|one| match one {
        SentContent::Content { id, encoded } => Some((id, encoded)),
        SentContent::Address(_) => None,
    });
    let result = contents.fold(result, |result, (id, encoded)| without_content(result, id, encoded));
    let addresses = sent.iter().filter_map(|one| match one {
        SentContent::Address(address) => Some(address.as_str()),
        SentContent::Content { .. } => None,
    });
    without_addresses(result, addresses)
}

/// Replaces the Base64 of a file by its id, for either alphabet and with or without padding.
fn without_content(result: RawJson, id: &str, encoded: &str) -> RawJson {
    let bare = encoded.trim_end_matches('=');
    if memchr::memmem::find(result.as_bytes(), letters(bare).as_bytes()).is_none() {
        return result;
    }
    let mut pattern = String::new();
    for c in bare.chars() {
        let other = match c {
            '+' => "|-",
            '/' => "|_",
            _ => "",
        };
        pattern.push_str("(?:");
        push_character(&mut pattern, c);
        pattern.push_str(other);
        pattern.push(')');
    }
    pattern.push_str("(?:");
    push_character(&mut pattern, '=');
    pattern.push_str("){0,2}");
    let pattern = Regex::new(&pattern).expect("a thousand letters are far from the limits of a pattern");
    let text = result.as_str();
    let mut left = String::new();
    let mut at = 0;
    for found in pattern.find_iter(text).filter(|found| stands_alone(text, found)) {
        left.push_str(&text[at..found.start()]);
        left.push_str(&format!("[content of {id}]"));
        at = found.end();
    }
    match at {
        0 => result,
        _ => RawJson::from_composed(left + &text[at..]),
    }
}

/// True if it is not part of a longer Base64, which is something else.
fn stands_alone(text: &str, found: &regex::Match<'_>) -> bool {
    let before = &text.as_bytes()[..found.start()];
    // An apparent letter may be the end of an escape.
    let begins = !before.last().is_some_and(is_letter) || before.iter().nth_back(1) == Some(&b'\\');
    begins && !text.as_bytes().get(found.end()).is_some_and(is_letter)
}

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

fn without_addresses<'a>(result: RawJson, addresses: impl Iterator<Item = &'a str>) -> RawJson {
    let mut wanted: Vec<&str> = addresses.flat_map(telling).collect();
    // No escaping changes letters and digits, and looking for those costs next to nothing.
    wanted.retain(|text| memchr::memmem::find(result.as_bytes(), letters(text).as_bytes()).is_some());
    if wanted.is_empty() {
        return result;
    }
    let pattern = pattern(&wanted);
    let Ok(pattern) = Regex::new(&pattern) else {
        // An address that is too long to search for must not come back by accident.
        return RawJson::from_serialize(&serde_json::json!({
            "content": [{"type": "text", "text": "[withheld: it may hold the address of a file]"}],
            "isError": true,
        }));
    };
    match pattern.replace_all(result.as_str(), INSTEAD) {
        Cow::Borrowed(_) => result,
        Cow::Owned(text) => RawJson::from_composed(text),
    }
}

/// The parts of an address that grant access: all of it, the part after the host, and its signature.
fn telling(secret: &str) -> Vec<&str> {
    let behind_scheme = secret.split_once("://").map_or(secret, |(_, behind)| behind);
    let path = behind_scheme.find('/').map(|at| &behind_scheme[at..]);
    let query = secret.split_once('?').map_or("", |(_, query)| query);
    let opens = |name: &str| OPENING.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let opening = pairs.filter(|(name, value)| opens(name) && value.len() >= VALUE_BYTES_MIN);
    let values = opening.map(|(_, value)| value);
    std::iter::once(secret).chain(path.filter(|path| path.contains('?'))).chain(values).collect()
}

/// The longest stretch of letters and digits.
fn letters(text: &str) -> &str {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

/// Any of the texts, each of its characters escaped or not.
fn pattern(wanted: &[&str]) -> String {
    let mut pattern = String::new();
    for text in wanted.iter().filter(|text| !text.is_empty()) {
        if !pattern.is_empty() {
            pattern.push('|');
        }
        text.chars().for_each(|c| push_character(&mut pattern, c));
    }
    pattern
}

fn push_character(pattern: &mut String, c: char) {
    let own = regex::escape(c.encode_utf8(&mut [0; 4]));
    if c.is_ascii_alphanumeric() {
        pattern.push_str(&own);
        return;
    }
    let mut percent = String::new();
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        write!(percent, "%(?:25)*(?i:{byte:02x})").expect("a string takes everything");
    }
    let backslash = if c == '/' { r"\\*" } else { "" };
    let html = if c == '&' { "|&amp;" } else { "" };
    // JSON written as ASCII, or safe for HTML, turns `&` into `\u0026`; nested once more, `\\u0026`.
    write!(pattern, r"(?:{backslash}{own}|{percent}|\\+u(?i:{:04x}){html})", u32::from(c))
        .expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const ADDRESS: &str = "https://gate.example:8443/signed/files/sha256:ab?name=a+long+name+of+a+file+b%20c.mp4&type=video%2Fmp4&expires=17&signature=AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-AbCdE";

    fn left(result: &str) -> String {
        let result = RawJson::parse(result.to_owned().into()).expect("JSON");
        let left = without(result, &[SentContent::Address(ADDRESS.to_owned())]);
        RawJson::parse(left.as_str().to_owned().into()).expect("still JSON");
        left.as_str().to_owned()
    }

    #[test]
    fn an_address_that_comes_back_is_replaced_however_it_is_written() {
        let plain = json!(format!("see {ADDRESS}.")).to_string();
        let percent: String = ADDRESS
            .bytes()
            .map(|byte| match byte.is_ascii_alphanumeric() {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02x}"),
            })
            .collect();
        let ascii = ADDRESS.replace('&', "\\u0026").replace('=', "\\u003D").replace('/', "\\/");
        let nested = json!(format!("{{\"u\":\"{ascii}\"}}")).to_string();
        let html = json!(ADDRESS.replace('&', "&amp;")).to_string();
        let twice = json!(percent.replace('%', "%25")).to_string();
        let louder = json!(percent.to_uppercase()).to_string();
        assert_eq!(left(&plain), "\"see [address of a file].\"");
        assert_eq!(left(&json!(percent).to_string()), "\"[address of a file]\"");
        assert_eq!(left(&format!("\"{ascii}\"")), "\"[address of a file]\"");
        assert_eq!(left(&nested), r#""{\"u\":\"[address of a file]\"}""#);
        assert_eq!(left(&html), "\"[address of a file]\"");
        assert_eq!(left(&twice), "\"[address of a file]\"");
        // Letters of another case are another address.
        assert_eq!(left(&louder), louder);
    }

    #[test]
    fn the_parts_that_let_somebody_in_are_replaced_too() {
        let path = json!(&ADDRESS["https://gate.example:8443".len()..]).to_string();
        assert_eq!(left(&path), "\"[address of a file]\"");
        let parts = json!({"name": "a+long+name+of+a+file+b%20c.mp4", "signature": "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-AbCdE"});
        let left: Value = serde_json::from_str(&left(&parts.to_string())).unwrap();
        assert_eq!(
            left,
            json!({"name": "a+long+name+of+a+file+b%20c.mp4", "signature": "[address of a file]"})
        );
    }

    #[test]
    fn a_short_file_is_known_in_every_writing() {
        let encoded = "Pj4+Pz8/QUJDREVG/w==";
        let sent = [SentContent::Content { id: "file_1".into(), encoded: encoded.into() }];
        let left = |text: &str| {
            let result = RawJson::parse(format!("{{\"a\": \"{text}\"}}").into()).expect("JSON");
            without(result, &sent).as_str().to_owned()
        };
        for written in
            [encoded, "Pj4+Pz8/QUJDREVG/w", "Pj4-Pz8_QUJDREVG_w", "Pj4+Pz8\\/QUJDREVG\\/w\\u003d\\u003D"]
        {
            assert_eq!(left(written), "{\"a\": \"[content of file_1]\"}", "{written}");
            assert_eq!(
                left(&format!("x\\n{written}.")),
                "{\"a\": \"x\\n[content of file_1].\"}",
                "{written}"
            );
        }
        for other in ["xPj4+Pz8/QUJDREVG/w==", "Pj4+Pz8/QUJDREVG/wAB", "Pj4+Pz8/QUJDREVG"] {
            assert_eq!(left(other), format!("{{\"a\": \"{other}\"}}"));
        }
    }

    #[test]
    fn what_is_spelled_letter_by_letter_is_replaced_too() {
        let spelled: String = ADDRESS.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        assert_eq!(left(&format!("\"see {spelled}.\"")), "\"see [address of a file].\"");
        let nested = json!(format!("{{\"u\":\"{spelled}\"}}")).to_string();
        assert_eq!(left(&nested), r#""{\"u\":\"[address of a file]\"}""#);
        let other = r#"{"a":"\u0041\u0062c \\u0041"}"#;
        assert_eq!(left(other), other);
    }

    #[test]
    fn everything_else_stays_byte_for_byte() {
        let result =
            r#"{ "content" : [ {"type":"text","text":"https:\/\/gate.example:8443\/ \u0026"} ], "n":1.10 }"#;
        assert_eq!(left(result), result);
    }
}
