//! Looking into JSON that others wrote: what is missing, null or of another type is simply not there.

use serde_json::Value;
use toolgate_core::RawJson;

/// The text at a pointer, unless it is empty.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The number at a pointer, or none.
pub(super) fn count(value: &Value, pointer: &str) -> u64 {
    number(value, pointer).unwrap_or(0)
}

pub(super) fn number(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

/// The list at a pointer; empty if there is none.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// JSON of ours as a value. Nothing is left of JSON that is nested too deeply to be read.
pub(super) fn value(raw: &RawJson) -> Value {
    raw.decode().unwrap_or(Value::Null)
}
