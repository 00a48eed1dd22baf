//! The places of schemas within a schema, by keyword.

use serde_json::{Map, Value};

/// Keywords with one schema.
const SINGLE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords with a list of schemas.
const LISTS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords with schemas by name.
const MAPS: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Every schema that stands directly within another one.
pub(crate) fn subschemas(members: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let single = SINGLE.iter().filter_map(|keyword| members.get(*keyword)).filter(|one| is_schema(one));
    let lists = LISTS.iter().filter_map(|keyword| members.get(*keyword)?.as_array()).flatten();
    let maps = MAPS.iter().filter_map(|keyword| members.get(*keyword)?.as_object()).flat_map(Map::values);
    single.chain(lists.chain(maps).filter(|one| is_schema(one)))
}

/// True for what can be a schema at all.
pub(crate) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// A count such as `minLength`: whole and not negative, maybe written `3.0`.
pub(crate) fn count(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    number.as_u64().or_else(|| {
        let wide = number.as_f64().filter(|wide| wide.fract() == 0.0 && (0.0..9e15).contains(wide))?;
        Some(wide as u64)
    })
}

/// A step of a JSON pointer.
pub(crate) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
