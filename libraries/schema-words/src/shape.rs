//! The shape of a schema that is kept: within limits, and whole, so that nothing has to be fetched to understand it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::keywords::{is_schema, subschemas};
use crate::quoted;
use crate::tree::{SchemaPtr, SchemaTree, ptr};

pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Levels of JSON in a schema.
pub const SCHEMA_DEPTH_MAX: usize = 64;
/// Scalars, lists and objects in a schema.
pub const SCHEMA_PARTS_MAX: usize = 20_000;

/// The reason why a JSON value is not taken as a schema.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchemaFlaw {
    #[error("a schema is an object, and this is {0}")]
    NoObject(&'static str),
    #[error("it has {0} bytes, and at most {SCHEMA_BYTES_MAX} are allowed")]
    TooLarge(usize),
    #[error("it nests deeper than {SCHEMA_DEPTH_MAX} levels")]
    TooDeep,
    #[error("it has more than {SCHEMA_PARTS_MAX} parts")]
    TooManyParts,
    #[error("it refers to {0}, which is another document, and nothing is fetched")]
    ElsewhereReference(String),
    #[error("it refers to {0}, and there is no schema at that place of it")]
    DanglingReference(String),
    #[error("it refers to itself in a circle that never gets to a value")]
    Endless,
}

/// Checks everything but the keywords themselves.
pub fn check_shape(schema: &Value) -> Result<(), SchemaFlaw> {
    if !schema.is_object() {
        return Err(SchemaFlaw::NoObject(name_of(schema)));
    }
    let mut parts_left = SCHEMA_PARTS_MAX;
    measure(schema, SCHEMA_DEPTH_MAX, &mut parts_left)?;
    let bytes = schema.to_string().len();
    if bytes > SCHEMA_BYTES_MAX {
        return Err(SchemaFlaw::TooLarge(bytes));
    }
    let tree = SchemaTree::new(schema);
    check_references(&tree)?;
    check_circles(&tree)
}

/// The text of a schema with sorted members: the same for schemas that differ in their order alone.
pub fn canonical(schema: &Value) -> String {
    let mut sorted = schema.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn measure(value: &Value, depth_left: usize, parts_left: &mut usize) -> Result<(), SchemaFlaw> {
    *parts_left = parts_left.checked_sub(1).ok_or(SchemaFlaw::TooManyParts)?;
    let deeper = || depth_left.checked_sub(1).ok_or(SchemaFlaw::TooDeep);
    match value {
        Value::Array(items) => {
            let left = deeper()?;
            items.iter().try_for_each(|item| measure(item, left, parts_left))
        }
        Value::Object(members) => {
            let left = deeper()?;
            members.values().try_for_each(|member| measure(member, left, parts_left))
        }
        _ => Ok(()),
    }
}

fn check_references(tree: &SchemaTree<'_>) -> Result<(), SchemaFlaw> {
    let mut waiting = vec![tree.root];
    while let Some(schema) = waiting.pop() {
        let Some(members) = schema.as_object() else { continue };
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = members.get(keyword).and_then(Value::as_str) else { continue };
            // A dynamic reference may lead to a dynamic anchor, which only a validator finds.
            if keyword == "$ref" && tree.follow(reference).is_none() && !is_known(reference) {
                let shown = quoted::name(reference);
                return Err(match reference.starts_with('#') {
                    true => SchemaFlaw::DanglingReference(shown),
                    false => SchemaFlaw::ElsewhereReference(shown),
                });
            }
            if keyword == "$dynamicRef" && !reference.starts_with('#') {
                return Err(SchemaFlaw::ElsewhereReference(quoted::name(reference)));
            }
        }
        waiting.extend(subschemas(members));
    }
    Ok(())
}

/// The schemas of JSON Schema itself, which every validator has.
fn is_known(reference: &str) -> bool {
    ["https://json-schema.org/", "http://json-schema.org/"].iter().any(|known| reference.starts_with(known))
}

/// The schemas that are applied to the very same value, which must not lead back.
fn in_place<'a>(tree: &SchemaTree<'a>, members: &'a Map<String, Value>) -> impl Iterator<Item = &'a Value> {
    let single = ["not", "if", "then", "else"].into_iter().filter_map(|keyword| members.get(keyword));
    let lists =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|keyword| members.get(keyword)?.as_array());
    let named = members.get("dependentSchemas").and_then(Value::as_object);
    let followed = members.get("$ref").and_then(Value::as_str).and_then(|reference| tree.follow(reference));
    let own = single.chain(lists.flatten()).chain(named.into_iter().flat_map(Map::values));
    own.filter(|schema| is_schema(schema)).chain(followed)
}

/// Takes away schemas that nothing leads to, until none is left; what stays is a circle.
fn check_circles(tree: &SchemaTree<'_>) -> Result<(), SchemaFlaw> {
    let mut leading: BTreeMap<SchemaPtr, usize> = tree.schemas().map(|schema| (schema, 0)).collect();
    let mut all = Vec::new();
    let mut waiting = vec![tree.root];
    while let Some(schema) = waiting.pop() {
        all.push(schema);
        let Some(members) = schema.as_object() else { continue };
        in_place(tree, members).for_each(|inner| *leading.entry(ptr(inner)).or_default() += 1);
        waiting.extend(subschemas(members));
    }
    let mut free: Vec<&Value> = all.iter().copied().filter(|schema| leading[&ptr(schema)] == 0).collect();
    let mut taken = 0;
    while let Some(schema) = free.pop() {
        taken += 1;
        let Some(members) = schema.as_object() else { continue };
        for inner in in_place(tree, members) {
            let left = leading.entry(ptr(inner)).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 {
                free.push(inner);
            }
        }
    }
    if taken < all.len() { Err(SchemaFlaw::Endless) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_whole_and_within_limits() {
        let fine = json!({ "$id": "https://example.com/a", "$defs": { "a": { "$anchor": "x", "type": "string" } },
            "properties": { "one": { "$ref": "#/$defs/a" }, "two": { "$ref": "#x" }, "three": { "$ref": "#" },
                "four": { "$ref": "https://example.com/a#/$defs/a" } } });
        assert_eq!(check_shape(&fine), Ok(()));
        let flaw = |schema: Value| check_shape(&schema).expect_err("a flaw");
        assert_eq!(flaw(json!([])), SchemaFlaw::NoObject("a list"));
        assert_eq!(
            flaw(json!({ "items": { "$ref": "https://example.com/b" } })),
            SchemaFlaw::ElsewhereReference("`https://example.com/b`".into())
        );
        assert_eq!(flaw(json!({ "$ref": "#/$defs/b" })), SchemaFlaw::DanglingReference("`#/$defs/b`".into()));
        assert_eq!(flaw(json!({ "description": "a".repeat(300_000) })), SchemaFlaw::TooLarge(300_018));
        let deep = (0..100).fold(json!({}), |inner, _| json!({ "not": inner }));
        assert_eq!(flaw(deep), SchemaFlaw::TooDeep);
        assert_eq!(flaw(json!({ "enum": vec![0; 30_000] })), SchemaFlaw::TooManyParts);
    }

    #[test]
    fn a_circle_must_go_through_a_value() {
        let list = json!({ "properties": { "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } } });
        assert_eq!(check_shape(&list), Ok(()));
        for endless in [
            json!({ "$ref": "#" }),
            json!({ "anyOf": [{ "type": "string" }, { "$ref": "#" }] }),
            json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "not": { "$ref": "#/$defs/a" } } } }),
        ] {
            assert_eq!(check_shape(&endless), Err(SchemaFlaw::Endless), "{endless}");
        }
    }

    #[test]
    fn the_order_of_members_is_no_difference() {
        let one = json!({ "b": [{ "y": 1, "x": 2 }], "a": 1 });
        let other = json!({ "a": 1, "b": [{ "x": 2, "y": 1 }] });
        assert_eq!(canonical(&one), canonical(&other));
    }
}
