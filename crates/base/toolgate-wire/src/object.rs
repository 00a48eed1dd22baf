//! A JSON object as its members in order, each value untouched.
//!
//! Written by hand because maps reorder or merge keys and typed structs drop unknown members; a gateway that
//! promises to pass data on byte for byte can afford neither.

use std::borrow::Cow;
use std::collections::HashSet;

use toolgate_core::{Raw, RawJson};

use crate::scan::{self, DEPTH_MAX, NotJson, colon_end, skip_space, string_end, value_end};

const FEW_MEMBERS: usize = 16;
/// The beginning of every numeric escape of an ASCII character, after its backslash.
const ESCAPE: &[u8] = b"u00";
/// A text of which most messages are shorter.
const SHORT_BYTES: usize = 4 << 10;

/// The members of one object, borrowed from its text.
#[derive(Debug, Default)]
pub struct ObjectMembers<'a>(Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> ObjectMembers<'a> {
    pub fn parse(object: Raw<'a>) -> Result<Self, NotJson> {
        Self::of_str(object.get())
    }

    pub fn of(object: &'a RawJson) -> Result<Self, NotJson> {
        Self::of_str(object.as_str())
    }

    /// Parses text that is one object, with only white space around it.
    pub fn of_str(text: &'a str) -> Result<Self, NotJson> {
        Self::bounded(text, DEPTH_MAX)
    }

    /// The same, if it nests at most `depth_max` deep.
    pub fn bounded(text: &'a str, depth_max: usize) -> Result<Self, NotJson> {
        let bytes = text.as_bytes();
        let mut at = skip_space(bytes, 0);
        if bytes.get(at) != Some(&b'{') {
            return Err(NotJson { at, what: "expected an object" });
        }
        at = skip_space(bytes, at + 1);
        let mut members = Vec::with_capacity(6);
        if bytes.get(at) != Some(&b'}') {
            loop {
                let (key, start) = read_key(text, at)?;
                let end = value_end(bytes, start, depth_max.saturating_sub(1))?;
                members.push((key, Raw::found(&text[start..end])));
                at = skip_space(bytes, end);
                match bytes.get(at) {
                    Some(b',') => at = skip_space(bytes, at + 1),
                    Some(b'}') => break,
                    _ => return Err(NotJson { at, what: "expected a comma or the closing bracket" }),
                }
            }
        }
        match skip_space(bytes, at + 1) {
            rest if rest == bytes.len() => Ok(Self(members)),
            at => Err(NotJson { at, what: "more text after the end" }),
        }
    }

    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// A member that is a JSON string, decoded.
    pub fn get_str(&self, key: &str) -> Option<Cow<'a, str>> {
        string(self.get(key)?)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, Raw<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    /// True if a key occurs twice: two readers of such an object may see two different things.
    pub fn has_duplicates(&self) -> bool {
        // Comparing each with each is quickest for the few members that messages have; many would cost their square.
        if self.0.len() > FEW_MEMBERS {
            let mut seen = HashSet::with_capacity(self.0.len());
            return self.0.iter().any(|(name, _)| !seen.insert(name.as_ref()));
        }
        self.0
            .iter()
            .enumerate()
            .any(|(at, (name, _))| self.0[..at].iter().any(|(earlier, _)| earlier == name))
    }

    /// The members but those `without` names, as text without braces, appended to `text`.
    pub fn write_without(&self, text: &mut String, without: impl Fn(&str) -> bool) {
        for (name, value) in &self.0 {
            if !without(name) {
                push_member(text, name, value.get());
            }
        }
    }
}

/// Appends `"name":value` and the comma before it, where one is needed.
pub fn push_member(text: &mut String, name: &str, value: &str) {
    if !text.is_empty() && !text.ends_with('{') {
        text.push(',');
    }
    push_string(text, name);
    text.push(':');
    text.push_str(value);
}

/// Appends a JSON string.
pub fn push_string(text: &mut String, value: &str) {
    let plain = value.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if plain {
        text.push('"');
        text.push_str(value);
        text.push('"');
    } else {
        text.push_str(&serde_json::to_string(value).expect("a string serialises"));
    }
}

/// The decoded text of a raw value that is a JSON string.
pub fn string(value: Raw<'_>) -> Option<Cow<'_, str>> {
    let text = value.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(text).ok().map(Cow::Owned)
}

/// `object` with the value of its top-level member `key` replaced by the JSON text `value`, everything else
/// unchanged; a missing member is put first. If it occurs several times, one is left: most readers use the
/// last.
pub fn with_member(object: &str, key: &str, value: &str) -> Result<String, NotJson> {
    let members = ObjectMembers::of_str(object)?;
    let mut text = String::with_capacity(object.len() + key.len() + value.len() + 8);
    let mut named = members.iter().filter(|(name, _)| *name == key).map(|(_, value)| value);
    match named.next() {
        Some(_) if named.next().is_some() => {
            text.push('{');
            push_member(&mut text, key, value);
            members.write_without(&mut text, |name| name == key);
            text.push('}');
        }
        Some(old) => {
            let start = old.get().as_ptr() as usize - object.as_ptr() as usize;
            text.push_str(&object[..start]);
            text.push_str(value);
            text.push_str(&object[start + old.get().len()..]);
        }
        None => insert_first(&mut text, object, key, value),
    }
    Ok(text)
}

/// Appends `object` with one more member in front of the others.
pub fn insert_first(text: &mut String, object: &str, key: &str, value: &str) {
    let rest = object.trim_start().strip_prefix('{').unwrap_or("}").trim_start();
    text.push('{');
    push_member(text, key, value);
    if !rest.starts_with('}') {
        text.push(',');
    }
    text.push_str(rest);
}

/// `object` without its top-level member `key`.
pub fn without_member(object: &str, key: &str) -> Result<String, NotJson> {
    let members = ObjectMembers::of_str(object)?;
    let mut text = String::with_capacity(object.len());
    text.push('{');
    members.write_without(&mut text, |name| name == key);
    text.push('}');
    Ok(text)
}

/// The key whose quote is at `at`, and the start of its value.
fn read_key(text: &str, at: usize) -> Result<(Cow<'_, str>, usize), NotJson> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'"') {
        return Err(NotJson { at, what: "expected a key" });
    }
    let end = string_end(bytes, at + 1)?;
    let quoted = &text[at..end];
    let key = if quoted.contains('\\') {
        let decoded = serde_json::from_str(quoted).map_err(|_| NotJson { at, what: "invalid escape" })?;
        Cow::Owned(decoded)
    } else {
        Cow::Borrowed(&quoted[1..quoted.len() - 1])
    };
    Ok((key, colon_end(bytes, end)?))
}

/// The elements of an array.
pub fn elements(array: Raw<'_>) -> Result<Vec<Raw<'_>>, NotJson> {
    let text = array.get();
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'[') {
        return Err(NotJson { at: 0, what: "expected an array" });
    }
    let mut at = skip_space(bytes, 1);
    let mut elements = Vec::new();
    while bytes.get(at) != Some(&b']') {
        let end = value_end(bytes, at, DEPTH_MAX)?;
        elements.push(Raw::found(&text[at..end]));
        at = skip_space(bytes, end);
        if bytes.get(at) == Some(&b',') {
            at = skip_space(bytes, at + 1);
        }
    }
    Ok(elements)
}

/// True if a JSON text may have `word` in one of its strings, at a fraction of the cost of parsing it. A text
/// that spells letters of it as escapes counts as having it.
pub fn may_say(text: &[u8], word: &str) -> bool {
    has(text, word.as_bytes()) || may_spell(text, word)
}

/// Preparing a search costs more than going through a short text.
fn has(text: &[u8], word: &[u8]) -> bool {
    match word.first() {
        Some(first) if text.len() <= SHORT_BYTES => {
            memchr::memchr_iter(*first, text).any(|at| text[at..].starts_with(word))
        }
        _ => memchr::memmem::find(text, word).is_some(),
    }
}

/// True if one of these ASCII characters is written as an escape in a JSON text.
pub fn may_spell(text: &[u8], letters: &str) -> bool {
    let is_one = |at: usize| {
        let after = &text[at + 1..];
        let digits = after.strip_prefix(ESCAPE).and_then(|rest| str::from_utf8(rest.get(..2)?).ok());
        let code = match digits {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => after.first().copied().filter(|byte| *byte == b'/'),
        };
        code.is_some_and(|code| letters.as_bytes().contains(&code))
    };
    memchr::memchr_iter(b'\\', text).any(is_one)
}

/// The value that `text` is, checked.
pub fn raw(text: &str) -> Result<Raw<'_>, NotJson> {
    scan::whole(text).map(Raw::found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_a_member_leaves_every_other_byte() {
        let object = r#"{ "a" : 1.10, "name":"x" ,"z":{"n":12345678901234567890123} }"#;
        let changed = with_member(object, "name", r#""y""#).expect("valid");
        assert_eq!(changed, r#"{ "a" : 1.10, "name":"y" ,"z":{"n":12345678901234567890123} }"#);
    }

    #[test]
    fn a_missing_member_is_put_first() {
        assert_eq!(with_member("{}", "a", "1").expect("valid"), r#"{"a":1}"#);
        assert_eq!(with_member(r#"{ "b":2}"#, "a", "1").expect("valid"), r#"{"a":1,"b":2}"#);
    }

    #[test]
    fn a_member_that_stands_several_times_is_replaced_for_every_reader() {
        let text = with_member(r#"{"a":1,"b":2,"\u0061":3}"#, "a", "4").expect("valid");
        assert_eq!(text, r#"{"a":4,"b":2}"#);
    }

    #[test]
    fn only_the_top_level_member_is_removed() {
        let text = without_member(r#"{"a":{"k":1},"k":2,"b":3}"#, "k").expect("valid");
        assert_eq!(text, r#"{"a":{"k":1},"b":3}"#);
    }

    #[test]
    fn escaped_keys_and_strings_are_decoded() {
        let members = ObjectMembers::of_str(r#"{"n\u0061me":"a\"b"}"#).expect("valid");
        assert_eq!(members.get_str("name").as_deref(), Some("a\"b"));
    }

    #[test]
    fn a_word_is_found_however_it_is_spelled() {
        let says = |text: &str| may_say(text.as_bytes(), "file_id");
        assert!(
            says(r#"{"file_id":1}"#) && says(r#"{"file\u005fid":1}"#) && says(r#"{"\u0066ile\u005Fid":1}"#)
        );
        assert!(!says(r#"{"path":"caf\u00e9 \u003cb\u003e \u001b[0m \u00","a":"\u2028"}"#));
        assert!(may_say(br#"{"a\/b":1}"#, "a/b") && !may_say(br#"{"c\/d":1}"#, "ab"));
    }

    #[test]
    fn a_key_that_stands_twice_is_noticed() {
        assert!(ObjectMembers::of_str(r#"{"a":1,"\u0061":2}"#).expect("valid").has_duplicates());
        let many: Vec<String> = (0..1_000).map(|at| format!("\"k{at}\":{at}")).collect();
        assert!(!ObjectMembers::of_str(&format!("{{{}}}", many.join(","))).expect("valid").has_duplicates());
        assert!(
            ObjectMembers::of_str(&format!("{{{},\"k7\":0}}", many.join(",")))
                .expect("valid")
                .has_duplicates()
        );
    }
}
