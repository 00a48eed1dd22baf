//! Schemas of every kind that fields are made for, with values that fit them, and values that do not.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A schema and a value that fits it.
type Pair = (Value, Value);

pub(super) fn schema_with_value() -> impl Strategy<Value = Pair> {
    object_of(member())
}

pub(super) fn schema_without_required() -> impl Strategy<Value = Value> {
    schema_with_value().prop_map(|(mut schema, _)| {
        forget_required(&mut schema);
        schema
    })
}

/// An object with a few of the names that the schemas have.
pub(super) fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(name(), anything(), 0..5)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn forget_required(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    members.remove("required");
    members.values_mut().for_each(forget_required);
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-d]", 1 => "[a-c/~%. \\n\"<é]{1,3}", 1 => any::<String>()]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z <>&\"']{0,12}", 2 => "[\\n\\r\\ta \\x00\u{202e}]{0,6}", 1 => any::<String>()]
}

fn number() -> impl Strategy<Value = Value> {
    // JSON in a text is parsed by serde_json, which is exact for ordinary numbers.
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1000_i32..1000).prop_map(|n| json!(f64::from(n) / 8.0))
    ]
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map(name(), inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn member() -> BoxedStrategy<Pair> {
    let leaf = prop_oneof![
        text().prop_map(|text| (json!({"type": "string"}), json!(text))),
        text().prop_map(|text| (json!({"type": "string", "maxLength": 5000, "default": "x"}), json!(text))),
        number().prop_map(|number| (json!({"type": "number"}), number)),
        any::<i64>().prop_map(|number| (json!({"type": ["integer", "null"], "minimum": 0}), json!(number))),
        any::<bool>().prop_map(|truth| (json!({"type": "boolean", "default": true}), json!(truth))),
        Just((json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), Value::Null)),
        prop::collection::vec(anything(), 1..4).prop_map(|all| (json!({"enum": all}), all[0].clone())),
        anything().prop_map(|only| (json!({"const": only}), only)),
        prop::collection::vec(text(), 0..4)
            .prop_map(|all| (json!({"type": "array", "items": {"type": "string"}}), json!(all))),
        prop::collection::vec(number(), 0..4)
            .prop_map(|all| (json!({"items": {"type": "number"}}), json!(all))),
        prop::sample::subsequence(vec!["a", "b", "c"], 0..3)
            .prop_map(|all| (json!({"type": "array", "items": {"enum": ["a", "b", "c"]}}), json!(all))),
        anything().prop_map(|value| (json!({"oneOf": [{"type": "string"}, {"type": "object"}]}), value)),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| object_of(inner.boxed()).boxed()).boxed()
}

/// Each member is required or not; those that are not may be missing.
fn object_of(member: BoxedStrategy<Pair>) -> impl Strategy<Value = Pair> {
    let members = prop::collection::btree_map(name(), (member, any::<bool>(), any::<bool>()), 0..5);
    let others = prop::collection::btree_map("[x-z]", anything(), 0..2);
    (members, others).prop_map(|(members, others)| {
        let mut value: Map<String, Value> =
            others.into_iter().filter(|(name, _)| !members.contains_key(name)).collect();
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (name, ((schema, held), is_required, is_there)) in members {
            if is_required {
                required.push(name.clone());
            }
            if is_required || is_there {
                value.insert(name.clone(), held);
            }
            properties.insert(name, schema);
        }
        (json!({"type": "object", "properties": properties, "required": required}), Value::Object(value))
    })
}
