//! The schema of an action's arguments, and of its result.

use serde_json::{Map, Value, json};

use crate::call::{ITEMS_DEFAULT, ITEMS_MAX, LIMIT, PAGE};
use crate::form::ActionForm;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of arguments that the file lists.
pub(super) fn input(action: &ActionForm) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, argument) in &action.arguments {
        let Some(schema) = &argument.schema else { continue };
        properties.insert(name.get_ref().clone(), with_default(schema, argument.default.as_ref()));
        if argument.required {
            required.push(Value::from(name.get_ref().as_str()));
        }
    }
    let mut schema = json!({ "$schema": DIALECT, "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    schema["additionalProperties"] = Value::Bool(false);
    schema
}

/// The schema of an operation, as far as the file changes it.
pub(super) fn over_operation(action: &ActionForm, mut schema: Value) -> Value {
    for (name, argument) in &action.arguments {
        let name = name.get_ref();
        if argument.constant.is_some() {
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.shift_remove(name);
            }
            demand(&mut schema, name, false);
            continue;
        }
        let own = argument.schema.clone().or_else(|| schema.pointer(&property(name)).cloned());
        if let Some(own) = own {
            schema["properties"][name] = with_default(&own, argument.default.as_ref());
        }
        if argument.required || argument.default.is_some() {
            demand(&mut schema, name, argument.required);
        }
    }
    schema
}

/// Adds the arguments of a list.
pub(super) fn paged(mut schema: Value) -> Value {
    schema["properties"][PAGE] = json!({
        "type": "string", "description": "Continues a list: `next` of an earlier result. Left out: from the beginning.",
    });
    schema["properties"][LIMIT] = json!({
        "type": "integer", "minimum": 1, "maximum": ITEMS_MAX, "default": ITEMS_DEFAULT,
        "description": "Pages are read until there are so many items.",
    });
    schema
}

/// The result of an action over a list.
pub(super) fn paged_output(item: Option<&Value>) -> Value {
    json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": item.cloned().unwrap_or(json!({})) },
            "next": { "type": "string", "description": "There is more: `page` of the next call." },
            "stopped": { "type": "string", "description": "The list ended early, and why." },
        },
        "required": ["items"],
    })
}

fn property(name: &str) -> String {
    format!("/properties/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn with_default(schema: &Value, default: Option<&Value>) -> Value {
    let mut schema = schema.clone();
    if let (Some(default), Some(object)) = (default, schema.as_object_mut()) {
        object.insert("default".to_owned(), default.clone());
    }
    schema
}

fn demand(schema: &mut Value, name: &str, is_required: bool) {
    let mut required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    required.retain(|one| one != name);
    if is_required {
        required.push(Value::from(name));
    }
    schema["required"] = Value::Array(required);
}
