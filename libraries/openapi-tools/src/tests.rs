//! Documents as people write them, from the bytes to the request.

mod reading;
mod references;
mod requests;
mod schemas;
mod swagger;
mod tools;

use serde_json::{Map, Value, json};

use crate::{ApiDocument, ApiRequest, ApiTool, BadArguments, ReadLimits, read};

/// A document of version 3.0 with these paths and components.
fn document(paths: Value, components: Value) -> ApiDocument {
    let document = json!({
        "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" }, "paths": paths, "components": components,
    });
    read(document.to_string().as_bytes(), &ReadLimits::default()).expect("the document can be read")
}

/// The only tool of `POST /things` with this operation.
fn tool_of(operation: Value, components: Value) -> ApiTool {
    let tools = document(json!({ "/things": { "post": operation } }), components).tools();
    assert_eq!(tools.left_out, []);
    let [tool] = <[ApiTool; 1]>::try_from(tools.tools).expect("there is one tool");
    check(&tool);
    tool
}

/// A tool that takes a JSON body of this schema.
fn tool_with_body(schema: Value, components: Value) -> ApiTool {
    let body = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    tool_of(json!({ "operationId": "make", "requestBody": body }), components)
}

/// Every schema that is made compiles.
fn check(tool: &ApiTool) {
    for schema in std::iter::once(&tool.input_schema).chain(&tool.output_schema) {
        jsonschema::draft202012::meta::validate(schema).expect("it is a schema of 2020-12");
        jsonschema::draft202012::new(schema).expect("it compiles");
    }
}

fn fits(tool: &ApiTool, arguments: &Value) -> bool {
    jsonschema::draft202012::is_valid(&tool.input_schema, arguments)
}

fn request(tool: &ApiTool, arguments: Value) -> Result<ApiRequest, BadArguments> {
    tool.plan.request(&object(arguments))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is no object"),
    }
}

fn body_text(request: &ApiRequest) -> String {
    let body = request.body.as_ref().expect("there is a body");
    String::from_utf8(body.bytes.clone()).expect("the body is text")
}
