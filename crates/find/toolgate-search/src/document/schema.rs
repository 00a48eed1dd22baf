//! The arguments named in an input schema, at any depth.

use serde_json::Value;

use super::ToolArgument;

/// Deeper arguments are irrelevant for search, and schemas may be written to exhaust a reader.
const DEPTH_MAX: usize = 5;
const ARGUMENTS_MAX: usize = 200;
/// The keywords whose value is a schema, or a list of schemas, of the same value or of its parts.
const NESTED: [&str; 4] = ["items", "anyOf", "oneOf", "allOf"];

/// In the order of the schema; a reference is not followed.
pub(super) fn arguments(schema: &Value) -> Vec<ToolArgument> {
    let mut found = Vec::new();
    collect(schema, 0, &mut found);
    found
}

fn collect(schema: &Value, depth: usize, found: &mut Vec<ToolArgument>) {
    if depth > DEPTH_MAX {
        return;
    }
    for (name, argument) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if found.len() >= ARGUMENTS_MAX {
            return;
        }
        found.push(ToolArgument { name: name.clone(), description: described(argument) });
        collect(argument, depth + 1, found);
    }
    for nested in NESTED.iter().filter_map(|keyword| schema.get(keyword)) {
        match nested {
            Value::Array(schemas) => schemas.iter().for_each(|schema| collect(schema, depth + 1, found)),
            schema => collect(schema, depth + 1, found),
        }
    }
}

/// The description, and the values it may have where they are words.
fn described(argument: &Value) -> String {
    let description = argument.get("description").and_then(Value::as_str);
    let values = argument.get("enum").and_then(Value::as_array).into_iter().flatten();
    description.into_iter().chain(values.filter_map(Value::as_str)).collect::<Vec<_>>().join(" ")
}
