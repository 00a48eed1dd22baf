//! References: circular, dangling, and to other documents.

use serde_json::{Value, json};

use super::{check, document, fits, tool_with_body};
use crate::{BadDocument, ReadLimits, read};

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

#[test]
fn a_schema_that_contains_itself_is_checked_at_every_level() {
    let node = json!({ "type": "object", "required": ["name"], "properties": {
        "name": { "type": "string" }, "children": { "type": "array", "items": reference("Node") } } });
    let tool = tool_with_body(reference("Node"), json!({ "schemas": { "Node": node } }));
    assert!(fits(
        &tool,
        &json!({ "name": "a", "children": [{ "name": "b", "children": [{ "name": "c" }] }] })
    ));
    assert!(!fits(&tool, &json!({ "name": "a", "children": [{ "name": "b", "children": [{}] }] })));
}

#[test]
fn circles_that_never_get_to_a_value_are_opened() {
    let schemas = json!({
        "A": reference("B"), "B": reference("A"),
        "Self": { "allOf": [reference("Self"), { "type": "object", "required": ["x"] }] },
        "Either": { "oneOf": [reference("Or")] }, "Or": { "anyOf": [reference("Either"), { "type": "string" }] },
    });
    for (name, good) in [("A", json!(1)), ("Self", json!({ "x": 1 })), ("Either", json!("text"))] {
        let tool = tool_with_body(
            json!({ "type": "array", "items": reference(name) }),
            json!({ "schemas": schemas }),
        );
        assert!(fits(&tool, &json!({ "body": [good] })), "{name}");
    }
    let tool =
        tool_with_body(json!({ "type": "array", "items": reference("Self") }), json!({ "schemas": schemas }));
    assert!(!fits(&tool, &json!({ "body": [{}] })), "what the circle also says still counts");
}

#[test]
fn a_base_that_lists_its_kinds_keeps_their_properties_and_its_own() {
    let schemas = json!({
        "Pet": { "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } },
            "oneOf": [reference("Dog"), reference("Cat")], "discriminator": { "propertyName": "kind" } },
        "Dog": { "allOf": [reference("Pet"), { "type": "object", "required": ["bark"] }] },
        "Cat": { "allOf": [reference("Pet"), { "type": "object", "required": ["meow"] }] },
    });
    let tool = tool_with_body(reference("Pet"), json!({ "schemas": schemas }));
    assert!(fits(&tool, &json!({ "body": { "kind": "dog", "bark": true } })));
    assert!(!fits(&tool, &json!({ "body": { "kind": "dog" } })));
    let tool = tool_with_body(reference("Dog"), json!({ "schemas": schemas }));
    assert!(!fits(&tool, &json!({ "body": { "bark": true } })), "a dog is a pet, and pets have a kind");
}

#[test]
fn a_schema_reference_that_leads_nowhere_allows_anything() {
    let tool = tool_with_body(
        json!({ "type": "object", "properties": { "a": reference("Missing"), "b": { "oneOf": [reference("Missing"), {}] } } }),
        json!({}),
    );
    assert!(fits(&tool, &json!({ "a": [1], "b": 2 })));
}

#[test]
fn operations_whose_parameters_or_body_lead_nowhere_are_left_out_with_the_reason() {
    let tools = document(
        json!({
            "/a": { "get": { "parameters": [{ "$ref": "#/components/parameters/Missing" }] } },
            "/b": { "post": { "requestBody": { "$ref": "#/components/requestBodies/Missing" } } },
            "/c": { "$ref": "#/nowhere" },
            "/d": { "get": 1, "post": {} },
            "e": { "get": {} },
        }),
        json!({}),
    )
    .tools();
    let reasons: Vec<(&str, &str)> =
        tools.left_out.iter().map(|one| (one.path.as_str(), one.reason.as_str())).collect();
    let expected = [
        ("/c", "the reference \"#/nowhere\" to a path leads nowhere"),
        ("/d", "the operation is no object"),
        ("e", "the path does not begin with a slash"),
        ("/a", "the reference \"#/components/parameters/Missing\" to a parameter leads nowhere"),
        ("/b", "the reference \"#/components/requestBodies/Missing\" to a body leads nowhere"),
    ];
    assert_eq!(reasons, expected);
    assert_eq!(tools.tools.len(), 1);
}

#[test]
fn other_documents_are_named_and_used_once_they_are_supplied() {
    let limits = ReadLimits::default();
    let main = json!({ "openapi": "3.0.0", "paths": { "/pets": { "post": { "requestBody": { "required": true,
        "content": { "application/json": { "schema": { "type": "array", "items": { "$ref": "parts/pet.yaml#/Pet" } } } } } } } } });
    let mut document = read(main.to_string().as_bytes(), &limits).expect("a document");
    assert_eq!(document.external_references(), ["parts/pet.yaml"]);
    let schema = |document: &crate::ApiDocument| {
        let tool = document.tools().tools.remove(0);
        check(&tool);
        tool
    };
    assert!(fits(&schema(&document), &json!({ "body": [{}] })), "nothing is known of it yet");
    document
        .supply(
            "parts/pet.yaml",
            b"Pet: {type: object, required: [owner], properties: {owner: {$ref: 'owner.yaml'}}}",
            &limits,
        )
        .expect("it was named");
    assert_eq!(document.external_references(), ["parts/owner.yaml"]);
    document.supply("parts/owner.yaml", b"{type: string}", &limits).expect("it was named");
    let tool = schema(&document);
    assert!(fits(&tool, &json!({ "body": [{ "owner": "a" }] })));
    assert!(!fits(&tool, &json!({ "body": [{ "owner": 1 }] })));
    assert!(document.external_references().is_empty());
    let unasked = document.supply("secrets.yaml", b"{}", &limits);
    assert_eq!(unasked, Err(BadDocument::NotReferenced { reference: "secrets.yaml".to_owned() }));
}
