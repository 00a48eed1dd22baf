//! Values of credentials that went to a server, removed from everything that the server says. Whoever has the handle
//! must not learn the value from an echo, however it is written.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};
use toolgate_core::credential::SentSecret;
use toolgate_core::{RawJson, RpcError};

/// A shorter value would be found everywhere; it is removed where it is the whole of a text.
const PART_CHARS_MIN: usize = 6;
/// Enough for a value of some thousand characters.
const PATTERN_BYTES_MAX: usize = 64 << 20;

/// Hides values, each behind the handle that it came from. It is never printed: a pattern tells what it looks for.
pub struct SecretMask {
    /// The longest first: one may be part of another.
    values: Vec<MaskedValue>,
}

struct MaskedValue {
    sent: SentSecret,
    mark: String,
    /// Every way to write it; `None` if it is too short to be looked for within texts.
    pattern: Option<Regex>,
}

impl SecretMask {
    /// `None` if nothing was sent.
    pub fn new(sent: Vec<SentSecret>) -> Option<Self> {
        let mut values: Vec<MaskedValue> = sent.into_iter().map(MaskedValue::new).collect();
        values.sort_by_key(|one| std::cmp::Reverse(one.sent.to_hide().len()));
        (!values.is_empty()).then_some(Self { values })
    }

    /// The same without the values. If nothing is hidden, it is the same to the last byte.
    pub fn json(&self, json: RawJson) -> RawJson {
        let Ok(mut said) = json.decode::<Value>() else { return withheld() };
        // Of a member that is there twice, one was decoded.
        if self.hide(&mut said) || self.is_in(json.as_str()) { said.into() } else { json }
    }

    /// An error of a server, whose text and data may repeat a value.
    pub fn error(&self, error: RpcError) -> RpcError {
        let RpcError { code, message, data } = error;
        RpcError { code, message: self.text(message), data: data.map(|data| self.json(data)) }
    }

    pub fn text(&self, mut text: String) -> String {
        for one in &self.values {
            one.hide(&mut text);
        }
        text
    }

    fn is_in(&self, text: &str) -> bool {
        self.values.iter().any(|one| one.is_in(text))
    }

    /// Returns true if something was hidden.
    fn hide(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => count(self.values.iter().map(|one| one.hide(text))) > 0,
            Value::Number(number) => {
                let digits = number.to_string();
                let is_it = |one: &&MaskedValue| one.pattern.is_some() && one.sent.to_hide() == digits;
                let Some(found) = self.values.iter().find(is_it) else { return false };
                *value = Value::from(found.mark.as_str());
                true
            }
            Value::Array(all) => count(all.iter_mut().map(|one| self.hide(one))) > 0,
            Value::Object(all) => {
                let hidden = count(all.values_mut().map(|one| self.hide(one))) > 0;
                self.hide_keys(all) || hidden
            }
            Value::Null | Value::Bool(_) => false,
        }
    }

    fn hide_keys(&self, members: &mut serde_json::Map<String, Value>) -> bool {
        let masked = |key: &String| self.text(key.clone()) != *key;
        if !members.keys().any(masked) {
            return false;
        }
        *members = std::mem::take(members).into_iter().map(|(key, value)| (self.text(key), value)).collect();
        true
    }
}

impl MaskedValue {
    fn new(sent: SentSecret) -> Self {
        let value = sent.to_hide();
        let pattern = (value.chars().count() >= PART_CHARS_MIN).then(|| pattern(value)).flatten();
        Self { mark: format!("[secret {}]", sent.handle), pattern, sent }
    }

    /// True if it is part of a text.
    fn is_in(&self, text: &str) -> bool {
        let value = self.sent.to_hide();
        match &self.pattern {
            Some(pattern) => pattern.is_match(text),
            None => value.chars().count() >= PART_CHARS_MIN && text.contains(value),
        }
    }

    /// Returns true if something was hidden.
    fn hide(&self, text: &mut String) -> bool {
        let value = self.sent.to_hide();
        let left = match &self.pattern {
            None if text.as_str() == value => self.mark.clone(),
            _ if !self.is_in(text) => return false,
            Some(pattern) => pattern.replace_all(text, regex::NoExpand(&self.mark)).into_owned(),
            // It was too long for a pattern.
            None => text.replace(value, &self.mark),
        };
        *text = left;
        true
    }
}

/// What cannot be searched may hold a value.
fn withheld() -> RawJson {
    json!({
        "content": [{ "type": "text", "text": "[withheld: it may hold the value of a credential]" }],
        "isError": true,
    })
    .into()
}

/// The value with each character plain, or escaped for JSON within a text at any depth, for an address, or for HTML; or the
/// whole of it in Base64, as in a header for basic authentication.
fn pattern(value: &str) -> Option<Regex> {
    let mut pattern = String::new();
    value.chars().for_each(|c| push_character(&mut pattern, c));
    (0..3).for_each(|bytes_before| push_base64(&mut pattern, value, bytes_before));
    RegexBuilder::new(&pattern).size_limit(PATTERN_BYTES_MAX).build().ok()
}

fn push_character(pattern: &mut String, c: char) {
    let mut percent = String::new();
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        write!(percent, "%(?:25)*(?i:{byte:02x})").expect("a string takes everything");
    }
    let mut units = String::new();
    for unit in c.encode_utf16(&mut [0; 2]) {
        write!(units, r"\\+u(?i:{unit:04x})").expect("a string takes everything");
    }
    let own = regex::escape(c.encode_utf8(&mut [0; 4]));
    let others = match c {
        '"' => r#"|\\+"|&quot;|&#34;"#,
        '\\' => r"|\\+",
        '/' => r"|\\+/",
        '\u{8}' => r"|\\+b",
        '\u{c}' => r"|\\+f",
        '\n' => r"|\\+n",
        '\r' => r"|\\+r",
        '\t' => r"|\\+t",
        ' ' => r"|\+",
        '&' => "|&amp;",
        '<' => "|&lt;",
        '>' => "|&gt;",
        '\'' => "|&#39;|&#x27;|&apos;",
        _ => "",
    };
    // Longer forms first: of a backslash that is written twice, both belong to the value.
    let others = others.strip_prefix('|').map(|forms| format!("{forms}|")).unwrap_or_default();
    write!(pattern, "(?:{others}{percent}|{units}|{own})").expect("a string takes everything");
}

/// Appends what is always the same of a value in Base64, behind so many bytes of a group of three: the letters that have
/// bits of nothing else.
fn push_base64(pattern: &mut String, value: &str, bytes_before: usize) {
    let bytes = [&[0; 2][..bytes_before], value.as_bytes()].concat();
    let letters = STANDARD_NO_PAD.encode(&bytes);
    let own = (bytes_before * 8).div_ceil(6)..bytes.len() * 8 / 6;
    pattern.push('|');
    for letter in letters[own].chars() {
        match letter {
            '+' => pattern.push_str(r"[+\-]"),
            '/' => pattern.push_str(r"(?:_|\\*/)"),
            _ => pattern.push(letter),
        }
    }
}

/// The number of true ones. All of them are asked for.
fn count(hidden: impl Iterator<Item = bool>) -> usize {
    hidden.filter(|one| *one).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "p/s \"w\\ü&1";
    const MARK: &str = "[secret cred_1.password]";

    fn mask(value: &str) -> SecretMask {
        let sent = SentSecret::new("cred_1.password".to_owned(), value.to_owned());
        SecretMask::new(vec![sent]).expect("something was sent")
    }

    fn left(value: &str, said: &Value) -> Value {
        mask(value).json(RawJson::from(said.clone())).decode().expect("still JSON")
    }

    #[test]
    fn a_value_is_replaced_however_it_is_written() {
        let percent: String = VALUE.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let spelled: String = VALUE.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let nested = json!({ "p": VALUE }).to_string();
        let twice = json!({ "p": nested }).to_string();
        let html = VALUE.replace('&', "&amp;").replace('"', "&quot;");
        let plus = VALUE.replace(' ', "+");
        for written in
            [VALUE, &percent, &percent.to_lowercase(), &percent.replace('%', "%25"), &spelled, &html, &plus]
        {
            let said = json!({ "content": [{ "type": "text", "text": format!("got {written}.") }] });
            assert_eq!(left(VALUE, &said)["content"][0]["text"], format!("got {MARK}."), "{written}");
        }
        assert_eq!(left(VALUE, &json!([nested])), json!([json!({ "p": MARK }).to_string()]));
        let within = left(VALUE, &json!([twice]));
        assert!(within.to_string().contains(MARK) && !within.to_string().contains('ü'), "{within}");
    }

    #[test]
    fn a_value_in_base64_is_replaced_wherever_it_begins() {
        for before in ["", "a", "ada:", "ad:"] {
            for value in ["hunter2", "~~~???>>>", "pässword 12"] {
                let encoded = STANDARD_NO_PAD.encode(format!("{before}{value}, and more"));
                for written in [encoded.clone(), encoded.replace('+', "-").replace('/', "_")] {
                    let left = mask(value).text(format!("Basic {written}"));
                    assert!(left.starts_with("Basic ") && left.contains(MARK), "{before}{value}: {left}");
                }
            }
        }
        let other = format!("Basic {}", STANDARD_NO_PAD.encode("ada:hunger2"));
        assert_eq!(mask("hunter2").text(other.clone()), other);
    }

    #[test]
    fn keys_and_numbers_are_texts_too() {
        assert_eq!(left("12345678", &json!({ "n": 12_345_678, "m": 123 })), json!({ "n": MARK, "m": 123 }));
        assert_eq!(left("hunter2", &json!({ "a hunter2 b": [1] })), json!({ (format!("a {MARK} b")): [1] }));
    }

    #[test]
    fn a_short_value_is_replaced_where_it_is_all_of_a_text() {
        let said = json!({ "code": "1234", "text": "12345 and 1234", "n": 1234 });
        assert_eq!(left("1234", &said), json!({ "code": MARK, "text": "12345 and 1234", "n": 1234 }));
    }

    #[test]
    fn a_value_that_is_part_of_another_does_not_uncover_it() {
        let sent = [("cred_1.user", "hunter"), ("cred_1.password", "hunter2")];
        let sent = sent.map(|(handle, value)| SentSecret::new(handle.to_owned(), value.to_owned()));
        let mask = SecretMask::new(sent.to_vec()).expect("something was sent");
        assert_eq!(mask.text("hunter hunter2".to_owned()), "[secret cred_1.user] [secret cred_1.password]");
    }

    #[test]
    fn everything_else_stays_to_the_last_byte() {
        let said = RawJson::from_composed(r#"{ "n": 1.50,"t":"hunter" }"#.to_owned());
        assert_eq!(mask("hunter2").json(said.clone()), said);
        assert!(SecretMask::new(Vec::new()).is_none());
    }

    #[test]
    fn a_member_that_is_there_twice_hides_nothing() {
        let said = RawJson::from_composed(r#"{"text":"is hunter2","text":"nothing"}"#.to_owned());
        let left = mask("hunter2").json(said);
        assert_eq!(left.as_str(), r#"{"text":"nothing"}"#);
    }

    #[test]
    fn errors_are_looked_through() {
        let error = RpcError::new(RpcError::INTERNAL, "wrong password hunter2");
        assert_eq!(mask("hunter2").error(error).message, format!("wrong password {MARK}"));
    }

    #[test]
    fn a_long_value_has_a_pattern_too() {
        let long = "aB3é".repeat(200);
        let mask = mask(&long);
        assert!(mask.values[0].pattern.is_some());
        assert_eq!(mask.text(format!("x{long}y")), format!("x{MARK}y"));
    }
}
