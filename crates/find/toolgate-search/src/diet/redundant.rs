//! Text that a model would know without reading it.

use serde_json::{Map, Value};

/// The position of a schema.
#[derive(Clone, Copy)]
pub(super) struct SchemaPosition<'a> {
    /// The property, definition or tool it describes; empty inside lists and alternatives.
    pub(super) name: &'a str,
    /// The description above it.
    pub(super) above: &'a str,
    pub(super) depth: usize,
}

impl<'a> SchemaPosition<'a> {
    /// The position of a schema inside this one.
    pub(super) fn inside(self, keywords: &'a Map<String, Value>) -> SchemaPosition<'a> {
        let own = keywords.get("description").and_then(Value::as_str);
        // A dropped description is not the one above.
        let above = own.filter(|text| !repeats(text, self)).unwrap_or(self.above);
        SchemaPosition { name: "", above, depth: self.depth + 1 }
    }

    pub(super) fn named(self, name: &'a str) -> SchemaPosition<'a> {
        SchemaPosition { name, ..self }
    }
}

/// Endings that generators put behind a tool's name to title its schemas.
const GENERATED: [&str; 14] = [
    "arguments",
    "args",
    "input",
    "inputschema",
    "params",
    "parameters",
    "request",
    "schema",
    "output",
    "outputschema",
    "result",
    "response",
    "dictoutput",
    "model",
];

/// Words that add nothing to a name.
const FILLERS: [&str; 4] = ["the", "a", "an", "of"];

/// True if a keyword is redundant in its place. Names of properties never come here: only the keywords of a
/// schema.
pub(super) fn is_redundant(
    key: &str,
    value: &Value,
    keywords: &Map<String, Value>,
    place: SchemaPosition<'_>,
) -> bool {
    match key {
        "title" => is_title(value, place.name),
        "description" => value.as_str().is_some_and(|text| repeats(text, place)),
        "default" => says_nothing(value),
        "examples" => value.as_array().is_some_and(|values| values.iter().all(|one| is_known(one, keywords))),
        "required" => value.as_array().is_some_and(Vec::is_empty),
        "$comment" => true,
        _ => false,
    }
}

/// True if a title equals the name above it, or was derived from it.
pub(super) fn is_title(title: &Value, name: &str) -> bool {
    let Some(title) = title.as_str().map(letters) else { return false };
    let name = letters(name);
    let generated = title.strip_prefix(&name).is_some_and(|ending| GENERATED.contains(&ending));
    title.is_empty() || title == name || generated || GENERATED.contains(&title.as_str())
}

fn repeats(text: &str, place: SchemaPosition<'_>) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let words: String = words.filter(|word| !FILLERS.contains(&word.as_str())).collect();
    text.trim().is_empty()
        || text.trim() == place.above.trim()
        || !words.is_empty() && words == letters(place.name)
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn says_nothing(default: &Value) -> bool {
    match default {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// True if the schema already has the example.
fn is_known(example: &Value, keywords: &Map<String, Value>) -> bool {
    let listed =
        keywords.get("enum").and_then(Value::as_array).is_some_and(|values| values.contains(example));
    listed || keywords.get("default") == Some(example) || keywords.get("const") == Some(example)
}

/// Keywords that mean something else, or nothing, in another dialect than the one MCP assumes.
const DIALECT: [&str; 7] = [
    "additionalItems",
    "dependencies",
    "id",
    "$recursiveRef",
    "$recursiveAnchor",
    "$vocabulary",
    "divisibleBy",
];
const ANNOTATIONS: [&str; 5] = ["$ref", "description", "title", "default", "examples"];

/// True if a schema may lose its `$schema`: a client that compiles it would then read it as 2020-12. A
/// property named like one of the keywords also keeps it.
pub(super) fn reads_alike_in_every_dialect(schema: &Value) -> bool {
    match schema {
        Value::Array(values) => values.iter().all(reads_alike_in_every_dialect),
        Value::Object(members) => {
            !members.keys().any(|key| DIALECT.contains(&key.as_str()))
                && !members.get("items").is_some_and(Value::is_array)
                && !members.get("exclusiveMinimum").is_some_and(Value::is_boolean)
                && !members.get("exclusiveMaximum").is_some_and(Value::is_boolean)
                && (!members.contains_key("$ref")
                    || members.keys().all(|key| ANNOTATIONS.contains(&key.as_str())))
                && members.values().all(reads_alike_in_every_dialect)
        }
        _ => true,
    }
}
