//! A schema together with the definitions that it needs, within a budget.

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value, json};

use super::convert::ConvertedSchema;
use super::definitions::SchemaDefinitions;
use super::side::SchemaSide;

/// A whole schema.
pub(crate) struct SchemaRoot {
    pub(crate) value: Value,
    /// Bytes as text, about.
    pub(crate) bytes: usize,
}

const LEFT_OPEN: &str = "Left open here, since the schema would be too large with it.";

/// Adds definitions, those that are referred to first at first. One that would go beyond the budget is left open.
pub(crate) fn assemble(
    definitions: &mut SchemaDefinitions<'_>,
    side: SchemaSide,
    root: ConvertedSchema,
    bytes_max: usize,
) -> SchemaRoot {
    let ConvertedSchema { mut value, mut bytes, references } = root;
    let mut seen: HashSet<_> = references.iter().copied().collect();
    let mut wanted: VecDeque<_> = VecDeque::new();
    let mut first = HashSet::new();
    wanted.extend(references.into_iter().filter(|id| first.insert(*id)));
    let (mut defs, mut is_cut) = (Map::new(), false);
    while let Some(id) = wanted.pop_front() {
        let converted = definitions.converted(id, side);
        let schema = if bytes + converted.bytes <= bytes_max {
            bytes += converted.bytes;
            wanted.extend(converted.references.iter().copied().filter(|next| seen.insert(*next)));
            converted.value.clone()
        } else {
            is_cut = true;
            bytes += LEFT_OPEN.len();
            left_open(&converted.value)
        };
        let name = definitions.name(id);
        bytes += name.len() + 4;
        defs.insert(name.to_owned(), schema);
    }
    if let (Value::Object(members), false) = (&mut value, defs.is_empty()) {
        members.insert("$defs".to_owned(), Value::Object(defs));
    }
    if is_cut {
        relax(&mut value, SchemaPosition::Schema);
    }
    SchemaRoot { value, bytes }
}

fn left_open(schema: &Value) -> Value {
    match schema.get("type") {
        Some(kind) => json!({ "type": kind, "description": LEFT_OPEN }),
        None => json!({ "description": LEFT_OPEN }),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaPosition {
    Schema,
    /// Members are schemas under names of their own.
    Names,
}

/// Where something is left open, more than one of several schemas may fit a value.
fn relax(value: &mut Value, position: SchemaPosition) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| relax(item, SchemaPosition::Schema)),
        Value::Object(members) => {
            if position == SchemaPosition::Schema
                && let Some(one_of) = members.shift_remove("oneOf")
            {
                members.entry("anyOf").or_insert(one_of);
            }
            for (key, member) in members.iter_mut() {
                match (position, key.as_str()) {
                    (SchemaPosition::Schema, "enum" | "const" | "default" | "examples" | "required") => {}
                    (
                        SchemaPosition::Schema,
                        "properties" | "patternProperties" | "$defs" | "dependentSchemas",
                    ) => {
                        relax(member, SchemaPosition::Names);
                    }
                    _ => relax(member, SchemaPosition::Schema),
                }
            }
        }
        _ => {}
    }
}
