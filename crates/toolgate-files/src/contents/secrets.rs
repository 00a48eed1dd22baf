//! Addresses that open a file by themselves, and that a server may have sent back.

use std::borrow::Cow;
use std::fmt::Write;

use regex::Regex;
use toolgate_core::RawJson;

/// What stands where such an address stood.
const INSTEAD: &str = "[address of a file]";
/// The ends of the names of parameters that open an address.
const OPENING: [&str; 3] = ["signature", "token", "key"];
/// A shorter value would be found everywhere.
const VALUE_BYTES_MIN: usize = 16;

/// A result without secrets, however they are escaped: for JSON, as often as it is nested, for addresses, or for HTML.
pub(super) fn without(result: RawJson, secrets: &[String]) -> RawJson {
    let mut wanted: Vec<&str> = secrets.iter().flat_map(|secret| telling(secret)).collect();
    // No escaping changes letters and digits, and looking for those costs next to nothing.
    wanted.retain(|text| memchr::memmem::find(result.as_bytes(), letters(text).as_bytes()).is_some());
    if wanted.is_empty() {
        return result;
    }
    let pattern = pattern(&wanted);
    let Ok(pattern) = Regex::new(&pattern) else {
        // An address that is too long to look for must not come back by accident.
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

/// The parts of an address that would let somebody in: all of it, what stands behind the host, and its signature.
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
    // Writing JSON as ASCII, or so that it may stand in HTML, makes `\u0026` of `&`; nested once more, `\\u0026`.
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
        let left = without(result, &[ADDRESS.to_owned()]);
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
    fn everything_else_stays_byte_for_byte() {
        let result =
            r#"{ "content" : [ {"type":"text","text":"https:\/\/gate.example:8443\/ \u0026"} ], "n":1.10 }"#;
        assert_eq!(left(result), result);
    }
}
