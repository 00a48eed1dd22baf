//! Tools, and calls of them.

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_catalog::{Alias, CatalogUpdate, WithheldReason, WithheldTool};
use toolgate_core::governance::Clock;
use toolgate_core::server::ServerListing;
use toolgate_core::{CanonicalName, RawJson, Role};

use super::gate::{BODY_BYTES_MAX, Gate, Read, request, somebody};
use super::parts::server;

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
        ("bank:odd", 422, "call_refused"),
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
async fn a_withheld_tool_and_a_name_out_of_use_are_told_apart_from_nothing() {
    let gate = Gate::open().await;
    let now_ms = gate.clock.now_ms();
    let alias = |name: &str, until_ms| Alias {
        name: name.to_owned(),
        target: CanonicalName::recorded("bank:transfer"),
        until_ms,
        primary: false,
        owner: "toolgate.toml".to_owned(),
    };
    let aliases = vec![alias("send_money", Some(now_ms + 60_000)), alias("pay", Some(now_ms - 1))];
    let withheld = WithheldTool {
        own: "close".to_owned(),
        why: WithheldReason::Quarantined,
        reason: "its definition changed".to_owned(),
    };
    let withheld = BTreeMap::from([(server(), vec![withheld])]);
    gate.catalog.update(CatalogUpdate { aliases: Some(aliases), withheld, ..CatalogUpdate::default() });
    let agent = somebody("agent-7", Role::Agent);
    let tool = gate.get(&agent, "/tools/send_money").await.json();
    assert_eq!((&tool["name"], &tool["aliases"]), (&json!("bank:transfer"), &json!(["send_money"])));
    for (name, status, code) in [
        ("bank:close", 409, "tool_quarantined"),
        ("bank__close", 409, "tool_quarantined"),
        ("pay", 410, "alias_sunset"),
        ("nothing", 404, "unknown_tool"),
    ] {
        let shown = gate.get(&agent, &format!("/tools/{name}")).await;
        assert_eq!((shown.status.as_u16(), shown.problem().as_str()), (status, code), "{name}");
        let called = call(&gate, &format!(r#"{{"name":"{name}"}}"#)).await;
        assert_eq!((called.status.as_u16(), called.problem().as_str()), (status, code), "{name}");
    }
    let withheld = gate.get(&agent, "/tools/bank:close").await.json();
    assert_eq!(withheld["reason"], "its definition changed");
    assert!(withheld["hint"].as_str().expect("a hint").contains("toolgate tools diff bank:close"));
    assert_eq!(gate.get(&agent, "/tools/pay").await.json()["hint"], "call bank:transfer");
    let aliases = gate.get(&somebody("audit", Role::Auditor), "/aliases").await.json();
    let names: Vec<_> = aliases["aliases"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["name"], &one["in_use"]))
        .collect();
    assert_eq!(names, [(&json!("pay"), &json!(false)), (&json!("send_money"), &json!(true))]);
}

#[tokio::test]
async fn a_tool_is_shown_with_how_it_is_handled() {
    let gate = Gate::open().await;
    let extra = json!({ "capabilities": ["money"], "file_strategy": "passthrough", "timeout_seconds": 2.5 });
    let definition = json!({ "name": "read", "inputSchema": { "type": "object" },
        "annotations": { "readOnlyHint": true }, "_meta": { "dev.toolgate/tool": extra } });
    gate.catalog.publish(
        &server(),
        ServerListing { tools: vec![RawJson::from(definition)], ..ServerListing::default() },
    );
    let tool = gate.get(&somebody("agent-7", Role::Agent), "/tools/bank:read").await.json();
    assert_eq!(
        (&tool["capabilities"], &tool["file_strategy"], &tool["timeout_seconds"]),
        (&json!(["money"]), &json!("passthrough"), &json!(2.5))
    );
    assert!(tool.get("rate").is_none() && tool.get("aliases").is_none(), "{tool}");
}

#[tokio::test]
async fn a_tool_is_shown_with_the_files_it_takes() {
    let gate = Gate::open().await;
    let publish = |extra: Value| {
        let schema = json!({ "type": "object", "properties": { "scans": { "type": "array" }, "text": {} }, "required": ["text"] });
        let definition =
            json!({ "name": "read", "inputSchema": schema, "_meta": { "dev.toolgate/tool": extra } });
        let tools = vec![RawJson::from(definition)];
        gate.catalog.publish(&server(), ServerListing { tools, ..ServerListing::default() });
    };
    let shown = async || gate.get(&somebody("agent-7", Role::Agent), "/tools/bank:read").await.json();
    publish(json!({ "file_strategy": "plain_text_text" }));
    let tool = shown().await;
    let slot = json!({ "argument": "file_id", "strategy": "plain_text_text", "content": "text" });
    assert_eq!((&tool["file_strategy"], &tool["files"]), (&json!("plain_text_text"), &json!([slot])));
    assert_eq!(tool["definition"]["inputSchema"]["required"], json!(["file_id"]));
    publish(json!({ "files": [{ "strategy": "image_base64", "argument": "pages", "content": "scans" }] }));
    let tool = shown().await;
    let slot = json!({ "argument": "pages", "strategy": "image_base64", "content": "scans", "many": true });
    assert_eq!((tool.get("file_strategy"), &tool["files"]), (None, &json!([slot])));
    publish(json!({ "file_strategy": "binary_base64" }));
    let tool = shown().await;
    assert_eq!((tool.get("file_strategy"), tool.get("files")), (None, None), "there is no such argument");
    let server = gate.get(&somebody("ops", Role::Operator), "/servers/bank").await.json();
    let misfit = json!({ "name": "bank:read",
        "reason": "its schema has no argument \"file_data\" for the file strategy `binary_base64` to fill" });
    assert_eq!(server["misfits"], json!([misfit]));
}
