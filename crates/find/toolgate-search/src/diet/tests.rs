//! The parts that a diet drops, and those that it must keep.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn slim(schema: Value) -> Value {
    diet(&json!({ "name": "create_issue", "description": "Creates an issue.", "inputSchema": schema }))["inputSchema"].take()
}

fn check(schema: Value, expected: Value) {
    assert_eq!(slim(schema).to_string(), expected.to_string());
}

#[test]
fn what_tells_nothing_goes() {
    check(
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "create_issueArguments",
            "required": [],
            "properties": {
                "repo_name": { "title": "Repo Name", "description": "The repo name", "type": "string", "default": "" },
                "label": { "default": null, "type": "string", "$comment": "internal" },
                "state": { "enum": ["a", "b"], "examples": ["a"] },
                "note": { "type": "string", "description": "Creates an issue. " },
            },
            "type": "object",
        }),
        json!({
            "type": "object",
            "properties": {
                "repo_name": { "type": "string" },
                "label": { "type": "string" },
                "state": { "enum": ["a", "b"] },
                "note": { "type": "string" },
            },
        }),
    );
}

#[test]
fn what_tells_something_stays() {
    for schema in [
        json!({ "type": "object", "properties": { "limit": { "type": "integer", "description": "At most 100", "title": "Page size", "default": 30 } } }),
        json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        json!({ "type": "object", "properties": { "on": { "type": "boolean", "default": false } }, "required": ["on"] }),
        json!({ "enum": ["a"], "examples": ["a", "b"] }),
        json!({ "type": "array", "items": [{ "type": "string" }], "$schema": "http://json-schema.org/draft-07/schema#" }),
        json!({ "anyOf": [{ "type": "null" }, { "type": "string" }, { "type": "integer" }] }),
        json!({ "anyOf": [{ "type": "string", "const": "x" }, { "type": "null" }] }),
    ] {
        check(schema.clone(), schema);
    }
}

#[test]
fn properties_called_like_keywords_stay() {
    let schema = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "default": { "type": "string" },
            "description": { "type": "string" },
            "examples": { "type": "array" },
            "required": { "type": "array" },
            "$comment": { "type": "string" },
            "properties": { "type": "object", "properties": { "title": { "type": "null" } } },
        },
        "required": ["title", "default"],
    });
    check(schema.clone(), schema);
}

#[test]
fn values_stay_as_they_are() {
    let schema = json!({
        "enum": [{ "title": "x", "default": null, "required": [] }],
        "const": { "z": 1, "default": null, "a": { "$comment": "c" } },
        "default": { "title": "", "description": null },
        "examples": [{ "default": null }],
    });
    check(
        schema.clone(),
        json!({
            "enum": schema["enum"], "const": schema["const"], "default": schema["default"], "examples": schema["examples"],
        }),
    );
}

#[test]
fn this_or_null_is_said_shorter() {
    check(
        json!({ "anyOf": [{ "type": "string", "maxLength": 5 }, { "type": "null" }], "title": "X", "description": "A text" }),
        json!({ "type": ["string", "null"], "description": "A text", "title": "X", "maxLength": 5 }),
    );
    check(
        json!({ "anyOf": [{ "type": "null" }, { "type": "string", "enum": ["a"] }] }),
        json!({ "type": ["string", "null"], "enum": ["a", null] }),
    );
    let referred = json!({
        "properties": { "a": { "anyOf": [{ "type": "string" }, { "type": "null" }] }, "b": { "$ref": "#/properties/a/anyOf/0" } },
    });
    check(referred.clone(), referred);
    let two_texts = json!({ "description": "One", "anyOf": [{ "type": "string", "description": "Other" }, { "type": "null" }] });
    assert_eq!(slim(two_texts)["anyOf"][0]["description"], "Other");
}

#[test]
fn keywords_get_one_order_and_properties_keep_theirs() {
    let one = json!({ "type": "object", "required": ["b"], "properties": { "b": { "type": "string", "format": "uri" }, "a": {} } });
    let other = json!({ "properties": { "b": { "format": "uri", "type": "string" }, "a": {} }, "required": ["b"], "type": "object" });
    assert_eq!(slim(one).to_string(), slim(other.clone()).to_string());
    assert_eq!(
        slim(other).to_string(),
        r#"{"type":"object","properties":{"b":{"type":"string","format":"uri"},"a":{}},"required":["b"]}"#
    );
}

#[test]
fn the_definition_itself_loses_only_its_title() {
    let definition = json!({ "_meta": { "title": "kept" }, "title": "Create Issue", "name": "create_issue", "annotations": { "title": "Create Issue" } });
    assert_eq!(
        diet(&definition).to_string(),
        r#"{"name":"create_issue","annotations":{"title":"Create Issue"},"_meta":{"title":"kept"}}"#
    );
    for strange in [
        json!(null),
        json!([{ "title": "x" }]),
        json!("text"),
        json!({ "inputSchema": true }),
        json!({ "inputSchema": "x", "name": 5 }),
    ] {
        assert_eq!(diet(&strange), diet(&diet(&strange)));
    }
}

#[test]
fn a_deep_schema_is_left_alone_below_the_limit() {
    let mut schema = json!({ "title": "x" });
    for _ in 0..DEPTH_MAX * 2 {
        schema = json!({ "items": schema });
    }
    assert_eq!(slim(schema.clone()), schema);
}

fn a_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i32..6).prop_map(Value::from),
        "[ab]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec(("title|default|a|b", inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn a_type() -> impl Strategy<Value = Value> {
    proptest::sample::select(vec!["string", "integer", "object", "array", "null", "boolean"])
        .prop_map(Value::from)
}

/// One keyword with a fitting value.
fn a_keyword(schema: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    let with = |name: &'static str, value: BoxedStrategy<Value>| {
        value.prop_map(move |value| (name.to_owned(), value)).boxed()
    };
    let named = proptest::collection::vec(("title|default|a|b|enum", schema.clone()), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    let some = proptest::collection::vec(schema.clone(), 1..3).prop_map(Value::from);
    let nullable = schema.clone().prop_map(|schema| json!([schema, { "type": "null" }]));
    let names = proptest::collection::btree_set("title|default|a|b", 0..3).prop_map(|names| json!(names));
    let text = "a|b|the title|Title|Text|".prop_map(Value::from).boxed();
    prop_oneof![
        with("type", a_type().boxed()),
        with("title", text.clone()),
        with("description", text),
        with("default", a_value().boxed()),
        with("examples", proptest::collection::vec(a_value(), 0..3).prop_map(Value::from).boxed()),
        with("enum", proptest::collection::vec(a_value(), 1..3).prop_map(Value::from).boxed()),
        with("const", a_value().boxed()),
        with("maxLength", (0..3).prop_map(Value::from).boxed()),
        with("minimum", (-1..3).prop_map(Value::from).boxed()),
        with("required", names.boxed()),
        with("properties", named.boxed()),
        with("items", schema.clone()),
        with(
            "additionalProperties",
            prop_oneof![Just(json!(false)), Just(json!(true)), schema.clone()].boxed()
        ),
        with("not", schema.clone()),
        with("anyOf", prop_oneof![some.clone(), nullable.clone(), nullable].boxed()),
        with("oneOf", some.clone().boxed()),
        with("allOf", some.boxed()),
        with("$comment", Just(json!("c")).boxed()),
    ]
}

fn a_schema() -> impl Strategy<Value = Value> {
    let leaf = a_type().prop_map(|kind| json!({ "type": kind })).boxed();
    leaf.prop_recursive(4, 40, 4, |inner| {
        proptest::collection::vec(a_keyword(inner.boxed()), 0..5)
            .prop_map(|keywords| Value::Object(keywords.into_iter().collect()))
    })
}

proptest! {
    #[test]
    fn a_slim_schema_accepts_exactly_what_the_original_does(schema in a_schema(), values in proptest::collection::vec(a_value(), 8)) {
        let short = slim(schema.clone());
        let original = jsonschema::validator_for(&schema).expect("a schema");
        let slimmed = jsonschema::validator_for(&short).expect("still a schema");
        for value in values {
            prop_assert_eq!(original.is_valid(&value), slimmed.is_valid(&value), "{} as {}: {}", schema, short, value);
        }
    }

    #[test]
    fn a_diet_is_done_once(schema in a_schema()) {
        let definition = json!({ "name": "a", "description": "Text", "inputSchema": schema });
        let once = diet(&definition);
        prop_assert!(once.to_string().len() <= definition.to_string().len());
        prop_assert_eq!(diet(&once).to_string(), once.to_string());
    }
}
