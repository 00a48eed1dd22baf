//! Documents of version 2.0.

use serde_json::json;

use super::{body_text, check, fits, request};
use crate::{ApiTool, ReadLimits, SecurityKind, read};

const PETS: &str = "
swagger: '2.0'
info: {title: Pets, version: '1'}
host: pets.example.com
basePath: /v1
schemes: [http, https]
consumes: [application/json]
produces: [application/json]
securityDefinitions:
  key: {type: apiKey, in: header, name: X-Key}
  login: {type: basic}
  oauth: {type: oauth2, flow: accessCode, authorizationUrl: 'https://a', tokenUrl: 'https://t', scopes: {read: ''}}
parameters:
  Body: {name: pet, in: body, required: true, schema: {$ref: '#/definitions/Pet'}}
  Limit: {name: limit, in: query, type: integer, maximum: 10}
definitions:
  Pet: {type: object, required: [name], properties: {name: {type: string}, parent: {$ref: '#/definitions/Pet'}, tag: {type: string, x-nullable: true}}}
responses:
  Pet: {description: a pet, schema: {$ref: '#/definitions/Pet'}}
paths:
  /pets:
    parameters: [{$ref: '#/parameters/Limit'}, {name: X-Key, in: header, type: string, required: true}]
    get:
      operationId: listPets
      parameters:
        - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: pipes}
        - {name: ids, in: query, type: array, items: {type: integer}, collectionFormat: multi}
        - {name: plain, in: query, type: array, items: {type: integer}}
      responses: {200: {$ref: '#/responses/Pet'}}
    post: {operationId: addPet, parameters: [{$ref: '#/parameters/Body'}], responses: {}}
  /pets/{id}/picture:
    post:
      operationId: setPicture
      consumes: [multipart/form-data]
      parameters:
        - {name: id, in: path, required: true, type: string}
        - {name: picture, in: formData, type: file, required: true}
        - {name: note, in: formData, type: string, description: a note}
      responses: {}
  /login:
    post: {operationId: logIn, consumes: [application/x-www-form-urlencoded], parameters: [{name: user, in: formData, type: string, required: true}], responses: {}}
";

fn tools() -> Vec<ApiTool> {
    let document = read(PETS.as_bytes(), &ReadLimits::default()).expect("a document");
    let tools = document.tools();
    assert_eq!(tools.left_out, []);
    tools.tools.iter().for_each(check);
    tools.tools
}

#[test]
fn addresses_and_security_are_found_where_they_stood() {
    let document = read(PETS.as_bytes(), &ReadLimits::default()).expect("a document");
    let urls: Vec<String> = document.servers().into_iter().map(|server| server.url).collect();
    assert_eq!(urls, ["https://pets.example.com/v1", "http://pets.example.com/v1"]);
    let kinds: Vec<SecurityKind> = document.security().into_iter().map(|scheme| scheme.kind).collect();
    assert!(matches!(
        &kinds[..],
        [SecurityKind::ApiKey { .. }, SecurityKind::Basic, SecurityKind::OAuth2 { .. }]
    ));
    let SecurityKind::OAuth2 { token_url, .. } = &kinds[2] else { panic!("the third is OAuth") };
    assert_eq!(token_url.as_deref(), Some("https://t"));
}

#[test]
fn formats_of_collections_are_styles() {
    let tool = tools().remove(0);
    let made = request(&tool, json!({ "limit": 5, "tags": ["a", "b"], "ids": [1, 2], "plain": [3, 4] }))
        .expect("a request");
    assert_eq!(made.path_and_query, "/pets?limit=5&tags=a%7Cb&ids=1&ids=2&plain=3,4");
    assert!(!fits(&tool, &json!({ "limit": 11 })));
    assert_eq!(tool.output_schema.expect("an answer")["required"], json!(["name"]));
    assert_eq!(tool.plan.security_parameters().len(), 1);
}

#[test]
fn bodies_and_forms_are_bodies() {
    let tools = tools();
    let made = request(&tools[1], json!({ "name": "a", "parent": { "name": "b" }, "tag": null }))
        .expect("a request");
    assert_eq!(body_text(&made), r#"{"name":"a","parent":{"name":"b"},"tag":null}"#);
    assert!(!fits(&tools[1], &json!({ "name": "a", "parent": {} })));
    let made = request(&tools[2], json!({ "id": "1", "picture": "aGk=", "note": "x" })).expect("a request");
    assert!(body_text(&made).contains("filename=\"picture\"") && body_text(&made).contains("\r\n\r\nhi\r\n"));
    assert_eq!(tools[2].input_schema["properties"]["note"]["description"], "a note");
    let made = request(&tools[3], json!({ "user": "a b" })).expect("a request");
    assert_eq!(body_text(&made), "user=a%20b");
}
