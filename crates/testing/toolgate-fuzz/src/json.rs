//! The scanner and the editor of JSON against serde_json. Their documented differences: the maximum depth,
//! and keys that are not Unicode.

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_core::{Raw, RawJson};
use toolgate_pipeline::canonical::{self, BadArguments};
use toolgate_wire::object::{self, may_say, with_member, without_member};
use toolgate_wire::scan::{self, DEPTH_MAX};
use toolgate_wire::{ObjectMembers, compose};

/// Not a likely key, and one that must be escaped.
const NEW_KEY: &str = "new \"key\"\n";
const NEW_VALUE: &str = "[1,{}]";
/// Characters with their own escape; no search word has one.
const NEVER_SEARCHED: [char; 7] = ['"', '\\', '\n', '\r', '\t', '\u{8}', '\u{c}'];
/// The additional depth of a value that is wrapped or edited, since serde_json reads no deeper than we do.
const ROOM: usize = 3;

pub(crate) fn try_one(input: &[u8]) {
    let kept = RawJson::parse(Bytes::copy_from_slice(input));
    let Ok(text) = std::str::from_utf8(input) else {
        assert!(kept.is_err(), "bytes that are no text were taken for JSON");
        return;
    };
    let ours = scan::whole(text);
    let theirs = serde_json::from_str::<&RawValue>(text).is_ok();
    agree(text, ours.is_ok(), theirs);
    assert_eq!(kept.is_ok(), theirs, "kept bytes are judged like text: {text:?}");
    let Ok(raw) = ours.map(Raw::found) else { return };
    strict(text);
    // Numbers beyond a double and lone surrogates are JSON, and no value.
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && depth(text) <= DEPTH_MAX - ROOM
    {
        same_parts(raw, &value);
    }
}

/// Both accept a text or both refuse it, up to the maximum depth.
fn agree(text: &str, ours: bool, theirs: bool) {
    assert!(
        ours == theirs || (theirs && depth(text) > DEPTH_MAX),
        "we say {ours}, serde_json {theirs}: {text:?}"
    );
}

/// The nesting depth of a JSON text.
fn depth(text: &str) -> usize {
    let (mut now, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                now += 1;
                deepest = deepest.max(now);
            }
            b'}' | b']' if !in_string => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// A text that is unambiguous for all readers stays the same value when it is written canonically.
fn strict(text: &str) {
    let Ok(value) = canonical::parse(text) else { return };
    let written = canonical::canonical(&value);
    match canonical::parse(&written) {
        Ok(again) => assert_eq!(canonical::canonical(&again), written, "{text:?}"),
        // A double from 2^64 on may be written as an integer, and arguments have none that wide.
        Err(BadArguments::IntegerTooWide { .. }) => {}
        Err(bad) => panic!("a canonical text is not read again: {bad}: {text:?}"),
    }
}

fn same_parts(raw: Raw<'_>, value: &Value) {
    let answer = compose::response("1", raw.get());
    let answer: Value = serde_json::from_slice(&answer).expect("an answer around a value is JSON");
    assert_eq!(answer["result"], *value);
    match value {
        Value::Object(members) => same_members(raw, members),
        Value::Array(items) => {
            let elements = object::elements(raw).expect("an array has elements");
            assert_eq!(elements.len(), items.len(), "{}", raw.get());
            elements.iter().zip(items).for_each(|(raw, item)| assert_eq!(read(*raw), *item));
        }
        Value::String(text) => assert_eq!(object::string(raw).as_deref(), Some(text.as_str())),
        _ => assert_eq!(object::string(raw), None),
    }
}

fn read(raw: Raw<'_>) -> Value {
    serde_json::from_str(raw.get()).expect("a part of a value is a value")
}

fn same_members(raw: Raw<'_>, expected: &serde_json::Map<String, Value>) {
    let members = ObjectMembers::parse(raw).expect("an object has members");
    let count = members.iter().count();
    assert_eq!(members.has_duplicates(), count != expected.len(), "{}", raw.get());
    for (key, _) in members.iter().filter(|(key, _)| key.is_ascii()) {
        assert!(key.contains(NEVER_SEARCHED) || may_say(raw.get().as_bytes(), key), "{key:?} is there");
    }
    if members.has_duplicates() {
        // Whichever of them a reader uses, it is the new value.
        expected.keys().for_each(|key| edited(raw.get(), key, None, expected));
        return;
    }
    for (key, value) in members.iter() {
        assert_eq!(Some(&read(value)), expected.get(key), "{key:?}");
    }
    edited(raw.get(), NEW_KEY, None, expected);
    if let Some((key, old)) = members.iter().next() {
        edited(raw.get(), key, Some(old.get()), expected);
    }
}

/// An edited text is the edited value, and everything else of it stays byte for byte.
fn edited(text: &str, key: &str, old: Option<&str>, expected: &serde_json::Map<String, Value>) {
    let changed = with_member(text, key, NEW_VALUE).expect("an object can be edited");
    let mut wanted = expected.clone();
    wanted.insert(key.to_owned(), serde_json::from_str(NEW_VALUE).expect("it is JSON"));
    assert_eq!(parsed(&changed), wanted, "{text}");
    if let Some(old) = old {
        assert_eq!(with_member(&changed, key, old).expect("an object can be edited"), text);
    }
    let without = without_member(&changed, key).expect("an object can be edited");
    wanted.shift_remove(key);
    assert_eq!(parsed(&without), wanted, "{text}");
}

fn parsed(text: &str) -> serde_json::Map<String, Value> {
    serde_json::from_str(text).expect("an edited object is an object")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_alone_may_be_judged_differently() {
        agree(&"[".repeat(DEPTH_MAX + 1), false, true);
        try_one(format!("{}{}", "[".repeat(200), "]".repeat(200)).as_bytes());
    }

    #[test]
    #[should_panic(expected = "we say true, serde_json false")]
    fn a_text_that_only_we_take_is_a_finding() {
        agree("[1,]", true, false);
    }

    #[test]
    #[should_panic(expected = "left == right")]
    fn a_member_that_is_lost_is_a_finding() {
        let members = parsed(r#"{"a":1,"b":2}"#);
        same_members(Raw::found(r#"{"a":1}"#), &members);
    }
}
