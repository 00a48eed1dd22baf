//! Restoring removed values after an approver changed other things.

use serde_json::{Map, Value};

use super::binary;
use super::mark::{MARK_START, MARKER, is_mark};
use crate::canonical::escape_step;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the edited arguments hold {MARKER:?} at {path:?}, where the original has nothing to put back\nhint: leave redacted values where they are, and the lists around them as long as they are"
)]
pub struct Unrestorable {
    /// A JSON pointer.
    pub path: String,
}

/// The edited arguments, with the original's values wherever the edit still has their marks: `shown` are the
/// arguments as approvers saw them. A mark without an original is refused: a call must not run with the mark
/// of a secret in place of the secret.
pub fn restore(edited: Value, original: &Value, shown: &Value) -> Result<Value, Unrestorable> {
    put_back(edited, Some(OriginalValue { original, shown }), &mut String::new())
}

/// The original value at a place.
#[derive(Clone, Copy)]
struct OriginalValue<'a> {
    original: &'a Value,
    shown: &'a Value,
}

impl<'a> OriginalValue<'a> {
    fn member(self, key: &str) -> Option<OriginalValue<'a>> {
        Some(OriginalValue { original: self.original.get(key)?, shown: self.shown.get(key)? })
    }

    fn item(self, index: usize) -> Option<OriginalValue<'a>> {
        Some(OriginalValue { original: self.original.get(index)?, shown: self.shown.get(index)? })
    }

    /// True if approvers saw only part of a text.
    fn is_text_in_part(self) -> bool {
        self.original != self.shown && self.shown.as_str().is_some_and(|text| text.contains(MARK_START))
    }
}

fn put_back(
    edited: Value,
    before: Option<OriginalValue<'_>>,
    path: &mut String,
) -> Result<Value, Unrestorable> {
    match edited {
        Value::String(text) => stand_in(text, before, path),
        Value::Object(members) => put_back_members(members, before, path).map(Value::Object),
        Value::Array(items) => put_back_items(items, before, path).map(Value::Array),
        other => Ok(other),
    }
}

fn stand_in(text: String, before: Option<OriginalValue<'_>>, path: &str) -> Result<Value, Unrestorable> {
    match before {
        Some(before) if text == MARKER || before.shown.as_str() == Some(&text) => Ok(before.original.clone()),
        Some(before) if text.contains(MARK_START) && before.is_text_in_part() => {
            Err(Unrestorable { path: path.to_owned() })
        }
        _ if is_mark(&text) => Err(Unrestorable { path: path.to_owned() }),
        _ => Ok(Value::String(text)),
    }
}

fn put_back_members(
    members: Map<String, Value>,
    before: Option<OriginalValue<'_>>,
    path: &mut String,
) -> Result<Map<String, Value>, Unrestorable> {
    let put_back_member = |(key, value): (String, Value)| {
        let before = before.and_then(|before| before.member(&key));
        let value = below(path, &escape_step(&key), |path| put_back(value, before, path))?;
        Ok((key, value))
    };
    members.into_iter().map(put_back_member).collect()
}

/// After a list has become longer or shorter, items can no longer be matched; nothing is restored in it, or
/// one person's secret could end up under another's name.
fn put_back_items(
    items: Vec<Value>,
    before: Option<OriginalValue<'_>>,
    path: &mut String,
) -> Result<Vec<Value>, Unrestorable> {
    let as_long =
        |before: &OriginalValue<'_>| before.original.as_array().is_some_and(|all| all.len() == items.len());
    let before = before.filter(as_long);
    let put_back_item = |(index, item): (usize, Value)| {
        let before = before.and_then(|before| before.item(index));
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

/// True if a value contains a mark.
pub fn mentions_marker(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(MARK_START) || text.starts_with(binary::MARKER_START),
        Value::Array(items) => items.iter().any(mentions_marker),
        Value::Object(members) => members.values().any(mentions_marker),
        _ => false,
    }
}
