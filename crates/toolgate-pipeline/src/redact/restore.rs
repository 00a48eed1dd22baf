//! Putting back what was taken out, where an approver changed other things.

use serde_json::{Map, Value};

use super::{MARKER, binary};
use crate::canonical::escape_step;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the edited arguments hold {MARKER:?} at {path:?}, where the original has nothing to put back\nhint: leave redacted values where they are, and the lists around them as long as they are"
)]
pub struct Unrestorable {
    /// A JSON pointer.
    pub path: String,
}

/// The edited arguments with the original's values wherever the edit still holds what stood in for them. A stand-in
/// for which there is no original is refused: a call must not run with the word for a secret in place of one.
pub fn restore(edited: Value, original: &Value) -> Result<Value, Unrestorable> {
    put_back(edited, Some(original), &mut String::new())
}

fn put_back(edited: Value, original: Option<&Value>, path: &mut String) -> Result<Value, Unrestorable> {
    match edited {
        Value::String(text) => stand_in(text, original, path),
        Value::Object(members) => {
            put_back_members(members, original.and_then(Value::as_object), path).map(Value::Object)
        }
        Value::Array(items) => {
            put_back_items(items, original.and_then(Value::as_array), path).map(Value::Array)
        }
        other => Ok(other),
    }
}

fn stand_in(text: String, original: Option<&Value>, path: &str) -> Result<Value, Unrestorable> {
    match original {
        Some(original) if text == MARKER => Ok(original.clone()),
        None if text == MARKER => Err(Unrestorable { path: path.to_owned() }),
        Some(Value::String(before))
            if text.starts_with(binary::MARKER_START) && text == binary::marker(before) =>
        {
            Ok(Value::String(before.clone()))
        }
        _ => Ok(Value::String(text)),
    }
}

fn put_back_members(
    members: Map<String, Value>,
    original: Option<&Map<String, Value>>,
    path: &mut String,
) -> Result<Map<String, Value>, Unrestorable> {
    let put_back_member = |(key, value): (String, Value)| {
        let before = original.and_then(|original| original.get(&key));
        let value = below(path, &escape_step(&key), |path| put_back(value, before, path))?;
        Ok((key, value))
    };
    members.into_iter().map(put_back_member).collect()
}

/// A list that has become longer or shorter no longer says which item was which; nothing is put back into it, or one
/// person's secret could end up with another's name.
fn put_back_items(
    items: Vec<Value>,
    original: Option<&Vec<Value>>,
    path: &mut String,
) -> Result<Vec<Value>, Unrestorable> {
    let original = original.filter(|original| original.len() == items.len());
    let put_back_item = |(index, item): (usize, Value)| {
        let before = original.and_then(|original| original.get(index));
        below(path, &index.to_string(), |path| put_back(item, before, path))
    };
    items.into_iter().enumerate().map(put_back_item).collect()
}

fn below<T>(path: &mut String, step: &str, work: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    path.push('/');
    path.push_str(step);
    let result = work(path);
    path.truncate(length);
    result
}

/// Whether something in a value stands in for what was taken out.
pub fn mentions_marker(value: &Value) -> bool {
    match value {
        Value::String(text) => text == MARKER || text.starts_with(binary::MARKER_START),
        Value::Array(items) => items.iter().any(mentions_marker),
        Value::Object(members) => members.values().any(mentions_marker),
        _ => false,
    }
}
