//! Equality of values as JSON Schema has it: numbers by their value, members in any order.

use std::cmp::Ordering;

use serde_json::Value;

use crate::numbers;

pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => numbers::compare(one, other) == Ordering::Equal,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has =
                |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(has)
        }
        (one, other) => one == other,
    }
}

/// True if two parts of different documents mean the same wherever they stand: they are equal and refer to nothing.
pub(crate) fn is_same_anywhere(one: &Value, other: &Value) -> bool {
    is_same(one, other) && !refers(one)
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(refers),
        Value::Object(members) => {
            members.keys().any(|name| matches!(name.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef"))
                || members.values().any(refers)
        }
        _ => false,
    }
}
