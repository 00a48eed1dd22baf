//! Policy: the policies in force, their decisions, and those of policies in shadow mode.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, LedgerEntry};
use toolgate_core::governance::Ledger;
use toolgate_core::id::CallId;
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, Role};

use super::gate::{Gate, somebody};

/// Appends decisions; every second one differs from that of the shadow.
async fn decide(gate: &Gate, count: usize) {
    let event = |place: usize| {
        let about = EventSubject {
            call: Some(CallId::new(format!("tc_{place}"))),
            tool: Some(CanonicalName::recorded("bank:transfer")),
            ..EventSubject::default()
        };
        let mut event = Event::new(EventKind::PolicyDecided, 0, PrincipalId::new("agent-7"), Arc::new(about));
        event.decision = Some(DecisionKind::Permit);
        let policies = json!([{ "id": "new", "reason": "too much", "text": Digest::of("new") }]);
        let detail = (place % 2 == 1).then(|| json!({ "shadow": "deny", "shadow_policies": policies }));
        event.detail = detail.map(RawJson::from);
        event
    };
    let entry = LedgerEntry { events: (0..count).map(event).collect(), ..LedgerEntry::default() };
    gate.books.append(entry).await.expect("recorded");
}

#[tokio::test]
async fn what_is_in_force_is_told_with_its_rules_and_what_does_not_load() {
    let gate = Gate::open().await;
    let mut loaded =
        Event::new(EventKind::PolicyLoaded, 0, PrincipalId::gateway(), Arc::new(EventSubject::default()));
    loaded.policy_version = Some(Digest::of("policy"));
    gate.books
        .append(LedgerEntry { events: vec![loaded], ..LedgerEntry::default() })
        .await
        .expect("recorded");
    let told = gate.get(&somebody("audit", Role::Auditor), "/policy").await.json();
    assert_eq!((&told["template"], &told["shadow"]), (&json!("standard"), &json!(true)));
    assert_eq!(told["version"], Digest::of("policy").to_string());
    assert_eq!(told["loaded_at"], "1970-01-01T00:00:00.000Z");
    assert!(told["refused"].as_str().expect("a text").contains("does not load"));
    let rule = &told["files"][0]["rules"][0];
    assert_eq!((&rule["id"], &rule["effect"], &rule["line"]), (&json!("large"), &json!("forbid"), &json!(3)));
    assert_eq!(rule["annotations"]["reason"], "more than a hundred");
}

#[tokio::test]
async fn the_table_has_pages_of_tools() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    let first = gate.get(&auditor, "/policy/table?limit=1").await.json();
    assert_eq!(first["templates"], json!(["exploratory", "standard", "regulated", "audit_critical"]));
    assert_eq!((&first["in_force"], &first["next_cursor"]), (&json!("standard"), &json!("bank:balance")));
    let actors: Vec<&Value> =
        first["rows"].as_array().expect("rows").iter().map(|row| &row["actor"]).collect();
    assert_eq!(actors, [&json!("admin"), &json!("agent")]);
    assert_eq!(first["rows"][0]["cells"].as_array().expect("cells").len(), 4);
    let second = gate.get(&auditor, "/policy/table?limit=1&cursor=bank:balance").await.json();
    assert_eq!(second["rows"][0]["tool"], "bank:transfer");
    assert!(second.get("next_cursor").is_none(), "{second}");
    let none = gate.get(&auditor, "/policy/table?q=nothing").await.json();
    assert_eq!(none["rows"], json!([]));
}

#[tokio::test]
async fn a_call_that_nobody_makes_is_explained_and_not_recorded() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    let plain = gate.post(&auditor, "/policy/explain", r#"{"tool":"bank__transfer"}"#).await.json();
    assert_eq!((&plain["tool"], &plain["verdict"]), (&json!("bank:transfer"), &json!("permit")));
    assert_eq!(
        (&plain["principal"], &plain["role"], &plain["kind"]),
        (&json!("someone"), &json!("agent"), &json!("agent"))
    );
    let wish = json!({ "tool": "bank:transfer", "arguments": { "amount": 500 }, "principal": "ann", "role": "operator",
        "kind": "service", "groups": ["finance"], "agent": "teller", "template": "regulated", "session": "ses_1",
        "run": "run_1", "task": "task_1" });
    let told = gate.post(&auditor, "/policy/explain", &wish.to_string()).await.json();
    assert_eq!(told["verdict"], "deny");
    for member in
        ["arguments", "principal", "role", "kind", "groups", "agent", "template", "session", "run", "task"]
    {
        assert_eq!(told[member], wish[member], "{member}");
    }
    let decided = gate.get(&auditor, "/ledger?kind=policy.decided").await.json();
    assert_eq!(decided["events"], json!([]));
}

#[tokio::test]
async fn what_cannot_be_explained_says_why() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    for (body, status, code) in [
        (json!({ "tool": "bank:tranfer" }), 404, "unknown_tool"),
        (json!({ "tool": "bank:transfer", "arguments": [1] }), 422, "field_invalid"),
        (json!({ "tool": "bank:transfer", "role": "king" }), 422, "field_invalid"),
        (json!({ "tool": "bank:transfer", "agent": "no agent" }), 422, "field_invalid"),
        (json!({ "tool": "bank:transfer", "who": "ann" }), 422, "field_unknown"),
        (json!({}), 422, "field_invalid"),
    ] {
        let refused = gate.post(&auditor, "/policy/explain", &body.to_string()).await;
        assert_eq!(
            (refused.status.as_u16(), refused.problem().as_str()),
            (status, code),
            "{body} {refused:?}"
        );
    }
    let meant = gate.post(&auditor, "/policy/explain", r#"{"tool":"bank:tranfer"}"#).await;
    assert_eq!(
        (meant.status, &meant.json()["hint"]),
        (StatusCode::NOT_FOUND, &json!("did you mean \"bank:transfer\"?"))
    );
}

#[tokio::test]
async fn differences_of_the_shadow_are_read_from_the_ledger() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    assert_eq!(
        gate.get(&auditor, "/policy/shadow").await.json(),
        json!({ "differences": [], "looked_at": 0 })
    );
    decide(&gate, 10).await;
    let page = gate.get(&auditor, "/policy/shadow?limit=3").await.json();
    let calls = |page: &Value| -> Vec<String> {
        let differences = page["differences"].as_array().expect("a list").iter();
        differences.map(|one| one["call"].as_str().expect("a call").to_owned()).collect()
    };
    assert_eq!(calls(&page), ["tc_9", "tc_7", "tc_5"]);
    let newest = &page["differences"][0];
    assert_eq!((&newest["decided"], &newest["shadow"]), (&json!("permit"), &json!("deny")));
    assert_eq!((&newest["tool"], &newest["policies"][0]["id"]), (&json!("bank:transfer"), &json!("new")));
    let cursor = page["next_cursor"].as_str().expect("there is more");
    let rest = gate.get(&auditor, &format!("/policy/shadow?limit=3&cursor={cursor}")).await.json();
    assert_eq!(calls(&rest), ["tc_3", "tc_1"]);
    assert!(rest.get("next_cursor").is_none(), "{rest}");
    let bad = gate.get(&auditor, "/policy/shadow?cursor=x").await;
    assert_eq!(bad.problem(), "parameter_invalid");
}
