//! A request taken apart: what it belongs to, what names its target, what goes on.

use serde_json::{Value, json};
use toolgate_core::id::RunId;

use super::kit::{read, request};

#[test]
fn what_a_request_says_to_the_gateway_and_to_the_server_is_told_apart() {
    let meta = json!({
        "dev.toolgate/run_id": "run_1", "dev.toolgate/task_id": 7, "traceparent": "00-1",
        "progressToken": "p", "com.example/colour": "red",
    });
    let request = request(1, "tools/call", json!({"name": "say", "_meta": meta}));
    let meta = request.parts.meta;
    assert_eq!(meta.labels.run, Some(RunId::new("run_1")));
    assert_eq!(meta.labels.task, None, "a number is no label");
    assert_eq!(meta.trace.as_deref(), Some("00-1"));
    assert_eq!(meta.cargo, r#""traceparent":"00-1""#);
    assert_eq!(meta.extras, r#""com.example/colour":"red""#);
    assert_eq!(meta.progress_token.expect("it has one").as_str(), "\"p\"");
}

#[test]
fn members_that_a_method_does_not_take_go_nowhere() {
    let params = json!({"name": "say", "arguments": {"a": 1}, "extra": true});
    let call = request(1, "tools/call", params.clone());
    assert_eq!(call.parts.params_for("tools/call", "own"), r#""name":"own","arguments":{"a":1}"#);
    let (text, start) = call.parts.params_with("tools/call", "own", "{\"b\":2}");
    assert_eq!((text.as_str(), &text[start..]), (r#""name":"own","arguments":{"b":2}"#, "{\"b\":2}"));
    let list = request(1, "tools/list", params);
    assert_eq!((list.parts.target, list.parts.rest.as_str()), (None, ""));
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one","name":"two"}}"#;
    let bytes = bytes::Bytes::from_static(text.as_bytes());
    let Ok(toolgate_wire::message::IncomingMessage::Request(found)) =
        toolgate_wire::message::parse(&bytes, 100)
    else {
        panic!("it is a request")
    };
    let error = crate::messages::parts::OwnedRequest::read(&bytes, &found).expect_err("which one?");
    assert_eq!(error.message, "params: a member stands twice");
}

#[test]
fn a_call_that_is_redirected_keeps_what_it_carries() {
    let params = json!({"name": "call_tool", "arguments": {}, "_meta": {"traceparent": "00-1"}});
    let mut outer = request(7, "tools/call", params);
    outer.param_headers.push(("mcp-param-what".to_owned(), "outer".to_owned()));
    let inner = outer.redirected("say", &json!({"what": "this"}).into());
    assert_eq!(inner.head.id.as_str(), "7");
    assert_eq!(inner.parts.target.as_deref(), Some("say"));
    assert_eq!(inner.parts.meta.trace.as_deref(), Some("00-1"));
    assert_eq!(inner.head.arguments(), json!({"what": "this"}));
    assert!(inner.param_headers.is_empty(), "they repeated arguments of the outer call");
}

#[test]
fn meta_has_to_be_an_object() {
    let message =
        |meta: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": meta}});
    assert!(read(&message(json!({}))).expect("it is one").parts.meta.given);
    let error = read(&message(json!([1]))).expect_err("it is a list");
    assert!(error.message.starts_with("params._meta: "), "{}", error.message);
}
