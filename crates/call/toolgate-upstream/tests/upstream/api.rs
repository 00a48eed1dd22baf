//! HTTP APIs as servers: what the gateway asks of their link beyond calls.

use serde_json::{Value, json};
use toolgate_core::port::{ServerError, ServerRequest};
use toolgate_core::server::{ApiSpec, TransportSpec};

use crate::kit::{UpstreamGateway, result_of, someone, spec};

/// A gateway in front of an API that nobody answers for.
async fn pets(folder: &tempfile::TempDir) -> UpstreamGateway {
    let photo = json!({ "multipart/form-data": { "schema": { "type": "object", "properties": {
        "photo": { "type": "string", "format": "binary" }, "title": { "type": "string" },
    } } } });
    let document = json!({
        "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" },
        "paths": {
            "/pets": { "post": { "operationId": "add", "responses": {}, "requestBody": { "content": {
                "application/json": { "schema": { "type": "object", "properties": { "name": { "type": "string" } } } },
            } } } },
            "/photos": { "post": { "operationId": "photo", "responses": {}, "requestBody": { "content": photo } } },
        },
    });
    let path = folder.path().join("pets.json");
    std::fs::write(&path, document.to_string()).unwrap();
    let api = ApiSpec {
        document: Some(path.to_str().unwrap().to_owned()),
        base_url: Some("http://127.0.0.1:9/v1".to_owned()),
        headers: [("Authorization".to_owned(), "Bearer ${vault:TOKEN}".to_owned())].into(),
        query: [("key".to_owned(), "plain-but-configured".to_owned())].into(),
        ..ApiSpec::default()
    };
    let gateway = UpstreamGateway::with(spec(TransportSpec::Api(api)));
    gateway.recorder.healthy().await;
    gateway
}

async fn preview(gateway: &UpstreamGateway, tool: &str, arguments: Value) -> Result<Value, ServerError> {
    let params = format!("\"name\":{},\"arguments\":{arguments}", json!(tool));
    let reply = gateway.request(ServerRequest::new("toolgate/preview", params), &someone()).await?;
    Ok(result_of(&reply).decode().unwrap())
}

#[tokio::test]
async fn a_preview_shows_the_request_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = pets(&folder).await;
    let shown = preview(&gateway, "add", json!({ "name": "Rex" })).await.unwrap();
    let request = &shown["request"];
    assert_eq!(
        (&request["method"], &request["url"]),
        (&json!("POST"), &json!("http://127.0.0.1:9/v1/pets?key=••••"))
    );
    assert_eq!(request["headers"]["Authorization"], "••••", "{shown}");
    assert_eq!(request["body_text"], r#"{"name":"Rex"}"#, "{shown}");
    assert!(shown["text"].as_str().unwrap().starts_with("POST http://127.0.0.1:9/v1/pets"), "{shown}");
    let photo = preview(&gateway, "photo", json!({ "file_id": "file_1", "title": "Rex" })).await.unwrap();
    assert!(photo["text"].as_str().unwrap().contains("‹file_1›"), "an id stands for its bytes: {photo}");
    assert!(matches!(preview(&gateway, "nothing", json!({})).await, Err(ServerError::Rpc(_))));
    gateway.end().await;
}

#[tokio::test]
async fn an_unknown_method_and_an_unknown_stream_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = pets(&folder).await;
    for (method, params) in [("resources/list", ""), ("toolgate/stream", "\"stream\":\"pets\"")] {
        let answer = gateway.request(ServerRequest::new(method, params.to_owned()), &someone()).await;
        assert!(matches!(answer, Err(ServerError::Rpc(_))), "{method}: {answer:?}");
    }
    gateway.end().await;
}
