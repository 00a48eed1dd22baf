//! The way of arguments into requests.

use serde_json::json;
use toolgate_testkit::web_api::WebAnswer;

use super::stage::{ApiStage, failure, operation_with};

fn fine() -> WebAnswer {
    WebAnswer::json(200, &json!({ "fine": true }))
}

#[tokio::test]
async fn each_argument_stands_where_the_document_wants_it() {
    let parameter = |place: &str, name: &str| json!({ "name": name, "in": place, "required": true, "schema": { "type": "string" } });
    let tags =
        json!({ "name": "tag", "in": "query", "schema": { "type": "array", "items": { "type": "string" } } });
    let body = json!({ "required": true, "content": { "application/json": { "schema": {
        "type": "object", "required": ["name"],
        "properties": { "name": { "type": "string" }, "age": { "type": "integer" } },
    } } } });
    let parameters =
        json!([parameter("path", "owner"), parameter("header", "trace"), parameter("cookie", "mood"), tags]);
    let update = operation_with("update", json!({ "parameters": parameters, "requestBody": body }));
    let stage =
        ApiStage::open(json!({ "/owners/{owner}/pet": { "put": update } }), "update", |_| fine()).await;
    let arguments = json!({
        "owner": "a b/c", "trace": "t1", "mood": "good", "tag": ["x y", "z"], "name": "Rex", "age": 3,
    });
    let result = stage.call("update", arguments).await;
    assert_eq!(result["structuredContent"], json!({ "fine": true }), "{result}");
    let heard = &stage.api.heard()[0];
    assert_eq!((heard.method.as_str(), heard.path()), ("PUT", "/v1/owners/a%20b%2Fc/pet"));
    let query = heard.target.split_once('?').expect("a query").1.replace('+', "%20");
    assert_eq!(query, "tag=x%20y&tag=z");
    assert_eq!(heard.header("trace"), Some("t1"));
    assert_eq!(heard.header("cookie"), Some("mood=good"));
    assert_eq!(heard.json(), json!({ "name": "Rex", "age": 3 }));
}

#[tokio::test]
async fn a_step_up_is_no_value_in_a_path() {
    let parameter = json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
    let get = operation_with("get", json!({ "parameters": parameter }));
    let stage = ApiStage::open(json!({ "/pets/{id}": { "get": get } }), "get", |_| fine()).await;
    for step in ["..", "."] {
        let answer =
            stage.agent.modern("tools/call", json!({ "name": "pets__get", "arguments": { "id": step } }));
        let answer = answer.await.response();
        let refused = answer["error"].is_object() || answer["result"]["isError"] == true;
        assert!(refused, "{answer}");
    }
    assert!(stage.api.heard().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn files_go_by_their_id_into_forms_and_plain_bodies() {
    let form = json!({ "content": { "multipart/form-data": { "schema": {
        "type": "object", "required": ["photo"],
        "properties": { "photo": { "type": "string", "format": "binary" }, "title": { "type": "string" } },
    } } } });
    let plain = json!({ "required": true, "content": { "application/octet-stream": {
        "schema": { "type": "string", "format": "binary" },
    } } });
    let paths = json!({
        "/photo": { "post": operation_with("photo", json!({ "requestBody": form })) },
        "/raw": { "post": operation_with("raw", json!({ "requestBody": plain })) },
    });
    let stage = ApiStage::open(paths, "raw", |_| fine()).await;
    let bytes = b"\x89PNG\r\n\x1a\n\x00\x01\x02 not a picture \xff".repeat(40);
    let id = stage.upload("rex.png", &bytes).await;
    let sent = stage.call("photo", json!({ "file_id": id, "title": "Rex" })).await;
    assert_ne!(sent["isError"], true, "{sent}");
    let sent = stage.call("raw", json!({ "file_id": id })).await;
    assert_ne!(sent["isError"], true, "{sent}");
    let [form] = &stage.api.heard_at("/v1/photo")[..] else { panic!("one request") };
    assert!(
        form.header("content-type").is_some_and(|kind| kind.starts_with("multipart/form-data")),
        "{form:?}"
    );
    assert!(form.body.windows(bytes.len()).any(|window| window == bytes), "the bytes themselves");
    assert!(form.text().contains("Rex"));
    let head = "name=\"photo\"; filename=\"rex.png\"\r\nContent-Type: image/png";
    assert!(form.text().contains(head), "a file goes with its name and its type: {}", form.text());
    let listed = stage.agent.modern("tools/list", json!({})).await.json();
    for tool in listed["result"]["tools"].as_array().expect("a list") {
        let schema = tool["inputSchema"].to_string();
        let asked = schema.contains("file_name_") || schema.contains("media_type_");
        assert!(!asked, "agents give the id alone: {schema}");
    }
    let [raw] = &stage.api.heard_at("/v1/raw")[..] else { panic!("one request") };
    assert_eq!(raw.body, bytes);
}

#[tokio::test]
async fn the_id_of_the_call_is_the_key_against_repetition() {
    let key = json!([{ "name": "Idempotency-Key", "in": "header", "schema": { "type": "string" } }]);
    let pay = operation_with("pay", json!({ "parameters": key }));
    let stage = ApiStage::open(json!({ "/pay": { "post": pay } }), "pay", |_| fine()).await;
    stage.call("pay", json!({})).await;
    stage.call("pay", json!({})).await;
    let keys: Vec<String> = stage
        .api
        .heard()
        .iter()
        .map(|heard| heard.header("idempotency-key").expect("a key").to_owned())
        .collect();
    assert!(keys.iter().all(|key| key.starts_with("tc_")) && keys[0] != keys[1], "{keys:?}");
}

#[tokio::test]
async fn wrong_arguments_are_refused_before_anything_is_sent() {
    let parameter =
        json!([{ "name": "count", "in": "query", "required": true, "schema": { "type": "integer" } }]);
    let list = operation_with("list", json!({ "parameters": parameter }));
    let stage = ApiStage::open(json!({ "/pets": { "get": list } }), "list", |_| fine()).await;
    for wrong in [json!({}), json!({ "count": "many" }), json!({ "count": 1, "other": 2 })] {
        failure(&stage.call("list", wrong).await);
    }
    assert!(stage.api.heard().is_empty(), "nothing was sent");
}
