//! The endpoints besides MCP on the port, and authentication.

use std::os::unix::fs::PermissionsExt;

use http::StatusCode;

use super::drive::{Http, serve, serve_at};

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

#[tokio::test]
async fn whoever_is_on_another_machine_shows_a_token() {
    let mut server = serve_at("0.0.0.0:0", &[]).await;
    let line = server.said("callers must send the token in ").await;
    let path = line.trim_start_matches("callers must send the token in ").to_owned();
    let token = std::fs::read_to_string(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(token.len() >= 32 && server.logged(&token) == 0, "a log is no place for it");
    server.url = server.url.replace("0.0.0.0", "127.0.0.1");
    let wrong = format!("Bearer {}x", token);
    for (value, expected) in [
        (format!("Bearer {token}"), StatusCode::OK),
        (format!("bearer {token}"), StatusCode::OK),
        (wrong, StatusCode::UNAUTHORIZED),
        (token.clone(), StatusCode::UNAUTHORIZED),
        ("Bearer".to_owned(), StatusCode::UNAUTHORIZED),
    ] {
        assert_eq!(status(&server, "authorization", &value).await, expected);
    }
    assert_eq!(status(&server, "x-nothing", "x").await, StatusCode::UNAUTHORIZED);
    assert_eq!(server.get("/metrics").await.0, 401);
    assert_eq!(server.get("/healthz").await.0, 200, "orchestrators look at it");
}

#[tokio::test]
async fn a_token_that_was_given_is_asked_for_on_this_machine_too() {
    let server = serve(&["--http-token", "hunter2"]).await;
    assert_eq!(status(&server, "authorization", "Bearer hunter2").await, StatusCode::OK);
    assert_eq!(status(&server, "authorization", "Bearer hunter3").await, StatusCode::UNAUTHORIZED);
    assert_eq!(server.logged("hunter2"), 0);
}
