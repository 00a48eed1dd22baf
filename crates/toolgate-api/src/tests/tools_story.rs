//! Tools, and calls of them.

use http::{Method, StatusCode};
use serde_json::json;
use toolgate_core::Role;

use super::gate::{BODY_BYTES_MAX, Gate, Read, request, somebody};

async fn call(gate: &Gate, body: &str) -> Read {
    gate.post(&somebody("agent-7", Role::Agent), "/tools/call", body).await
}

#[tokio::test]
async fn a_call_answers_with_the_whole_envelope_and_the_bytes_of_the_result() {
    let gate = Gate::open().await;
    let answer = call(
        &gate,
        r#"{"name":"say:succeeded","arguments":{ "amount":1.50e1 },"run_id":"run_1","task_id":"t"}"#,
    )
    .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.text.contains(r#""arguments":{ "amount":1.50e1 }"#), "{}", answer.text);
    let envelope = answer.json();
    assert_eq!(
        (&envelope["status"], &envelope["tool_call_id"], &envelope["refs"], &envelope["warnings"]),
        (&json!("succeeded"), &json!("tc_1"), &json!([]), &json!([]))
    );
    let data = &envelope["data"];
    assert_eq!(
        (&data["principal"], &data["run"], &data["task"]),
        (&json!("agent-7"), &json!("run_1"), &json!("t"))
    );
    assert_eq!(data["hold"], "AsConfigured");
}

#[tokio::test]
async fn what_headers_say_goes_with_the_call() {
    let gate = Gate::open().await;
    let who = somebody("agent-7", Role::Agent);
    let mut request = request(Method::POST, "/tools/call", Some(&who), r#"{"name":"say:succeeded"}"#);
    for (name, value) in [("prefer", "wait=3, Respond-Async"), ("traceparent", "00-a-b-01")] {
        request.headers_mut().insert(name, value.parse().expect("a value"));
    }
    let data = gate.send(request).await.json()["data"].clone();
    assert_eq!((&data["hold"], &data["trace"]), (&json!("NotAtAll"), &json!("00-a-b-01")));
    assert_eq!(data["arguments"], json!(null));
}

#[tokio::test]
async fn every_outcome_has_its_status() {
    let gate = Gate::open().await;
    for (outcome, status) in [
        ("succeeded", 200),
        ("tool_error", 200),
        ("joined", 200),
        ("accepted", 202),
        ("pending_approval", 202),
        ("denied", 403),
        ("rejected", 403),
        ("changes_requested", 409),
        ("expired", 409),
        ("cancelled", 409),
        ("input_required", 409),
        ("invalid", 422),
        ("failed", 502),
        ("unknown", 502),
        ("refused", 503),
    ] {
        let answer = call(&gate, &format!(r#"{{"name":"say:{outcome}"}}"#)).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (status, &json!(outcome)));
    }
    let pending = call(&gate, r#"{"name":"say:pending_approval"}"#).await;
    assert_eq!(pending.json()["approval_id"], "apr_1");
    let failed = call(&gate, r#"{"name":"say:failed"}"#).await.json();
    assert_eq!((&failed["data"], &failed["error"]["fault"]), (&json!(null), &json!("server")));
    assert_eq!(failed["error"]["details"]["rpc_code"], -32602);
}

#[tokio::test]
async fn what_never_became_a_call_is_a_problem() {
    let gate = Gate::open().await;
    for (name, status, code) in [
        ("bank:transfre", 404, "unknown_tool"),
        ("bank:busy", 429, "too_many_calls"),
        ("bank:late", 503, "shutting_down"),
    ] {
        let answer = call(&gate, &format!(r#"{{"name":"{name}"}}"#)).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (status, code));
    }
    let unknown = call(&gate, r#"{"name":"bank:transfre"}"#).await.json();
    assert_eq!(unknown["hint"], "did you mean \"bank:transfer\"?");
}

#[tokio::test]
async fn bodies_that_cannot_be_read_are_refused() {
    let gate = Gate::open().await;
    let large = format!(r#"{{"name":"say:succeeded","arguments":"{}"}}"#, "x".repeat(BODY_BYTES_MAX));
    for (body, status, code) in [
        (large.as_str(), 413, "body_too_large"),
        ("{", 400, "json_broken"),
        (r#"{"name":1}"#, 422, "field_invalid"),
        (r#"{"args":{},"name":"a"}"#, 422, "field_unknown"),
        (r#"{"arguments":{}}"#, 422, "field_invalid"),
    ] {
        let answer = call(&gate, body).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (status, code));
    }
    let mut form = request(Method::POST, "/tools/call", Some(&somebody("a", Role::Agent)), "name=x");
    form.headers_mut().insert("content-type", "application/x-www-form-urlencoded".parse().expect("a value"));
    let answer = gate.send(form).await;
    assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (415, "not_json"));
}

#[tokio::test]
async fn tools_are_listed_by_page_and_shown_by_either_name() {
    let gate = Gate::open().await;
    let agent = somebody("agent-7", Role::Agent);
    let first = gate.get(&agent, "/tools?limit=1&server=bank").await.json();
    assert_eq!(first["tools"][0]["name"], "bank:balance");
    let next = first["next_cursor"].as_str().expect("there is more");
    let second = gate.get(&agent, &format!("/tools?limit=1&cursor={next}")).await.json();
    assert_eq!((&second["tools"][0]["name"], second.get("next_cursor")), (&json!("bank:transfer"), None));
    assert_eq!(gate.get(&agent, "/tools?server=shop").await.json(), json!({ "tools": [] }));
    for name in ["bank:transfer", "bank__transfer"] {
        let tool = gate.get(&agent, &format!("/tools/{name}")).await.json();
        assert_eq!((&tool["name"], &tool["wire_name"]), (&json!("bank:transfer"), &json!("bank__transfer")));
        assert_eq!(tool["effects"], json!(["read", "write", "external", "destructive"]));
        assert_eq!(tool["definition"]["description"], "Moves money");
    }
    let unknown = gate.get(&agent, "/tools/bank:transfers").await;
    assert_eq!((unknown.status.as_u16(), unknown.problem().as_str()), (404, "unknown_tool"));
}

#[tokio::test]
async fn servers_are_listed() {
    let gate = Gate::open().await;
    let answer = gate.get(&somebody("op", Role::Operator), "/servers").await;
    assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!({ "servers": [] })));
}
