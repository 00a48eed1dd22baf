//! The walk over a value. What is taken out is never copied first: it may be megabytes.

use serde_json::{Map, Value};

use super::MARKER;
use super::binary;
use super::pattern::{Pattern, Place};
use super::secret::{is_secret_key, is_secret_text};

/// JSON inside strings inside strings is followed this far; what lies deeper is taken out unread.
const EMBEDDED_DEPTH_MAX: usize = 3;

/// What becomes of a string that holds JSON with a secret in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Embedded {
    /// All of it is taken out: it must be put back exactly as it was if an approver leaves it alone.
    Whole,
    /// The secret is taken out of it.
    Inside,
}

#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    patterns: &'a [&'a Pattern],
    embedded: Embedded,
    embedded_left: usize,
}

/// Places in patterns that have been reached: the pattern's index and the step that comes next.
type Reached = Vec<(usize, usize)>;

impl<'a> Walk<'a> {
    pub(super) fn new(patterns: &'a [&'a Pattern], embedded: Embedded) -> Walk<'a> {
        Walk { patterns, embedded, embedded_left: EMBEDDED_DEPTH_MAX }
    }

    /// The value without what must not be kept, if there is any such thing in it.
    pub(super) fn start(&self, value: &Value) -> Option<Value> {
        self.value(value, &self.root())
    }

    fn root(&self) -> Reached {
        (0..self.patterns.len()).map(|pattern| (pattern, 0)).collect()
    }

    fn value(&self, value: &Value, reached: &Reached) -> Option<Value> {
        match value {
            Value::Object(members) => self.object(members, reached).map(Value::Object),
            Value::Array(items) => self.array(items, reached).map(Value::Array),
            Value::String(text) => self.text(text).map(Value::String),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn object(&self, members: &Map<String, Value>, reached: &Reached) -> Option<Map<String, Value>> {
        let mut copy: Option<Map<String, Value>> = None;
        for (place, (key, value)) in members.iter().enumerate() {
            let redacted = self.member(members, key, value, reached);
            if copy.is_none() && redacted.is_some() {
                copy = Some(
                    members.iter().take(place).map(|(key, value)| (key.clone(), value.clone())).collect(),
                );
            }
            if let Some(copy) = &mut copy {
                copy.insert(key.clone(), redacted.unwrap_or_else(|| value.clone()));
            }
        }
        copy
    }

    fn member(&self, all: &Map<String, Value>, key: &str, value: &Value, reached: &Reached) -> Option<Value> {
        if is_secret_key(key) && can_be_secret(value) {
            return Some(Value::from(MARKER));
        }
        if let Value::String(text) = value
            && binary::is_binary_member(all, key)
        {
            return Some(Value::from(binary::marker(text)));
        }
        let mut next = self.advanced(reached, Place::Key(key));
        if self.embedded == Embedded::Inside && key == "structuredContent" {
            next.extend(self.root());
        }
        self.child(value, &next)
    }

    fn array(&self, items: &[Value], reached: &Reached) -> Option<Vec<Value>> {
        let mut copy: Option<Vec<Value>> = None;
        for (index, item) in items.iter().enumerate() {
            let redacted = self.child(item, &self.advanced(reached, Place::Index(index)));
            if copy.is_none() && redacted.is_some() {
                copy = Some(items[..index].to_vec());
            }
            if let Some(copy) = &mut copy {
                copy.push(redacted.unwrap_or_else(|| item.clone()));
            }
        }
        copy
    }

    fn child(&self, value: &Value, reached: &Reached) -> Option<Value> {
        if reached.iter().any(|(pattern, at)| self.patterns[*pattern].is_end(*at)) {
            return Some(Value::from(MARKER));
        }
        self.value(value, reached)
    }

    fn advanced(&self, reached: &Reached, place: Place<'_>) -> Reached {
        let mut next = Vec::new();
        for (pattern, at) in reached {
            self.patterns[*pattern].advance(*at, place, |at| {
                if !next.contains(&(*pattern, at)) {
                    next.push((*pattern, at));
                }
            });
        }
        next
    }

    fn text(&self, text: &str) -> Option<String> {
        if binary::is_binary_text(text) {
            return Some(binary::marker(text));
        }
        if let Some(redacted) = self.embedded_json(text) {
            return Some(redacted);
        }
        is_secret_text(text).then(|| MARKER.to_owned())
    }

    /// Servers repeat their structured content as text, and callers send bodies as text; a secret in there is one too.
    fn embedded_json(&self, text: &str) -> Option<String> {
        let text = text.trim_ascii();
        if !text.starts_with(['{', '[']) {
            return None;
        }
        let value: Value = serde_json::from_str(text).ok()?;
        let Some(embedded_left) = self.embedded_left.checked_sub(1) else { return Some(MARKER.to_owned()) };
        let redacted = Walk { embedded_left, ..*self }.start(&value)?;
        Some(match self.embedded {
            Embedded::Whole => MARKER.to_owned(),
            Embedded::Inside => redacted.to_string(),
        })
    }
}

/// `null` and booleans give nothing away: `has_password` is a fact, not a password.
fn can_be_secret(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(_))
}
