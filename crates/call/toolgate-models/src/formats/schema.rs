//! The schema of a tool's arguments in the form that every provider takes: an object with properties.

use serde_json::{Map, Value};
use toolgate_core::RawJson;
use toolgate_core::model::OfferedTool;

use super::wire::members;

/// Words that providers refuse at the top of a schema. Those that combine schemas come first.
const REFUSED_AT_TOP: [&str; 5] = ["allOf", "anyOf", "oneOf", "enum", "not"];

/// The schema without what providers refuse. The gateway validates arguments against the whole schema, so nothing is permitted by it.
pub(super) fn tool_schema(schema: &RawJson) -> Value {
    let mut schema: Map<String, Value> = schema.decode().unwrap_or_default();
    schema.values_mut().for_each(take_off_dialect);
    schema.retain(|word, value| !is_dialect(word, value));
    let lifted = lifted(&schema);
    schema.retain(|word, _| !REFUSED_AT_TOP.contains(&word.as_str()));
    schema.insert("type".to_owned(), "object".into());
    let properties = schema.entry("properties").or_insert_with(|| Map::new().into());
    if let Value::Object(properties) = properties {
        for (name, property) in lifted {
            properties.entry(name).or_insert(property);
        }
    }
    Value::Object(schema)
}

/// The tools as functions, the form that OpenAI has and others took over.
pub(super) fn functions(tools: &[OfferedTool]) -> Value {
    let functions = tools.iter().map(|tool| {
        let function = members([
            ("name", tool.name.as_str().into()),
            ("description", tool.description.as_str().into()),
            ("parameters", tool_schema(&tool.schema)),
        ]);
        Value::Object(members([("type", "function".into()), ("function", function.into())]))
    });
    functions.collect()
}

/// The properties below words that combine schemas.
fn lifted(schema: &Map<String, Value>) -> Vec<(String, Value)> {
    let branches = REFUSED_AT_TOP[..3].iter().filter_map(|word| schema.get(*word)?.as_array()).flatten();
    let properties = branches.filter_map(|branch| branch.get("properties")?.as_object());
    properties.flatten().map(|(name, property)| (name.clone(), property.clone())).collect()
}

fn take_off_dialect(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|word, value| !is_dialect(word, value));
            object.values_mut().for_each(take_off_dialect);
        }
        Value::Array(array) => array.iter_mut().for_each(take_off_dialect),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// True for the word that names the dialect of JSON Schema. A property of that name has a schema and no text.
fn is_dialect(word: &str, value: &Value) -> bool {
    word == "$schema" && value.is_string()
}
