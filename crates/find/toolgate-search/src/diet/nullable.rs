//! "This or null", said shorter: `anyOf: [{type: T, …}, {type: null}]` as `type: [T, null], …`.

use serde_json::{Map, Value, json};

/// Keywords that say nothing about null, so that they mean the same beside `type: [T, null]`.
const INDIFFERENT: [&str; 22] = [
    "type",
    "description",
    "title",
    "default",
    "examples",
    "format",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "enum",
];
const ANNOTATIONS: [&str; 4] = ["description", "title", "default", "examples"];

/// True if a reference leads into an alternative, which would be moved.
pub(super) fn is_referred_into(schema: &Value) -> bool {
    match schema {
        Value::Array(values) => values.iter().any(is_referred_into),
        Value::Object(members) => {
            let refers =
                |key: &str| members.get(key).and_then(Value::as_str).is_some_and(|to| to.contains("anyOf"));
            refers("$ref") || refers("$dynamicRef") || members.values().any(is_referred_into)
        }
        _ => false,
    }
}

/// The keywords of a schema with the shorter form where it means the same, otherwise as they are.
pub(super) fn merged(keywords: Map<String, Value>) -> Map<String, Value> {
    let Some(alternative) = only_alternative(&keywords) else { return keywords };
    let mut merged = alternative.clone();
    let kind = merged.get("type").cloned().unwrap_or_default();
    merged.insert("type".to_owned(), json!([kind, "null"]));
    if let Some(values) = merged.get_mut("enum").and_then(Value::as_array_mut)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    // Keywords of the whole have precedence over those of its one alternative.
    merged.extend(keywords.into_iter().filter(|(key, _)| key != "anyOf"));
    merged
}

/// The alternative to null, if there is one of a plain type and the whole has no other conditions.
fn only_alternative(keywords: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let (one, other) = match keywords.get("anyOf")?.as_array()?.as_slice() {
        [one, other] => (one, other),
        _ => return None,
    };
    let null = json!({ "type": "null" });
    let alternative = if *other == null { one } else { Some(other).filter(|_| *one == null)? };
    let alternative = alternative.as_object()?;
    let is_plain = alternative.get("type").and_then(Value::as_str).is_some_and(|kind| kind != "null")
        && alternative.keys().all(|key| INDIFFERENT.contains(&key.as_str()));
    let alone = keywords.keys().all(|key| key == "anyOf" || ANNOTATIONS.contains(&key.as_str()));
    // Two different texts about the same thing: neither may go.
    let disagrees = |key: &&str| alternative.contains_key(*key) && keywords.contains_key(*key);
    (is_plain && alone && !ANNOTATIONS.iter().any(disagrees)).then_some(alternative)
}
