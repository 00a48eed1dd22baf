//! Names, arguments, secrets and effects of tools.

use serde_json::{Value, json};

use super::{document, fits, request, tool_of, tool_with_body};
use crate::{ApiTool, SecretPlace, SecurityKind};

fn tools(paths: Value) -> Vec<ApiTool> {
    document(paths, json!({})).tools().tools
}

fn names(paths: Value) -> Vec<String> {
    tools(paths).into_iter().map(|tool| tool.name).collect()
}

#[test]
fn a_name_stays_when_other_operations_come_and_go() {
    let few = json!({ "/pets": { "get": { "operationId": "pets/list" } }, "/owners": { "get": {} } });
    let many = json!({ "/a": { "post": { "operationId": "other" } }, "/owners": { "get": {}, "put": {} },
        "/pets": { "get": { "operationId": "pets/list" }, "post": {} } });
    let few = names(few);
    assert_eq!(few, ["pets_list", "get_owners"]);
    let many = names(many);
    assert!(few.iter().all(|name| many.contains(name)), "{many:?}");
}

#[test]
fn operations_of_one_id_are_all_told_apart_by_what_they_are() {
    let first = names(
        json!({ "/a": { "get": { "operationId": "same" } }, "/b": { "get": { "operationId": "same" } } }),
    );
    assert!(first.iter().all(|name| name.starts_with("same_")) && first[0] != first[1], "{first:?}");
    let other = names(
        json!({ "/b": { "get": { "operationId": "same" } }, "/c": { "get": { "operationId": "sa me", "x": 1 } },
        "/a": { "get": { "operationId": "same" } } }),
    );
    assert_eq!((&other[2], &other[0]), (&first[0], &first[1]), "the order does not matter");
    let clashing = names(json!({ "/a/{b}": { "get": {} }, "/a/b": { "get": {} } }));
    assert_ne!(clashing[0], clashing[1]);
}

#[test]
fn what_stands_beside_operations_is_no_tool() {
    let item = json!({ "summary": "s", "description": "d", "servers": [{ "url": "https://other.example.com/x" }],
        "parameters": [], "x-more": { "get": {} }, "get": { "tags": ["a"], "deprecated": true }, "trace": {} });
    let tools = tools(json!({ "/a": item, "x-internal": { "get": {} } }));
    assert_eq!(tools.len(), 2);
    assert_eq!(tools[0].server.as_deref(), Some("https://other.example.com/x"));
    assert_eq!((tools[0].title.as_deref(), tools[0].description.as_str()), (Some("s"), "s\n\nd"));
    assert!(tools[0].deprecated && tools[0].tags == ["a"] && !tools[1].deprecated);
}

#[test]
fn effects_are_those_that_http_promises() {
    let all =
        json!({ "get": {}, "head": {}, "options": {}, "put": {}, "delete": {}, "post": {}, "patch": {} });
    let effects = tools(json!({ "/a": all }))
        .into_iter()
        .map(|tool| (tool.effects.read_only, tool.effects.destructive, tool.effects.idempotent));
    let (reads, replaces, writes) = ((true, false, true), (false, true, true), (false, true, false));
    assert_eq!(effects.collect::<Vec<_>>(), [reads, reads, reads, replaces, replaces, writes, writes]);
}

#[test]
fn arguments_of_one_name_all_have_their_place() {
    let parameter =
        |place: &str| json!({ "name": "id", "in": place, "required": true, "schema": { "type": "string" } });
    let operation = json!({
        "parameters": [parameter("header"), parameter("query"), parameter("cookie"), parameter("path")],
        "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "type": "object", "properties": { "id": { "type": "integer" }, "a b": {} }, "required": ["id"] } } } },
    });
    let tool = tools(json!({ "/things/{id}": { "post": operation } })).remove(0);
    let expected = json!(["id", "id_query", "id_header", "id_cookie", "id_body"]);
    assert_eq!(tool.input_schema["required"], expected);
    let arguments =
        json!({ "id": "p", "id_query": "q", "id_header": "h", "id_cookie": "c", "id_body": 5, "a_b": 1 });
    assert!(fits(&tool, &arguments));
    let made = request(&tool, arguments).expect("a request");
    assert_eq!(made.path_and_query, "/things/p?id=q");
    assert_eq!(made.headers, [("id".to_owned(), "h".to_owned())]);
    assert_eq!(made.cookies, [("id".to_owned(), "c".to_owned())]);
    assert_eq!(super::body_text(&made), r#"{"id":5,"a b":1}"#);
}

#[test]
fn the_operations_own_parameters_replace_those_of_the_path() {
    let parameter = |kind: &str| json!({ "name": "n", "in": "query", "schema": { "type": kind } });
    let item = json!({ "parameters": [parameter("string")], "get": { "parameters": [parameter("integer")] }, "put": {} });
    let tools = tools(json!({ "/a": item }));
    let kinds: Vec<&Value> = tools.iter().map(|tool| &tool.input_schema["properties"]["n"]["type"]).collect();
    assert_eq!(kinds, ["integer", "string"]);
}

#[test]
fn a_template_that_nothing_describes_is_a_required_argument() {
    let tool =
        tools(json!({ "/a/{b}": { "get": { "parameters": [{ "name": "c", "in": "path" }] } } })).remove(0);
    assert_eq!(tool.input_schema["properties"], json!({ "b": { "type": "string", "minLength": 1 } }));
    assert_eq!(tool.input_schema["required"], json!(["b"]));
}

#[test]
fn secrets_are_never_arguments() {
    let parameter = |place: &str, name: &str, description: &str| json!({ "name": name, "in": place, "description": description, "required": true, "schema": { "type": "string" } });
    let tool = tool_of(
        json!({ "parameters": [
            parameter("header", "Authorization", ""), parameter("query", "my_key", ""), parameter("header", "X-Mine", ""),
            parameter("header", "token", "Authentication token. Requires scope: `chat:write`"),
            parameter("query", "access_token", "OAuth access token."), parameter("query", "key", "API key."),
            parameter("query", "page_token", ""), parameter("query", "token", "The token of the next page."),
            parameter("header", "Content-Type", ""),
        ] }),
        json!({ "securitySchemes": { "a": { "type": "apiKey", "in": "query", "name": "my_key" },
            "b": { "type": "apiKey", "in": "header", "name": "x-mine" } } }),
    );
    let arguments: Vec<&String> =
        tool.input_schema["properties"].as_object().expect("properties").keys().collect();
    assert_eq!(arguments, ["page_token", "token"]);
    let secrets: Vec<(SecretPlace, &str)> =
        tool.plan.security_parameters().iter().map(|secret| (secret.place, secret.name.as_str())).collect();
    assert_eq!(secrets.len(), 6);
    assert!(
        secrets.contains(&(SecretPlace::Header, "token")) && secrets.contains(&(SecretPlace::Query, "key"))
    );
    let made = request(&tool, json!({ "page_token": "a", "token": "b" })).expect("secrets are not missed");
    assert_eq!(made.path_and_query, "/things?page_token=a&token=b");
    assert!(request(&tool, json!({ "page_token": "a", "token": "b", "my_key": "c" })).is_err());
}

#[test]
fn credentials_in_a_body_are_no_arguments_and_data_is() {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let properties = json!({
        "text": text(""), "api_key": text("Your key."), "clientSecret": text(""),
        "token": text("Authentication token. Requires scope: `files:write`"),
        "page_token": text(""), "next_token": text(""), "password": text("The password of the new user."),
        "key": text("The public SSH key. See the pages about authentication and API keys."),
        "secret": text("A secret of the time-based one time password (TOTP) authentication"),
        "subscription_key": text(""), "authorization": { "type": "object" },
        "access_token": { "type": "string", "readOnly": true },
    });
    let schema = json!({ "type": "object", "properties": properties, "required": ["text"] });
    let tool = tool_with_body(schema.clone(), json!({}));
    let arguments: Vec<&String> =
        tool.input_schema["properties"].as_object().expect("properties").keys().collect();
    let data = [
        "text",
        "page_token",
        "next_token",
        "password",
        "key",
        "secret",
        "subscription_key",
        "authorization",
    ];
    assert_eq!(arguments, data);
    let secrets: Vec<&str> =
        tool.plan.security_parameters().iter().map(|secret| secret.name.as_str()).collect();
    assert_eq!(secrets, ["api_key", "clientSecret", "token"]);
    assert!(request(&tool, json!({ "text": "a", "api_key": "b" })).is_err());
    // A body that is one argument does not tell of them either.
    let mut open = schema;
    open["additionalProperties"] = json!(true);
    let reference = json!({ "$ref": "#/components/schemas/Open" });
    let tool = tool_with_body(reference, json!({ "schemas": { "Open": open } }));
    let body = &tool.input_schema["properties"]["body"]["properties"];
    assert!(body["text"].is_object() && body["api_key"].is_null(), "{}", tool.input_schema);
}

#[test]
fn an_operation_whose_body_requires_a_credential_is_left_out_with_the_reason() {
    let body = |name: &str, required: Value| {
        let schema = json!({ "allOf": [
            { "type": "object", "properties": { name: { "type": "string" } } }, { "required": required },
        ] });
        json!({ "post": { "requestBody": { "content": { "application/json": { "schema": schema } } } } })
    };
    let made = document(
        json!({
            "/token": body("client_secret", json!(["client_secret"])), "/other": body("client_secret", json!([])),
            "/user": body("password", json!(["password"])),
        }),
        json!({}),
    )
    .tools();
    let left: Vec<(&str, bool)> = made
        .left_out
        .iter()
        .map(|one| (one.path.as_str(), one.reason.contains("requires the credential \"client_secret\"")))
        .collect();
    assert_eq!(left, [("/token", true)]);
    assert_eq!(made.tools.len(), 2);
}

#[test]
fn schemes_of_security_are_told() {
    let document = document(
        json!({}),
        json!({ "securitySchemes": {
        "key": { "type": "apiKey", "in": "cookie", "name": "sid" }, "basic": { "type": "http", "scheme": "Basic" },
        "bearer": { "type": "http", "scheme": "bearer" }, "digest": { "type": "http", "scheme": "digest" },
        "oidc": { "type": "openIdConnect", "openIdConnectUrl": "https://id.example.com" },
        "oauth": { "type": "oauth2", "flows": { "implicit": { "authorizationUrl": "https://i", "scopes": { "a": "" } },
            "authorizationCode": { "authorizationUrl": "https://a", "tokenUrl": "https://t", "scopes": { "a": "", "b": "" } } } },
    } }),
    );
    let kinds: Vec<SecurityKind> = document.security().into_iter().map(|scheme| scheme.kind).collect();
    let oauth = SecurityKind::OAuth2 {
        authorization_url: Some("https://a".to_owned()),
        token_url: Some("https://t".to_owned()),
        scopes: vec!["a".to_owned(), "b".to_owned()],
    };
    let key = SecurityKind::ApiKey { place: SecretPlace::Cookie, parameter: "sid".to_owned() };
    let oidc = SecurityKind::OpenIdConnect { url: "https://id.example.com".to_owned() };
    assert_eq!(kinds, [key, SecurityKind::Basic, SecurityKind::Bearer, SecurityKind::Other, oidc, oauth]);
}
