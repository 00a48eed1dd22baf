//! The walk over a value. What is taken out is never copied first: it may be megabytes.

use serde_json::{Map, Number, Value};
use toolgate_core::credential::CredentialHandle;

use super::binary;
use super::embedded::EmbeddedJson;
use super::look::{self, CARD};
use super::mark::{HiddenKind, RemovedValues, is_mark};
use super::pattern::{PathPattern, WalkStep};
use super::secret::is_secret_key;
use crate::canonical::escape_step;

/// The maximum depth of JSON inside strings that is followed; deeper content is removed unread.
const EMBEDDED_DEPTH_MAX: usize = 3;

/// The walked side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RedactedSide {
    Arguments,
    Result,
}

#[derive(Clone, Copy)]
pub(super) struct RedactionWalk<'a> {
    patterns: &'a [&'a PathPattern],
    side: RedactedSide,
    embedded_left: usize,
}

/// The reached positions in patterns: the pattern's index and its next step.
pub(super) type PatternPositions = Vec<(usize, usize)>;

impl<'a> RedactionWalk<'a> {
    pub(super) fn new(patterns: &'a [&'a PathPattern], side: RedactedSide) -> RedactionWalk<'a> {
        RedactionWalk { patterns, side, embedded_left: EMBEDDED_DEPTH_MAX }
    }

    /// The value without the parts that must not be stored, if it has any.
    pub(super) fn start(&self, value: &Value, found: &mut RemovedValues) -> Option<Value> {
        self.value(value, &self.root(), found)
    }

    pub(super) fn root(&self) -> PatternPositions {
        (0..self.patterns.len()).map(|pattern| (pattern, 0)).collect()
    }

    fn value(&self, value: &Value, reached: &PatternPositions, found: &mut RemovedValues) -> Option<Value> {
        match value {
            Value::Object(members) => self.object(members, reached, found).map(Value::Object),
            Value::Array(items) => self.array(items, reached, found).map(Value::Array),
            Value::String(text) => self.text(text, found).map(Value::String),
            Value::Number(number) => card(number, found).map(Value::String),
            Value::Null | Value::Bool(_) => None,
        }
    }

    fn object(
        &self,
        members: &Map<String, Value>,
        reached: &PatternPositions,
        found: &mut RemovedValues,
    ) -> Option<Map<String, Value>> {
        let mut copy: Option<Map<String, Value>> = None;
        for (place, (key, value)) in members.iter().enumerate() {
            let before = found.hidden.len();
            let redacted = self.member(members, key, value, reached, found);
            if redacted.is_some() {
                found.below(before, &escape_step(key));
            }
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

    fn member(
        &self,
        all: &Map<String, Value>,
        key: &str,
        value: &Value,
        reached: &PatternPositions,
        found: &mut RemovedValues,
    ) -> Option<Value> {
        if is_secret_key(key) && can_be_secret(value) {
            return Some(Value::from(found.take_value(HiddenKind::Secret, value)));
        }
        if let Value::String(text) = value
            && binary::is_binary_member(all, key, text)
        {
            found.hide(HiddenKind::Binary, false);
            return Some(Value::from(binary::marker(text)));
        }
        self.child(value, &self.below(reached, key), found)
    }

    /// The positions in the patterns below a key.
    pub(super) fn below(&self, reached: &PatternPositions, key: &str) -> PatternPositions {
        let mut next = self.advanced(reached, WalkStep::Key(key));
        if self.side == RedactedSide::Result && key == "structuredContent" {
            next.extend(self.root());
        }
        next
    }

    fn array(
        &self,
        items: &[Value],
        reached: &PatternPositions,
        found: &mut RemovedValues,
    ) -> Option<Vec<Value>> {
        let mut copy: Option<Vec<Value>> = None;
        for (index, item) in items.iter().enumerate() {
            let before = found.hidden.len();
            let redacted = self.child(item, &self.advanced(reached, WalkStep::Index(index)), found);
            if redacted.is_some() {
                found.below(before, &index.to_string());
            }
            if copy.is_none() && redacted.is_some() {
                copy = Some(items[..index].to_vec());
            }
            if let Some(copy) = &mut copy {
                copy.push(redacted.unwrap_or_else(|| item.clone()));
            }
        }
        copy
    }

    fn child(&self, value: &Value, reached: &PatternPositions, found: &mut RemovedValues) -> Option<Value> {
        if self.is_meant(reached) {
            let stands_in = value.as_str().is_some_and(is_mark);
            return (!stands_in).then(|| Value::from(found.take_value(HiddenKind::Rule, value)));
        }
        self.value(value, reached, found)
    }

    /// True if a rule matches this position.
    pub(super) fn is_meant(&self, reached: &PatternPositions) -> bool {
        reached.iter().any(|(pattern, at)| self.patterns[*pattern].is_end(*at))
    }

    pub(super) fn advanced(&self, reached: &PatternPositions, place: WalkStep<'_>) -> PatternPositions {
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

    pub(super) fn text(&self, text: &str, found: &mut RemovedValues) -> Option<String> {
        if binary::is_binary_text(text) {
            found.hide(HiddenKind::Binary, false);
            return Some(binary::marker(text));
        }
        if text.trim_ascii_start().starts_with(['{', '['])
            && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
            && let Some(redacted) = self.embedded(text, found)
        {
            return Some(redacted);
        }
        without_credentials(text, found)
    }

    /// Servers repeat their structured content as text, and callers send bodies as text; a secret in there
    /// counts too.
    fn embedded(&self, text: &str, found: &mut RemovedValues) -> Option<String> {
        let Some(embedded_left) = self.embedded_left.checked_sub(1) else {
            return Some(found.take_text(HiddenKind::Nested, text));
        };
        let inner = RedactionWalk { embedded_left, ..*self };
        EmbeddedJson::new(&inner, text).redacted(found)
    }
}

/// The text with marks in place of the credentials in it.
fn without_credentials(text: &str, found: &mut RemovedValues) -> Option<String> {
    let credentials = look::credentials(text);
    let last = credentials.last()?.place.end;
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for one in &credentials {
        left.push_str(&text[at..one.place.start]);
        left.push_str(&found.take_text(HiddenKind::Look(one.kind), &text[one.place.clone()]));
        at = one.place.end;
    }
    left.push_str(&text[last..]);
    Some(left)
}

/// The replacement for a number that is a card number.
pub(super) fn card(number: &Number, found: &mut RemovedValues) -> Option<String> {
    let digits = look::card_of_number(number.as_u64()?)?;
    Some(found.take_text(HiddenKind::Look(CARD), &digits))
}

/// `null` and booleans reveal nothing: `has_password` is a fact, not a password. A mark is not a secret
/// either, and the handle of a credential is what people shall see instead of one.
fn can_be_secret(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::String(text) => !is_mark(text) && !CredentialHandle::is_given_out(text),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    }
}
