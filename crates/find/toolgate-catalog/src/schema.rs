//! A check that something is a JSON Schema at all: each keyword with a fixed shape has it. Neither clients
//! nor the gateway can check anything against an invalid one, and some clients refuse a whole list for it.
//!
//! Written by hand, since it runs for every tool of every listing: a validator with the meta-schema takes
//! many times as long. Whether a schema is also usable (patterns, references, cost) is checked together with
//! arguments.

use serde_json::Value;

/// The maximum depth that is checked.
const DEPTH_MAX: usize = 64;

const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
/// Keywords with a schema, with a list of schemas, and with a map of schemas.
const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
const COUNTS: [&str; 8] = [
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
];
const NUMBERS: [&str; 3] = ["maximum", "minimum", "multipleOf"];
const TEXTS: [&str; 6] = ["$id", "$ref", "$schema", "description", "pattern", "title"];

/// The error in a schema, and its position: `properties.path: its `type` is "text"`.
pub(crate) fn fault_of_schema(schema: &Value) -> Option<String> {
    let mut place = Vec::new();
    let what = fault(schema, &mut place, DEPTH_MAX)?;
    match place.is_empty() {
        true => Some(what),
        false => Some(format!("{}: {what}", place.join("."))),
    }
}

fn fault(schema: &Value, place: &mut Vec<String>, depth_left: usize) -> Option<String> {
    let members = match schema {
        Value::Bool(_) => return None,
        Value::Object(members) => members,
        _ => return Some("a schema is an object, true or false".into()),
    };
    let deeper = depth_left.checked_sub(1)?;
    members.iter().find_map(|(key, value)| match key.as_str() {
        "type" => fault_of_type(value),
        "required" => (!is_texts(value)).then(|| said("required", "a list of names")),
        "enum" => (!value.is_array()).then(|| said("enum", "a list")),
        // The older drafts had a list here, and some still write one.
        "items" if value.is_array() => within_list(key, value, place, deeper),
        "items" => within(key, value, place, deeper),
        key if ONE.contains(&key) => within(key, value, place, deeper),
        key if LISTS.contains(&key) => within_list(key, value, place, deeper),
        key if MAPS.contains(&key) => within_map(key, value, place, deeper),
        key if COUNTS.contains(&key) => (!is_count(value)).then(|| said(key, "a number of things")),
        key if NUMBERS.contains(&key) => (!value.is_number()).then(|| said(key, "a number")),
        key if TEXTS.contains(&key) => (!value.is_string()).then(|| said(key, "text")),
        _ => None,
    })
}

fn said(key: &str, expected: &str) -> String {
    format!("its `{key}` is not {expected}")
}

fn fault_of_type(value: &Value) -> Option<String> {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let fits = match value {
        Value::Array(names) => !names.is_empty() && names.iter().all(known),
        one => known(one),
    };
    (!fits).then(|| format!("its `type` is {value}, which JSON Schema does not know"))
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
}

/// A whole number that is not negative; `2.0` is one.
fn is_count(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

fn within(step: &str, schema: &Value, place: &mut Vec<String>, depth_left: usize) -> Option<String> {
    place.push(step.to_owned());
    let found = fault(schema, place, depth_left);
    // The position stays at the finding.
    if found.is_none() {
        place.pop();
    }
    found
}

fn within_list(key: &str, value: &Value, place: &mut Vec<String>, depth_left: usize) -> Option<String> {
    let Some(schemas) = value.as_array() else { return Some(said(key, "a list of schemas")) };
    let mut numbered = schemas.iter().enumerate();
    numbered.find_map(|(at, schema)| within(&format!("{key}[{at}]"), schema, place, depth_left))
}

fn within_map(key: &str, value: &Value, place: &mut Vec<String>, depth_left: usize) -> Option<String> {
    let Some(schemas) = value.as_object() else { return Some(said(key, "an object of schemas")) };
    place.push(key.to_owned());
    let found = schemas.iter().find_map(|(name, schema)| within(name, schema, place, depth_left));
    if found.is_none() {
        place.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_a_schema_has_no_fault() {
        for schema in [
            json!({}),
            json!({ "type": "object", "properties": { "a": true, "b": { "type": ["string", "null"], "minLength": 1 } } }),
            json!({ "type": "object", "x-own": 5, "default": { "type": 7 }, "examples": [{ "type": 1 }], "const": { "properties": 3 } }),
            json!({ "$defs": { "n": { "items": { "$ref": "#/$defs/n" } } }, "anyOf": [{ "required": ["a"] }], "additionalProperties": false }),
            json!({ "items": [{ "type": "integer" }], "exclusiveMinimum": true, "maxItems": 2.0 }),
        ] {
            assert_eq!(fault_of_schema(&schema), None, "{schema}");
        }
    }

    #[test]
    fn what_is_not_is_named_with_its_place() {
        for (schema, expected) in [
            (json!({ "properties": 5 }), "its `properties` is not an object of schemas"),
            (json!({ "properties": { "a": 5 } }), "properties.a: a schema is an object, true or false"),
            (
                json!({ "properties": { "a": { "type": "text" } } }),
                "properties.a: its `type` is \"text\", which JSON Schema does not know",
            ),
            (json!({ "required": "a" }), "its `required` is not a list of names"),
            (
                json!({ "anyOf": [{}, { "minLength": -1 }] }),
                "anyOf[1]: its `minLength` is not a number of things",
            ),
            (json!({ "items": { "enum": "a" } }), "items: its `enum` is not a list"),
        ] {
            assert_eq!(fault_of_schema(&schema).as_deref(), Some(expected), "{schema}");
        }
    }
}
