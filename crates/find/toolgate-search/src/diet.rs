//! A definition without parts that tell a model nothing: generated titles, empty defaults, repeated texts.
//!
//! For listing only; arguments are checked against the original. Everything that decides the validity of
//! arguments stays, so that both accept the same: `additionalProperties: false` too, because a model that
//! reads it invents fewer arguments, and model APIs with a strict mode require it. Properties keep their
//! author's order; keywords get a fixed order.

mod nullable;
mod redundant;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use redundant::SchemaPosition;

/// The maximum depth that is processed; deeper parts stay as they are. JSON from outside is no deeper than
/// this.
const DEPTH_MAX: usize = 128;

const DEFINITION_ORDER: [&str; 6] =
    ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
/// Keywords that come first. The others follow by name.
const KEYWORD_ORDER: [&str; 8] =
    ["type", "description", "title", "enum", "const", "properties", "required", "items"];

/// Keywords whose value is a schema, a list of schemas, or a map from names to schemas.
const HOLDS_SCHEMAS: [&str; 14] = [
    "items",
    "additionalProperties",
    "additionalItems",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "anyOf",
    "oneOf",
    "allOf",
];
const HOLDS_NAMED_SCHEMAS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// The shorter definition. Anything else stays unchanged.
pub fn diet(definition: &Value) -> Value {
    let Some(members) = definition.as_object() else { return definition.clone() };
    let name = text_of(members, "name");
    let mut kept = Map::new();
    for (key, value) in members {
        match key.as_str() {
            "title" if redundant::is_title(value, name) => {}
            "inputSchema" | "outputSchema" => {
                kept.insert(key.clone(), root(value, name, text_of(members, "description")));
            }
            _ => {
                kept.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(ordered(kept, &DEFINITION_ORDER))
}

fn text_of<'a>(members: &'a Map<String, Value>, key: &str) -> &'a str {
    members.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn root(schema: &Value, name: &str, description: &str) -> Value {
    let walk = DietWalk { may_merge_null: !nullable::is_referred_into(schema) };
    let mut slim = walk.schema(schema, SchemaPosition { name, above: description, depth: 0 });
    if let (Some(map), true) = (slim.as_object_mut(), redundant::reads_alike_in_every_dialect(schema)) {
        map.shift_remove("$schema");
    }
    slim
}

struct DietWalk {
    /// False if a reference leads to a place that would be removed.
    may_merge_null: bool,
}

impl DietWalk {
    fn schema(&self, schema: &Value, place: SchemaPosition<'_>) -> Value {
        let Some(keywords) = schema.as_object().filter(|_| place.depth < DEPTH_MAX) else {
            return schema.clone();
        };
        let inside = place.inside(keywords);
        let kept =
            keywords.iter().filter(|(key, value)| !redundant::is_redundant(key, value, keywords, place));
        let kept = kept.map(|(key, value)| (key.clone(), self.keyword(key, value, inside))).collect();
        let kept = if self.may_merge_null { nullable::merged(kept) } else { kept };
        Value::Object(ordered(kept, &KEYWORD_ORDER))
    }

    fn keyword(&self, key: &str, value: &Value, inside: SchemaPosition<'_>) -> Value {
        match value {
            Value::Object(schemas) if HOLDS_NAMED_SCHEMAS.contains(&key) => {
                let slim = |(name, schema): (&String, &Value)| {
                    (name.clone(), self.schema(schema, inside.named(name)))
                };
                Value::Object(schemas.iter().map(slim).collect())
            }
            Value::Object(_) if HOLDS_SCHEMAS.contains(&key) => self.schema(value, inside),
            Value::Array(schemas) if HOLDS_SCHEMAS.contains(&key) || key == "prefixItems" => {
                schemas.iter().map(|schema| self.schema(schema, inside)).collect()
            }
            _ => value.clone(),
        }
    }
}

fn ordered(members: Map<String, Value>, first: &[&str]) -> Map<String, Value> {
    let mut members: Vec<(String, Value)> = members.into_iter().collect();
    let place = |key: &str| first.iter().position(|one| *one == key).unwrap_or(first.len());
    members.sort_by(|(one, _), (other, _)| (place(one), one).cmp(&(place(other), other)));
    members.into_iter().collect()
}
