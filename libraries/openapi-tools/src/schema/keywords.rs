//! Keywords whose values are no schemas. A value of the wrong type is left out, so that every schema can be compiled.

use serde_json::{Map, Value, json};

use super::pattern;
use super::side::SchemaSide;

/// Characters of a text that says what a property is.
const INPUT_TEXT_CHARS_MAX: usize = 1_000;
const OUTPUT_TEXT_CHARS_MAX: usize = 200;
/// Bytes of a default, about.
const DEFAULT_BYTES_MAX: usize = 1_000;
/// Bytes of a list of values, about.
const ENUM_BYTES_MAX: usize = 16 << 10;
const EXAMPLE_BYTES_MAX: usize = 100;
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// A keyword as JSON Schema 2020-12 has it, if its value can be used.
pub(super) fn plain(key: &str, value: &Value, side: SchemaSide) -> Option<Value> {
    match key {
        "title" | "description" => text(value, side),
        "format" | "contentEncoding" | "contentMediaType" => value.as_str().map(|text| json!(text)),
        "pattern" => value.as_str().filter(|text| pattern::is_portable(text)).map(|text| json!(text)),
        "deprecated" | "uniqueItems" => value.as_bool().filter(|said| *said).map(Value::Bool),
        "maximum" | "minimum" => value.as_number().map(|number| json!(number)),
        "multipleOf" => {
            value.as_number().filter(|number| number.as_f64() > Some(0.0)).map(|number| json!(number))
        }
        "maxLength" | "minLength" | "maxItems" | "minItems" | "maxProperties" | "minProperties"
        | "maxContains" | "minContains" => count(value),
        "required" => strings(value),
        "enum" => values(value),
        "const" => (size(value) <= DEFAULT_BYTES_MAX).then(|| value.clone()),
        "default" => (side == SchemaSide::Input && size(value) <= DEFAULT_BYTES_MAX).then(|| value.clone()),
        "dependentRequired" => dependents(value),
        _ => None,
    }
}

/// About as many bytes as the value has as text.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
        Value::String(text) => text.len() + 3,
        Value::Array(items) => 2 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => {
            2 + members.iter().map(|(key, value)| key.len() + 4 + size(value)).sum::<usize>()
        }
    }
}

/// The beginning of a text, whole characters of it.
pub(crate) fn beginning(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

fn text(value: &Value, side: SchemaSide) -> Option<Value> {
    let chars_max = if side == SchemaSide::Input { INPUT_TEXT_CHARS_MAX } else { OUTPUT_TEXT_CHARS_MAX };
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| Value::String(beginning(text, chars_max)))
}

/// A whole number that is not negative, also where it is written as `5.0`.
fn count(value: &Value) -> Option<Value> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    let from_float =
        || value.as_f64().filter(|count| count.fract() == 0.0 && (0.0..=EXACT_MAX).contains(count));
    value.as_u64().or_else(|| from_float().map(|count| count as u64)).map(|count| json!(count))
}

fn strings(value: &Value) -> Option<Value> {
    let mut names: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    (!names.is_empty()).then(|| json!(names))
}

fn values(value: &Value) -> Option<Value> {
    let listed = value.as_array().filter(|values| !values.is_empty() && size(value) <= ENUM_BYTES_MAX)?;
    let mut seen = std::collections::HashSet::new();
    let distinct = listed.iter().filter(|value| seen.insert(value.to_string())).cloned();
    Some(Value::Array(distinct.collect()))
}

fn dependents(value: &Value) -> Option<Value> {
    let of = |(name, needed): (&String, &Value)| Some((name.clone(), strings(needed)?));
    let all: Map<String, Value> = value.as_object()?.iter().filter_map(of).collect();
    (!all.is_empty()).then_some(Value::Object(all))
}

/// The names of types that `type` says. Nothing if it says none that JSON Schema has, so that any value fits.
pub(super) fn types(value: &Value) -> Vec<&'static str> {
    let said: &[Value] = match value {
        Value::Array(said) => said,
        one => std::slice::from_ref(one),
    };
    let mut types: Vec<&'static str> = Vec::new();
    for said in said {
        let Some(known) = said.as_str().and_then(known_type) else { return Vec::new() };
        if !types.contains(&known) {
            types.push(known);
        }
    }
    types
}

fn known_type(said: &str) -> Option<&'static str> {
    if said == "file" {
        return Some("string");
    }
    TYPES.into_iter().find(|known| known.eq_ignore_ascii_case(said))
}

/// A short scalar that shows what is meant.
pub(super) fn examples(source: &Map<String, Value>) -> Option<Value> {
    let is_short =
        |value: &&Value| !value.is_object() && !value.is_array() && size(value) <= EXAMPLE_BYTES_MAX;
    let listed = source.get("examples").and_then(Value::as_array).and_then(|all| all.first());
    let example = source.get("example").or(listed).filter(|value| !value.is_null())?;
    Some(example).filter(is_short).map(|value| json!([value]))
}
