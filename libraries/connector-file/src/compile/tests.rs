//! Facts about actions and streams over operations of a document.

use openapi_tools::{ApiDocument, ReadLimits};
use serde_json::{Value, json};

use crate::fixture::{BASE, file, object};

fn document() -> ApiDocument {
    let text = |place: &str, name: &str, is_required: bool| json!({ "in": place, "name": name, "required": is_required, "schema": { "type": "string" } });
    let answers = json!({ "200": { "description": "Things" } });
    let document = json!({
        "openapi": "3.0.3", "info": { "title": "Things", "version": "1" },
        "paths": { "/things/{shelf}": { "get": {
            "operationId": "listThings", "responses": answers,
            "parameters": [text("path", "shelf", true), text("query", "colour", true), text("query", "cursor", false)],
        } } },
    });
    openapi_tools::read(document.to_string().as_bytes(), &ReadLimits::default()).expect("a document")
}

const LIST: &str = r#"
[pagination.p]
kind = "cursor"
next = "/next"
parameter = "cursor"

[[actions]]
name = "list"
title = "List"
description = "Lists red things."
operation = "listThings"
effects = "read"
result = "/things"
pagination = "p"

[actions.arguments.colour]
constant = "red"

[actions.arguments.shelf]
default = "top"

[[streams]]
name = "things"
title = "Things"
operation = "listThings"
records = "/things"
key = "/id"
pagination = "p"

[streams.arguments.colour]
constant = "red"

[streams.arguments.shelf]
constant = "top"
"#;

#[test]
fn an_action_over_an_operation_hides_constants_and_fills_in_defaults() {
    let actions = file(LIST).actions(Some(&document())).expect("the operation is there");
    let schema = &actions[0].tool().input_schema;
    let names: Vec<&String> = schema["properties"].as_object().expect("an object").keys().collect();
    assert!(!names.iter().any(|name| *name == "colour"), "{schema}");
    assert_eq!(schema["properties"]["shelf"]["default"], "top");
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    assert_eq!(required, [Value::Null; 0], "a constant and a default are not asked for");
    let call = actions[0].call(&object(json!({ "page": "cursor=x" })), "call_1").expect("good arguments");
    let address = call.request(BASE).expect("a request").address;
    let (path, query) = address.split_once('?').expect("a query");
    assert_eq!(path, format!("{BASE}/things/top"));
    let mut pairs: Vec<&str> = query.split('&').collect();
    pairs.sort_unstable();
    assert_eq!(pairs, ["colour=red", "cursor=x"]);
}

#[test]
fn a_stream_over_an_operation_asks_with_its_constants() {
    let streams = file(LIST).streams(Some(&document())).expect("the operation is there");
    let page = streams[0].page(None, None).expect("a page");
    assert_eq!(page.request(BASE).expect("a request").address, format!("{BASE}/things/top?colour=red"));
}

#[test]
fn an_operation_that_the_document_lacks_is_named_with_its_line() {
    let text = LIST.replace("operation = \"listThings\"\neffects", "operation = \"nothing\"\neffects");
    let error = file(&text).actions(Some(&document())).err().expect("it is not there");
    assert_eq!((error.line, error.says.as_str()), (16, "the document has no operation `nothing`"));
}
