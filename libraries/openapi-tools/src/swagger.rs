//! Swagger 2.0 as OpenAPI 3.0: where things stand has changed more than what they say.

mod parameters;
mod schemes;

use serde_json::{Map, Value, json};

use crate::method::Method;
use parameters::SwaggerParameters;

const JSON: &str = "application/json";

/// The document as one of version 3.0.
pub(crate) fn converted(root: Value) -> Value {
    let converter = SwaggerConverter { root: &root };
    let mut document = json!({
        "openapi": "3.0.3",
        "info": root.get("info").cloned().unwrap_or_default(),
        "servers": schemes::servers(&root),
        "paths": converter.paths(),
        "components": {
            "schemas": root.get("definitions").cloned().unwrap_or_else(|| json!({})),
            "securitySchemes": schemes::security(&root),
        },
    });
    move_references(&mut document);
    document
}

/// The object of a value, or an empty one.
fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

struct SwaggerConverter<'r> {
    root: &'r Value,
}

impl<'r> SwaggerConverter<'r> {
    fn paths(&self) -> Value {
        let of = |(path, item): (&String, &Value)| (path.clone(), self.path_item(item));
        Value::Object(members(self.root.get("paths")).map(of).collect())
    }

    fn path_item(&self, item: &'r Value) -> Value {
        let of = |(key, value): (&String, &'r Value)| {
            let is_operation = value.is_object() && Method::ALL.iter().any(|method| method.key() == key);
            let value = if is_operation { self.operation(item, value) } else { value.clone() };
            (key.clone(), value)
        };
        Value::Object(members(Some(item)).filter(|(key, _)| *key != "parameters").map(of).collect())
    }

    /// Parameters of the path become those of the operation, since a body can be among them.
    fn operation(&self, item: &'r Value, operation: &'r Value) -> Value {
        let moved = ["parameters", "responses", "consumes", "produces", "schemes"];
        let keeps = |(key, _): &(&String, &Value)| !moved.contains(&key.as_str());
        let mut made: Map<String, Value> =
            members(Some(operation)).filter(keeps).map(|(key, value)| (key.clone(), value.clone())).collect();
        let mut parameters = SwaggerParameters::default();
        for owner in [item, operation] {
            for parameter in owner.get("parameters").and_then(Value::as_array).into_iter().flatten() {
                parameters.take(self.resolved(parameter));
            }
        }
        if let Some(body) = parameters.body(&self.media_types(operation, "consumes")) {
            made.insert("requestBody".to_owned(), body);
        }
        made.insert("parameters".to_owned(), parameters.others());
        made.insert("responses".to_owned(), self.responses(operation));
        Value::Object(made)
    }

    /// What a reference within the document leads to; another reference stays.
    fn resolved(&self, value: &'r Value) -> &'r Value {
        let pointer = value.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        pointer.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(value)
    }

    fn media_types(&self, operation: &Value, key: &str) -> Vec<String> {
        let said = operation.get(key).or_else(|| self.root.get(key)).and_then(Value::as_array);
        let said = said.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let said: Vec<String> = said.collect();
        if said.is_empty() { vec![JSON.to_owned()] } else { said }
    }

    fn responses(&self, operation: &'r Value) -> Value {
        let produces = self.media_types(operation, "produces");
        let of = |(code, response): (&String, &'r Value)| {
            let response = self.resolved(response);
            let mut made = json!({ "description": response.get("description").cloned().unwrap_or_default() });
            if let Some(schema) = response.get("schema") {
                let media = |name: &String| (name.clone(), json!({ "schema": schema }));
                made["content"] = Value::Object(produces.iter().map(media).collect());
            }
            (code.clone(), made)
        };
        Value::Object(members(operation.get("responses")).map(of).collect())
    }
}

/// References to definitions lead to components from now on, and null has its own word.
fn move_references(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(move_references),
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/definitions/")
            {
                *reference = format!("#/components/schemas/{name}");
            }
            if let Some(nullable) = members.get("x-nullable").cloned() {
                members.insert("nullable".to_owned(), nullable);
            }
            members.values_mut().for_each(move_references);
        }
        _ => {}
    }
}
