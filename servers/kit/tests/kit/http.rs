//! What is beside MCP on the port, and who may call.

use http::StatusCode;

use super::drive::{Http, serve};

async fn status(server: &Http, name: &'static str, value: &str) -> StatusCode {
    let request = reqwest::Client::new()
        .post(&server.url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header(name, value)
        .body(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#);
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn health_and_metrics_are_beside_mcp() {
    let server = serve(&[]).await;
    assert_eq!(server.get("/healthz").await, (200, "ok\n".to_owned()));
    let (status, text) = server.get("/metrics").await;
    assert!(
        status == 200 && text.contains("capability_busy_workers 0") && text.ends_with("# EOF\n"),
        "{text}"
    );
}

#[tokio::test]
async fn pages_of_other_hosts_cannot_call() {
    let server = serve(&["--allow-host", "documents.internal"]).await;
    for (name, value, expected) in [
        ("host", "127.0.0.1", StatusCode::OK),
        ("host", "documents.internal:4000", StatusCode::OK),
        ("host", "evil.example", StatusCode::FORBIDDEN),
        ("origin", "http://localhost:3000", StatusCode::OK),
        ("origin", "https://evil.example", StatusCode::FORBIDDEN),
    ] {
        assert_eq!(status(&server, name, value).await, expected, "{name}: {value}");
    }
}

#[tokio::test]
async fn the_public_url_names_a_host_too() {
    let server = serve(&["--public-url", "http://public.example:4000/mcp"]).await;
    assert_eq!(status(&server, "host", "public.example:4000").await, StatusCode::OK);
}
