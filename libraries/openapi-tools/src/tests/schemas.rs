//! Schemas of the versions of OpenAPI as JSON Schema 2020-12.

use serde_json::{Value, json};

use super::{document, fits, tool_of, tool_with_body};
use crate::limits::{INPUT_BYTES_MAX, OUTPUT_BYTES_MAX};

/// The schema of the property `a` of a body.
fn converted(schema: Value) -> Value {
    let body = json!({ "type": "object", "properties": { "a": schema } });
    tool_with_body(body, json!({})).input_schema["properties"]["a"].clone()
}

#[test]
fn keywords_of_version_3_0_are_said_as_2020_12_says_them() {
    for (old, new) in [
        (json!({ "type": "string", "nullable": true }), json!({ "type": ["string", "null"] })),
        (
            json!({ "type": "string", "enum": ["x"], "nullable": true }),
            json!({ "enum": ["x", null], "type": ["string", "null"] }),
        ),
        (
            json!({ "allOf": [{ "type": "string" }], "nullable": true }),
            json!({ "anyOf": [{ "allOf": [{ "type": "string" }] }, { "type": "null" }] }),
        ),
        (
            json!({ "type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false }),
            json!({ "maximum": 5, "type": "number", "exclusiveMinimum": 1 }),
        ),
        (
            json!({ "type": "array", "items": [{ "type": "string" }] }),
            json!({ "prefixItems": [{ "type": "string" }], "type": "array" }),
        ),
        (json!({ "type": "string", "example": "x" }), json!({ "type": "string", "examples": ["x"] })),
        (
            json!({ "type": "string", "format": "byte" }),
            json!({ "format": "byte", "type": "string", "contentEncoding": "base64" }),
        ),
        (json!({ "type": "file" }), json!({ "type": "string" })),
    ] {
        assert_eq!(converted(old.clone()), new, "{old}");
    }
}

#[test]
fn keywords_with_wrong_values_are_left_out() {
    let wrong = json!({
        "type": "any", "required": true, "enum": [], "minimum": "0", "maxLength": -1, "minItems": 1.5, "pattern": "(",
        "properties": [], "additionalProperties": "no", "allOf": [], "multipleOf": 0, "format": 1, "uniqueItems": "yes",
        "x-more": 1, "xml": {}, "externalDocs": {}, "$id": "https://example.com", "$schema": "draft", "minProperties": 2.0,
    });
    assert_eq!(converted(wrong), json!({ "minProperties": 2 }));
    assert_eq!(converted(json!("nonsense")), json!({}));
}

#[test]
fn version_3_1_keeps_what_stands_beside_a_reference() {
    let of = |version: &str| {
        let document = json!({ "openapi": version, "components": { "schemas": { "A": { "type": "string" } } },
            "paths": { "/a": { "get": { "parameters": [{ "name": "a", "in": "query", "schema":
                { "$ref": "#/components/schemas/A", "maxLength": 2, "description": "short" } }] } } } });
        let document =
            crate::read(document.to_string().as_bytes(), &crate::ReadLimits::default()).expect("a document");
        document.tools().tools[0].input_schema["properties"]["a"].clone()
    };
    assert_eq!(of("3.1.0"), json!({ "maxLength": 2, "description": "short", "$ref": "#/$defs/A" }));
    assert_eq!(of("3.0.0"), json!({ "description": "short", "$ref": "#/$defs/A" }));
}

#[test]
fn each_side_sees_the_properties_that_it_may_send() {
    let pet = json!({ "type": "object", "required": ["id", "name", "secret"], "properties": {
        "id": { "type": "string", "readOnly": true }, "name": { "type": "string" },
        "secret": { "type": "string", "writeOnly": true } } });
    let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } });
    let tool = tool_of(
        json!({ "requestBody": { "required": true, "content": content }, "responses": { "200": { "content": content } } }),
        json!({ "schemas": { "Pet": pet } }),
    );
    let names = |schema: &Value| {
        schema["properties"].as_object().expect("properties").keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&tool.input_schema), ["name", "secret"]);
    assert_eq!(tool.input_schema["required"], json!(["name", "secret"]));
    let output = tool.output_schema.expect("an answer");
    assert_eq!(names(&output), ["id", "name"]);
    assert_eq!(output["required"], json!(["id", "name"]));
}

#[test]
fn names_of_definitions_are_legal_and_apart() {
    let schemas = json!({ "A B": { "type": "string" }, "A/B": { "type": "integer" }, "Plain.Name-1": { "type": "boolean" } });
    let body = json!({ "type": "object", "properties": {
        "a": { "$ref": "#/components/schemas/A%20B" }, "b": { "$ref": "#/components/schemas/A~1B" },
        "c": { "$ref": "#/components/schemas/Plain.Name-1" } } });
    let tool = tool_with_body(body, json!({ "schemas": schemas }));
    assert!(fits(&tool, &json!({ "a": "x", "b": 1, "c": true })));
    assert!(!fits(&tool, &json!({ "a": 1 })) && !fits(&tool, &json!({ "b": "x" })));
    let names: Vec<&String> = tool.input_schema["$defs"].as_object().expect("definitions").keys().collect();
    assert!(
        names.iter().all(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))),
        "{names:?}"
    );
    assert_eq!(names[2], "Plain.Name-1");
}

#[test]
fn a_schema_that_would_be_too_large_is_left_open_at_its_ends() {
    let mut schemas = serde_json::Map::new();
    for number in 0..2_000 {
        let next = json!({ "$ref": format!("#/components/schemas/S{}", (number * 2 + 1) % 2_000) });
        let other = json!({ "$ref": format!("#/components/schemas/S{}", (number * 2 + 2) % 2_000) });
        let schema = json!({ "type": "object", "description": "x".repeat(100), "properties": {
            "next": next, "other": { "oneOf": [other, { "type": "object" }] } } });
        schemas.insert(format!("S{number}"), schema);
    }
    let content = json!({ "application/json": { "schema": { "type": "array", "items": { "$ref": "#/components/schemas/S0" } } } });
    let tool = tool_of(
        json!({ "requestBody": { "content": content }, "responses": { "200": { "content": content } } }),
        json!({ "schemas": schemas }),
    );
    let sizes = [Some(&tool.input_schema), tool.output_schema.as_ref()]
        .map(|schema| schema.map_or(0, |schema| schema.to_string().len()));
    assert!(sizes[0] < 2 * INPUT_BYTES_MAX && sizes[1] < 2 * OUTPUT_BYTES_MAX, "{sizes:?}");
    let deep = json!({ "next": { "next": { "next": { "next": { "next": { "other": {} } } } } } });
    assert!(fits(&tool, &json!({ "body": [deep] })), "more is allowed, never less");
    assert!(!fits(&tool, &json!({ "body": [{ "next": 1 }] })), "what stands first is kept");
}

#[test]
fn answers_are_those_of_a_success() {
    let media = |name: &str| json!({ "application/json": { "schema": { "title": name } } });
    let of = |responses: Value| {
        let tools = document(json!({ "/a": { "get": { "responses": responses } } }), json!({})).tools();
        tools.tools.into_iter().next().expect("a tool")
    };
    let tool = of(json!({
        "default": { "content": media("error") }, "404": { "content": media("missing") },
        "202": { "content": media("later") }, "201": { "content": media("made") }, "204": {},
    }));
    assert_eq!(tool.output_schema, Some(json!({ "title": "made" })));
    let tool = of(
        json!({ "2XX": { "content": { "image/png": {}, "application/problem+json; v=1": { "schema": { "title": "x" } } } } }),
    );
    assert_eq!(tool.output_schema, Some(json!({ "title": "x" })));
    assert_eq!(tool.produces, ["image/png", "application/problem+json; v=1"]);
    assert_eq!(of(json!({ "default": { "content": media("error") } })).output_schema, None);
}
