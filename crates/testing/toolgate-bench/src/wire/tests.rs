use serde_json::Value;

use super::*;

fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).expect("request bodies are JSON")
}

#[test]
fn a_modern_call_carries_the_meta_that_its_revision_requires() {
    let body = parsed(&CallTemplate::new(BenchEra::Modern, Work::Echo, "fast__echo").body(17));
    assert_eq!(body["id"], 17);
    assert_eq!(body["method"], "tools/call");
    assert_eq!(body["params"]["name"], "fast__echo");
    assert_eq!(body["params"]["arguments"]["text"], "The quick brown fox jumps over the lazy dog, call 17");
    let meta = &body["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], MODERN);
    assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
}

#[test]
fn a_legacy_call_carries_no_meta() {
    let body = parsed(&CallTemplate::new(BenchEra::Legacy, Work::Blob { bytes: 1024 }, "blob").body(3));
    assert_eq!(body["params"]["arguments"]["bytes"], 1024);
    assert!(body["params"].get("_meta").is_none());
}

#[test]
fn a_request_without_members_is_still_json() {
    assert!(parsed(&request_body(BenchEra::Modern, 1, "tools/list", ""))["params"]["_meta"].is_object());
    assert_eq!(parsed(&request_body(BenchEra::Legacy, 1, "tools/list", ""))["params"], serde_json::json!({}));
    let initialize = parsed(&request_body(BenchEra::Legacy, 1, "initialize", &initialize_members()));
    assert_eq!(initialize["params"]["protocolVersion"], LEGACY);
}

#[test]
fn a_modern_request_has_every_header_of_its_revision() {
    let mut headers = common_headers("127.0.0.1:1", Some("tok"), BenchEra::Modern);
    routing_headers(&mut headers, "tools/call", Some("echo"));
    let pairs = [
        ("host", "127.0.0.1:1"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("authorization", "Bearer tok"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
    ];
    for (name, expected) in pairs {
        assert_eq!(headers.get(name).expect("header present"), expected);
    }
}

fn echo_reply(id: u64, rest: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#)
}

fn echo_result(id: u64) -> String {
    format!(r#""result":{{"content":[{{"type":"text","text":"{ECHO_BEFORE_ID}{id}"}}]}}"#)
}

#[test]
fn a_right_echo_passes() {
    assert_eq!(check_echo(9, echo_reply(9, &echo_result(9)).as_bytes()), Ok(()));
}

#[test]
fn an_echo_for_another_id_is_a_fault() {
    let fault = check_echo(9, echo_reply(8, &echo_result(9)).as_bytes()).expect_err("id 8 is not 9");
    assert_eq!(fault, ReplyFault::WrongId { sent: 9, found: "8".to_owned() });
}

#[test]
fn an_echo_with_the_text_of_another_call_is_a_fault() {
    for other in [8, 90, 99] {
        let fault = check_echo(9, echo_reply(9, &echo_result(other)).as_bytes()).expect_err("wrong text");
        assert!(matches!(fault, ReplyFault::WrongText { .. }), "{fault}");
    }
}

#[test]
fn errors_of_either_kind_are_faults() {
    let rpc = echo_reply(9, r#""error":{"code":-32602,"message":"unknown tool"}"#);
    assert!(matches!(check_echo(9, rpc.as_bytes()), Err(ReplyFault::RpcError { .. })));
    let tool = echo_reply(9, r#""result":{"content":[],"isError":true}"#);
    assert!(matches!(check_echo(9, tool.as_bytes()), Err(ReplyFault::ToolError { .. })));
    let neither = echo_reply(9, r#""extra":1"#);
    assert!(matches!(check_echo(9, neither.as_bytes()), Err(ReplyFault::Malformed { .. })));
}

fn edges_of(reply: &str, chunk_bytes: usize) -> ReplyEdges {
    let mut edges = ReplyEdges::default();
    reply.as_bytes().chunks(chunk_bytes).for_each(|chunk| edges.push(chunk));
    edges
}

fn blob_reply(id_first: bool, payload: usize) -> String {
    let result = format!(r#""result":{{"content":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(payload));
    if id_first {
        format!(r#"{{"jsonrpc":"2.0","id":5,{result}}}"#)
    } else {
        format!(r#"{{{result},"id":5}}"#)
    }
}

#[test]
fn a_large_reply_is_checked_by_its_edges_however_it_is_cut() {
    for chunk_bytes in [1, 3, 511, 512, 513, 4096, 1 << 20] {
        for id_first in [true, false] {
            assert_eq!(edges_of(&blob_reply(id_first, 10_000), chunk_bytes).check(5, 10_000), Ok(()));
        }
    }
}

#[test]
fn a_large_reply_that_is_short_or_not_ours_is_a_fault() {
    let edges = edges_of(&blob_reply(true, 10_000), 4096);
    assert!(matches!(edges.check(5, 20_000), Err(ReplyFault::WrongLength { .. })));
    assert!(matches!(edges.check(50, 10_000), Err(ReplyFault::WrongId { .. })));
    let failed = blob_reply(true, 10_000).replace("}]}", r#"}],"isError":true}"#);
    assert!(matches!(edges_of(&failed, 4096).check(5, 10_000), Err(ReplyFault::ToolError { .. })));
}

#[test]
fn a_streamed_or_refused_reply_fails_before_its_body_is_read() {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    assert!(matches!(check_head(http::StatusCode::OK, &headers), Err(ReplyFault::ContentType { .. })));
    assert!(matches!(
        check_head(http::StatusCode::UNAUTHORIZED, &headers),
        Err(ReplyFault::Status { status: 401, .. })
    ));
}

#[test]
fn a_reply_that_streams_ends_with_the_answer() {
    let headers = |value| HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))]);
    let form = |value| reply_form(http::StatusCode::OK, &headers(value));
    assert_eq!(form("application/json"), Ok(ReplyForm::Json));
    assert_eq!(form("text/event-stream"), Ok(ReplyForm::Events));
    assert!(
        form("text/html").is_err()
            && check_head(http::StatusCode::OK, &headers("text/event-stream")).is_err()
    );
    let stream = b": keep-alive\n\ndata: {\"method\":\"notifications/message\"}\n\ndata: {\"id\":1}\n\n";
    assert_eq!(last_data(stream), br#"{"id":1}"#);
    assert_eq!(last_data(b": keep-alive\n\n"), b"");
}
