//! Calls in a list, the overview of them, and the export of the ledger.

use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::governance::{Clock, Ledger};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Principal, PrincipalId, Role};

use super::gate::{Gate, approver, request, somebody};
use super::parts::server;

/// One call as the gateway writes it, a few seconds ago.
async fn call(gate: &Gate, number: i64, decision: DecisionKind, outcome: Outcome) {
    let about = Arc::new(EventSubject {
        session: Some(SessionId::new(format!("ses_{}", number % 2))),
        run: Some(RunId::new("run_1")),
        call: Some(CallId::new(format!("tc_{number}"))),
        tool: Some(CanonicalName::of(&server(), "transfer")),
        server: Some(server()),
        ..EventSubject::default()
    });
    let at_ms = gate.clock.now_ms() - 5_000;
    let principal = PrincipalId::new(if number % 2 == 0 { "ann" } else { "bob" });
    let event = |kind| Event::new(kind, at_ms, principal.clone(), Arc::clone(&about));
    let decided = Event { decision: Some(decision), ..event(EventKind::PolicyDecided) };
    let ended =
        Event { outcome: Some(outcome), duration_us: Some(12_500), ..event(EventKind::CallCompleted) };
    gate.books
        .append(LedgerEntry { events: vec![decided, ended], ..LedgerEntry::default() })
        .await
        .expect("recorded");
}

async fn recorded() -> Gate {
    let gate = Gate::open().await;
    for number in 0..6 {
        let outcome = if number == 3 { Outcome::ToolError } else { Outcome::Succeeded };
        call(&gate, number, DecisionKind::Permit, outcome).await;
    }
    call(&gate, 6, DecisionKind::Deny, Outcome::Denied).await;
    gate
}

fn auditor() -> Principal {
    somebody("audit", Role::Auditor)
}

async fn ids(gate: &Gate, query: &str) -> Vec<String> {
    let answer = gate.get(&auditor(), &format!("/calls?{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let calls = answer.json()["calls"].as_array().expect("a list").clone();
    calls.iter().map(|call| call["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn calls_are_filtered_by_what_the_address_says() {
    let gate = recorded().await;
    for (query, expected) in [
        ("outcome=tool_error", vec!["tc_3"]),
        ("outcome=tool_error,denied", vec!["tc_6", "tc_3"]),
        ("outcome=tool_error,failed&principal=ann", vec![]),
        ("decision=permit&outcome=tool_error,denied", vec!["tc_3"]),
        ("error=denied", vec!["tc_6"]),
        ("error=tool_error&principal=bob", vec!["tc_3"]),
        ("decision=deny&error=denied", vec!["tc_6"]),
        ("error=denied&id=tc_3", vec![]),
        ("error=no_such_code", vec![]),
        ("decision=deny", vec!["tc_6"]),
        ("principal=bob", vec!["tc_5", "tc_3", "tc_1"]),
        ("session=ses_1&limit=2", vec!["tc_5", "tc_3"]),
        ("id=ses_1&limit=1", vec!["tc_5"]),
        ("id=tc_4", vec!["tc_4"]),
        ("id=run_2", vec![]),
        ("id=apr_none", vec![]),
        ("tool=bank:other", vec![]),
        ("server=no%20name", vec![]),
        ("state=running", vec![]),
        ("state=ended&outcome=denied", vec!["tc_6"]),
        ("until=2000-01-01T00:00:00Z", vec![]),
    ] {
        assert_eq!(ids(&gate, query).await, expected, "{query}");
    }
    let call = gate.get(&auditor(), "/calls?id=tc_3").await.json()["calls"][0].clone();
    let known = ["tool_error", "bank:transfer", "bank", "bob", "ses_1", "run_1", "permit"];
    let said =
        ["state", "tool", "server", "principal", "session", "run", "decision"].map(|name| call[name].clone());
    assert_eq!(said.to_vec(), known.map(Value::from).to_vec());
    assert_eq!(call["duration_ms"], json!(12.5));
}

#[tokio::test]
async fn a_call_that_people_are_asked_about_is_found_by_its_approval() {
    let gate = Gate::open().await;
    let approval = gate.ask(r#"{"amount":5}"#).await;
    assert_eq!(ids(&gate, "state=waiting").await, ["tc_asked"]);
    assert_eq!(ids(&gate, &format!("id={}", approval.id)).await, ["tc_asked"]);
    let call = gate.get(&auditor(), "/calls").await.json()["calls"][0].clone();
    assert_eq!((&call["state"], &call["approval"]), (&json!("awaiting_approval"), &json!(approval.id)));
    assert!(call.get("ended_at").is_none());
}

#[tokio::test]
async fn parameters_of_calls_that_cannot_be_are_named() {
    let gate = Gate::open().await;
    for query in [
        "state=late",
        "id=x",
        "from=yesterday",
        "outcome=ok",
        "outcome=failed,ok",
        "outcome=failed,",
        "decision=maybe",
        "cursor=x",
        "limit=201",
    ] {
        let answer = gate.get(&auditor(), &format!("/calls?{query}")).await;
        assert_eq!(
            (answer.status, answer.problem().as_str()),
            (StatusCode::BAD_REQUEST, "parameter_invalid")
        );
        assert_eq!(answer.json()["field"], query.split('=').next().expect("a name"));
    }
    assert_eq!(gate.get(&auditor(), "/calls?call=tc_1").await.problem(), "parameter_unknown");
    let misspelt = gate.get(&auditor(), "/ledger/export?principle=ann").await;
    assert_eq!(misspelt.json()["hint"], "did you mean \"principal\"?");
}

#[tokio::test]
async fn the_overview_adds_up_the_last_hour() {
    let gate = recorded().await;
    gate.ask(r#"{"amount":5}"#).await;
    let overview = gate.get(&auditor(), "/overview").await.json();
    assert_eq!(overview["waiting"], json!({ "approvals": 1, "inputs": 0, "reviews": 0 }));
    let traffic = &overview["traffic"];
    let sums = ["calls", "succeeded", "failed", "refused", "other"]
        .map(|name| traffic[name].as_u64().expect("a number"));
    assert_eq!(sums, [7, 5, 1, 1, 0]);
    assert!((traffic["error_rate"].as_f64().expect("a number") - 1.0 / 6.0).abs() < 1e-9);
    let minutes = traffic["minutes"].as_array().expect("a list");
    let counted: u64 = minutes.iter().map(|minute| minute["succeeded"].as_u64().expect("a number")).sum();
    assert_eq!((minutes.len(), counted), (60, 5));
    assert_eq!(traffic["latency"]["count"], json!(6), "what was denied did not run");
    assert_eq!(traffic["principals"][0]["id"], "ann");
    let edge = json!({ "principal": "bob", "server": "bank", "calls": 3, "failed": 1, "refused": 0 });
    assert!(traffic["edges"].as_array().expect("a list").contains(&edge), "{traffic}");
    let server = json!({ "server": "bank", "calls": 7, "failed": 1, "refused": 1 });
    assert_eq!(traffic["servers"], json!([server]));
    assert!(overview["tokens"]["catalogue"].as_u64().expect("a number") > 0);
    assert!(overview["ledger"]["events"].as_u64().expect("a number") >= 14);
    assert!(overview["ledger"].get("verified").is_none());
}

#[tokio::test]
async fn the_overview_goes_on_where_it_was_and_forgets_what_is_old() {
    let gate = recorded().await;
    let calls = async || gate.get(&auditor(), "/overview").await.json()["traffic"]["calls"].clone();
    assert_eq!(calls().await, json!(7));
    call(&gate, 7, DecisionKind::Permit, Outcome::Succeeded).await;
    gate.clock.advance_ms(2_000);
    assert_eq!(calls().await, json!(8));
    gate.clock.advance_ms(61 * 60_000);
    assert_eq!(calls().await, json!(0));
    call(&gate, 8, DecisionKind::Permit, Outcome::Succeeded).await;
    gate.clock.advance_ms(2_000);
    assert_eq!(calls().await, json!(1));
}

#[tokio::test]
async fn the_overview_tells_when_the_ledger_was_verified() {
    let gate = recorded().await;
    gate.get(&auditor(), "/ledger/verify").await;
    let verified = gate.get(&auditor(), "/overview").await.json()["ledger"]["verified"].clone();
    assert_eq!(verified["intact"], json!(true));
    assert!(verified["at"].is_string() && verified["events"].as_u64().expect("a number") >= 14);
}

#[tokio::test]
async fn approvers_are_told_what_waits_for_people_and_nothing_else() {
    let gate = recorded().await;
    let overview = gate.get(&approver("ada"), "/overview").await.json();
    let members: Vec<&String> = overview.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["at", "waiting"]);
}

#[tokio::test]
async fn an_export_has_a_line_for_each_event_that_passes() {
    let gate = recorded().await;
    let export = gate.get(&auditor(), "/ledger/export?outcome=succeeded").await;
    assert_eq!(export.headers["content-type"], "application/x-ndjson");
    assert_eq!(export.headers["content-disposition"], "attachment; filename=\"ledger.jsonl\"");
    let calls: Vec<Value> = export
        .text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["call"].clone())
        .collect();
    assert_eq!(calls, ["tc_0", "tc_1", "tc_2", "tc_4", "tc_5"]);
    let export = gate.get(&auditor(), "/ledger/export?format=cloudevents&call=tc_6").await;
    let events: Vec<Value> =
        export.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((events.len(), &events[1]["type"]), (2, &json!("dev.toolgate.tool.call.completed")));
    assert_eq!(gate.get(&auditor(), "/ledger/export?format=xml").await.problem(), "parameter_invalid");
    assert_eq!(gate.get(&auditor(), "/ledger/export?server=no%20name").await.text, "");
}

#[tokio::test]
async fn calls_are_found_by_text_and_whole_ids_at_once() {
    let gate = recorded().await;
    for (query, expected) in [
        ("q=BOB", vec!["tc_5", "tc_3", "tc_1"]),
        ("q=tc_4", vec!["tc_4"]),
        ("q=run_1&limit=1", vec!["tc_6"]),
        ("q=transf&outcome=denied", vec!["tc_6"]),
        ("q=%20%20&outcome=denied", vec!["tc_6"]),
        ("q=nothing", vec![]),
    ] {
        assert_eq!(ids(&gate, query).await, expected, "{query}");
    }
    let long = gate.get(&auditor(), &format!("/calls?q={}", "x".repeat(201))).await;
    assert_eq!((long.problem().as_str(), &long.json()["field"]), ("parameter_invalid", &json!("q")));
}

#[tokio::test]
async fn calls_are_counted_by_value() {
    let gate = recorded().await;
    let counts = gate.get(&auditor(), "/calls/counts").await.json();
    assert_eq!((&counts["calls"], &counts["more"]), (&json!(7), &json!(false)));
    let outcomes = json!([{ "value": "succeeded", "calls": 5 }, { "value": "denied", "calls": 1 },
        { "value": "tool_error", "calls": 1 }]);
    assert_eq!(counts["outcomes"], outcomes);
    let errors = json!([{ "value": "denied", "calls": 1 }, { "value": "tool_error", "calls": 1 }]);
    assert_eq!(counts["errors"], errors);
    let found = gate.get(&auditor(), "/calls/counts?q=bob").await.json();
    assert_eq!(found["errors"], json!([{ "value": "tool_error", "calls": 1 }]));
    assert_eq!(counts["principals"][0], json!({ "value": "ann", "calls": 4 }));
    let some = gate.get(&auditor(), "/calls/counts?q=bob&outcome=succeeded").await.json();
    assert_eq!((&some["calls"], &some["tools"][0]["value"]), (&json!(2), &json!("bank:transfer")));
}

#[tokio::test]
async fn calls_are_exported_as_csv_and_as_lines_of_json() {
    let gate = recorded().await;
    let csv = gate.get(&auditor(), "/calls/export?format=csv&principal=bob").await;
    assert_eq!(csv.headers["content-disposition"], "attachment; filename=\"calls.csv\"");
    let lines: Vec<&str> = csv.text.split("\r\n").filter(|line| !line.is_empty()).collect();
    assert!(lines[0].starts_with("id,state,tool,server,principal,"), "{}", lines[0]);
    assert!(
        lines[2].starts_with("\"tc_3\",\"tool_error\",\"bank:transfer\",\"bank\",\"bob\","),
        "{}",
        lines[2]
    );
    assert_eq!(lines.len(), 4);
    let jsonl = gate.get(&auditor(), "/calls/export?outcome=denied").await;
    assert_eq!(jsonl.headers["content-type"], "application/x-ndjson");
    let line: Value = serde_json::from_str(jsonl.text.trim()).expect("one line of JSON");
    assert_eq!((&line["id"], &line["state"]), (&json!("tc_6"), &json!("denied")));
    assert_eq!(gate.get(&auditor(), "/calls/export?format=xml").await.problem(), "parameter_invalid");
}

#[tokio::test]
async fn a_person_saves_views_and_removes_them() {
    let gate = Gate::open().await;
    let put = async |who: &Principal, name: &str, query: &str| {
        let body = json!({ "query": query }).to_string();
        gate.send(request(Method::PUT, &format!("/calls/views/{name}"), Some(who), &body)).await
    };
    let bob = somebody("bob", Role::Operator);
    assert_eq!(put(&auditor(), "Failed%20transfers", "outcome=failed").await.status, StatusCode::OK);
    assert_eq!(put(&auditor(), "%20", "").await.problem(), "field_invalid");
    assert_eq!(put(&auditor(), "long", &"x".repeat(2_001)).await.problem(), "field_invalid");
    let views = gate.get(&auditor(), "/calls/views").await.json();
    assert_eq!(views, json!({ "views": [{ "name": "Failed transfers", "query": "outcome=failed" }] }));
    assert_eq!(gate.get(&bob, "/calls/views").await.json(), json!({ "views": [] }));
    let remove = async |who: &Principal| {
        gate.send(request(Method::DELETE, "/calls/views/Failed%20transfers", Some(who), "")).await.status
    };
    assert_eq!(remove(&bob).await, StatusCode::NOT_FOUND);
    assert_eq!(remove(&auditor()).await, StatusCode::NO_CONTENT);
}
