//! Values, types and limits in words that a model and a person understand.

use jsonschema::types::{JsonType, JsonTypeSet};
use serde_json::Value;

/// The number of characters of a string that are shown.
const STRING_CHARS_MAX: usize = 60;
/// The number of choices that are listed.
const CHOICES_MAX: usize = 12;
/// The number of characters of a description that are passed on.
const DESCRIPTION_CHARS_MAX: usize = 160;

/// A value as it was found. Arrays and objects are shown by their size: their content may be long, or secret.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("an array of {}", counted(items.len(), "item", "items")),
        Value::Object(members) => {
            format!("an object with {}", counted(members.len(), "property", "properties"))
        }
        Value::String(text) => Value::from(shortened(text, STRING_CHARS_MAX)).to_string(),
        scalar => scalar.to_string(),
    }
}

pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

pub(super) fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn type_name(of: JsonType) -> &'static str {
    match of {
        JsonType::Null => "null",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
    }
}

pub(super) fn type_names(of: JsonTypeSet) -> String {
    alternatives(of.into_iter().map(|one| type_name(one).to_owned()))
}

/// `a, b or c`.
pub(super) fn alternatives(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.collect();
    match (words.pop(), words.as_slice()) {
        (None, _) => String::new(),
        (Some(last), []) => last,
        (Some(last), others) => format!("{} or {last}", others.join(", ")),
    }
}

/// `one of "a", "b", "c"`.
pub(super) fn choices(options: &[Value]) -> String {
    let mut listed: Vec<String> = options.iter().take(CHOICES_MAX).map(found).collect();
    if options.len() > CHOICES_MAX {
        listed.push(format!("and {} more", options.len() - CHOICES_MAX));
    }
    match listed.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", listed.join(", ")),
    }
}

/// A subschema's expectation, with its author's description.
pub(super) fn described(schema: Option<&Value>) -> String {
    let Some(schema) = schema else { return "a value".to_owned() };
    let description =
        schema.get("description").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let kind = kind(schema);
    match description {
        Some(description) => format!("{kind} ({})", shortened(description, DESCRIPTION_CHARS_MAX)),
        None => kind,
    }
}

fn kind(schema: &Value) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return choices(options);
    }
    if let Some(only) = schema.get("const") {
        return found(only);
    }
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let known = names.iter().filter_map(|name| name.parse().ok()).map(|one| type_name(one).to_owned());
    let text = alternatives(known);
    if text.is_empty() { "a value".to_owned() } else { text }
}
