//! Arguments as one value and one text: parsed once, strictly, and written canonically so that equal
//! arguments have equal digests. What the digest is bound to lives elsewhere.
//!
//! The text is RFC 8785 (keys by UTF-16 code units, numbers as ECMAScript writes them, the fewest escapes),
//! with one deliberate difference: integers from 2^53 on keep all their digits as far as 64 bits reach. The
//! RFC rounds them to a double, and then an approval for one amount would also cover its neighbours.
//! Fractions have the precision of a double.

mod parse;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value};
use toolgate_core::Digest;

pub(crate) use parse::escape_step;
pub use parse::{BadArguments, DEPTH_MAX, parse};

/// From here on a double no longer tells neighbouring whole numbers apart: 2^53.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// 2^64: no 64-bit integer reaches it.
const UNSIGNED_END: f64 = 18_446_744_073_709_551_616.0;
/// -2^63, the smallest 64-bit integer.
const SIGNED_MIN: f64 = -9_223_372_036_854_775_808.0;
/// Enough for most arguments without growing.
const TEXT_BYTES_USUAL: usize = 256;

/// The canonical text of a value.
pub fn canonical(value: &Value) -> String {
    let mut text = String::with_capacity(TEXT_BYTES_USUAL);
    write_value(&mut text, value);
    text
}

/// The digest of the canonical text.
pub fn digest_of(value: &Value) -> Digest {
    Digest::of(canonical(value))
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => write_number(text, number),
        Value::String(string) => write_string(text, string),
        Value::Array(items) => write_array(text, items),
        Value::Object(members) => write_object(text, members),
    }
}

fn write_array(text: &mut String, items: &[Value]) {
    text.push('[');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        write_value(text, item);
    }
    text.push(']');
}

fn write_object(text: &mut String, members: &Map<String, Value>) {
    if members.keys().is_sorted_by(|left, right| by_utf16(left, right) == Ordering::Less) {
        return write_members(text, members.iter());
    }
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by(|(left, _), (right, _)| by_utf16(left, right));
    write_members(text, sorted.into_iter());
}

fn write_members<'a>(text: &mut String, members: impl Iterator<Item = (&'a String, &'a Value)>) {
    text.push('{');
    for (place, (key, value)) in members.enumerate() {
        if place > 0 {
            text.push(',');
        }
        write_string(text, key);
        text.push(':');
        write_value(text, value);
    }
    text.push('}');
}

/// UTF-8 sorts by code point; UTF-16 puts characters with a surrogate pair before U+E000.
fn by_utf16(left: &str, right: &str) -> Ordering {
    if left.is_ascii() && right.is_ascii() {
        return left.cmp(right);
    }
    left.encode_utf16().cmp(right.encode_utf16())
}

fn write_string(text: &mut String, string: &str) {
    text.push('"');
    let mut rest = string;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        text.push_str(&rest[..at]);
        write_escape(text, rest.as_bytes()[at]);
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
    text.push('"');
}

fn write_escape(text: &mut String, byte: u8) {
    match byte {
        b'"' => text.push_str("\\\""),
        b'\\' => text.push_str("\\\\"),
        8 => text.push_str("\\b"),
        9 => text.push_str("\\t"),
        10 => text.push_str("\\n"),
        12 => text.push_str("\\f"),
        13 => text.push_str("\\r"),
        control => write!(text, "\\u{control:04x}").expect("writing to a string never fails"),
    }
}

fn write_number(text: &mut String, number: &Number) {
    if let Some(unsigned) = number.as_u64().or_else(|| exact_unsigned(number)) {
        write!(text, "{unsigned}").expect("writing to a string never fails");
    } else if let Some(signed) = number.as_i64().or_else(|| exact_signed(number)) {
        write!(text, "{signed}").expect("writing to a string never fails");
    } else {
        let float = number.as_f64().expect("a parsed number that is no integer is a double");
        text.push_str(ryu_js::Buffer::new().format_finite(float));
    }
}

/// A double is written like the integer it equals, or the same number would have two texts, and, past 2^53, two
/// different numbers could have one.
fn exact_unsigned(number: &Number) -> Option<u64> {
    let float = number.as_f64()?;
    (EXACT_MAX..UNSIGNED_END).contains(&float).then_some(float as u64)
}

fn exact_signed(number: &Number) -> Option<i64> {
    let float = number.as_f64()?;
    (SIGNED_MIN..=-EXACT_MAX).contains(&float).then_some(float as i64)
}
