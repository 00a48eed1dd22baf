//! Policy: the policies in force, their decisions, and those of policies in shadow mode.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger;
use toolgate_core::id::CallId;
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, Role};
use toolgate_store::NewTokenSpec;

use super::gate::{Gate, approver, somebody};
use crate::policy_trials::TRIALS_AT_ONCE;

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

/// Records the end of a call with these arguments, if they are kept.
async fn end(gate: &Gate, number: usize, tool: &str, arguments: Option<Value>, outcome: Outcome) {
    let about = EventSubject {
        call: Some(CallId::new(format!("tc_{number}"))),
        tool: Some(CanonicalName::recorded(tool)),
        ..EventSubject::default()
    };
    let caller = PrincipalId::new("agent-7");
    let mut event = Event::new(EventKind::CallCompleted, number as i64, caller, Arc::new(about));
    event.outcome = Some(outcome);
    let mut bodies = Vec::new();
    if let Some(arguments) = arguments {
        let json = RawJson::from(arguments);
        let digest = Digest::of(json.as_bytes());
        event.input = Some(digest);
        bodies.push(LedgerBody { digest, json, keep_until_ms: i64::MAX / 2 });
    }
    let entry = LedgerEntry { events: vec![event], bodies, ..LedgerEntry::default() };
    gate.books.append(entry).await.expect("recorded");
}

#[tokio::test]
async fn a_change_is_checked_with_places_and_hints_and_changes_nothing() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    let fine = gate.post(&auditor, "/policy/check", r#"{"gates":"forbid"}"#).await;
    assert_eq!(fine.status, StatusCode::OK, "{fine:?}");
    let version = Digest::of("then").to_string();
    assert_eq!(fine.json(), json!({ "version": version, "errors": [], "warnings": [] }));
    for (body, file) in [
        (r#"{"guard_shadow":"wrong"}"#, "guard_shadow"),
        (r#"{"files":{"money.gates.cedar":"wrong"}}"#, "money.gates.cedar"),
    ] {
        let wrong = gate.post(&auditor, "/policy/check", body).await.json();
        let fault =
            json!({ "file": file, "line": 1, "column": 7, "message": "it is wrong", "hint": "mend it" });
        assert_eq!((wrong.get("version"), &wrong["errors"]), (None, &json!([fault])));
        let refused = gate.post(&auditor, "/policy/trial", body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(
            (refused.problem(), &refused.json()["errors"]),
            ("invalid_setting".into(), &json!([fault]))
        );
    }
    for bad in [r#"{"gate":"forbid"}"#, r#"{"gates":1}"#] {
        assert_eq!(gate.post(&auditor, "/policy/check", bad).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert_eq!(gate.get(&auditor, "/settings/policy").await.json()["version"], 0);
}

#[tokio::test]
async fn a_trial_counts_what_would_change_and_says_what_it_could_not_judge() {
    let gate = Gate::open().await;
    let amount = |amount: u32| Some(json!({ "amount": amount }));
    end(&gate, 1, "bank:transfer", amount(5), Outcome::Succeeded).await;
    end(&gate, 2, "bank:transfer", amount(50), Outcome::Succeeded).await;
    end(&gate, 3, "bank:transfer", amount(500), Outcome::Denied).await;
    end(&gate, 4, "bank:transfer", None, Outcome::Succeeded).await;
    end(&gate, 5, "bank:gone", amount(50), Outcome::Succeeded).await;
    end(&gate, 6, "bank:transfer", amount(50), Outcome::Invalid).await;
    let secret = json!({ "amount": 60, "note": "[redacted]" });
    end(&gate, 7, "bank:transfer", Some(secret), Outcome::Succeeded).await;
    let auditor = somebody("audit", Role::Auditor);
    let told = gate.post(&auditor, "/policy/trial", r#"{"gates":"forbid"}"#).await.json();
    assert_eq!(told["summary"], "This change would have refused 2 calls.", "{told}");
    let counts = [
        "looked_at",
        "judged",
        "refused",
        "asked",
        "permitted",
        "without_arguments",
        "without_tool",
        "not_decided",
        "supposed_callers",
    ];
    let counted: Vec<u64> = counts.iter().map(|count| told[count].as_u64().expect("a number")).collect();
    assert_eq!(counted, [7, 4, 2, 0, 0, 1, 1, 1, 4], "{told}");
    assert_eq!(told["redacted"], 1);
    assert_eq!((&told["complete"], &told["since"]), (&json!(true), &json!("1970-01-01T00:00:00.001Z")));
    let calls: Vec<&Value> =
        told["changes"].as_array().expect("a list").iter().map(|one| &one["call"]).collect();
    assert_eq!(calls, ["tc_7", "tc_2"]);
    let newest = &told["changes"][0];
    assert_eq!(
        (&newest["now"], &newest["then"], &newest["outcome"]),
        (&json!("permit"), &json!("deny"), &json!("succeeded"))
    );
    assert_eq!((&newest["summary"], &newest["because"]), (&json!("agent "), &json!(["ten"])));
    assert!(newest.get("arguments").is_none());
}

#[tokio::test]
async fn few_trials_run_at_once_and_others_are_told_to_come_later() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    let mut under_way: Vec<_> =
        (0..TRIALS_AT_ONCE).map(|_| gate.api.context.0.trials.begin().expect("there is a place")).collect();
    let refused = gate.post(&auditor, "/policy/trial", "{}").await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (StatusCode::TOO_MANY_REQUESTS, "too_many_calls")
    );
    let told = refused.json();
    assert_eq!((&told["retry"], told["hint"].is_string()), (&json!(true), true), "{told}");
    assert_eq!(gate.post(&auditor, "/policy/check", "{}").await.status, StatusCode::OK, "checks go on");
    under_way.pop();
    for _ in 0..=TRIALS_AT_ONCE {
        let tried = gate.post(&auditor, "/policy/trial", "{}").await;
        assert_eq!(tried.status, StatusCode::OK, "its place is free afterwards: {tried:?}");
    }
}

#[tokio::test]
async fn a_trial_judges_callers_by_the_roles_and_groups_of_their_tokens() {
    let gate = Gate::open().await;
    let spec = NewTokenSpec {
        principal: Some("agent-7".into()),
        groups: vec!["tellers".into()],
        ..NewTokenSpec::of(Role::Operator)
    };
    gate.store.create_token("one", spec).await.expect("a token");
    end(&gate, 1, "bank:transfer", Some(json!({ "amount": 50 })), Outcome::Succeeded).await;
    let auditor = somebody("audit", Role::Auditor);
    let told = gate.post(&auditor, "/policy/trial", "{}").await.json();
    assert_eq!(
        (&told["supposed_callers"], &told["changes"][0]["summary"]),
        (&json!(0), &json!("operator tellers"))
    );
}

#[tokio::test]
async fn the_effect_of_policies_in_shadow_mode_is_counted_by_policy() {
    let gate = Gate::open().await;
    let event = |id: &str, shadow: &str| {
        let about = Arc::new(EventSubject::default());
        let mut event = Event::new(EventKind::PolicyDecided, 0, PrincipalId::new("agent-7"), about);
        let policies = if id.is_empty() { json!([]) } else { json!([{ "id": id }]) };
        event.detail = Some(RawJson::from(json!({ "shadow": shadow, "shadow_policies": policies })));
        event
    };
    let events = vec![
        event("large", "deny"),
        event("large", "approve"),
        event("large", "approve"),
        event("elsewhere", "deny"),
        event("", "deny"),
    ];
    gate.books.append(LedgerEntry { events, ..LedgerEntry::default() }).await.expect("recorded");
    let told = gate.get(&somebody("audit", Role::Auditor), "/policy/shadow/counts").await.json();
    let large = json!({ "id": "large", "file": "gates_shadow.cedar", "reason": "more than a hundred",
        "refused": 1, "asked": 2 });
    assert_eq!((&told["policies"], &told["unpermitted"]), (&json!([large]), &json!(1)), "{told}");
    assert_eq!((&told["looked_at"], &told["complete"]), (&json!(5), &json!(true)));
}

#[tokio::test]
async fn a_gate_that_was_agreed_to_fifty_times_of_fifty_is_suggested_to_be_relaxed() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    let decide = async |amount: usize, decision: &str| {
        let asked = gate.ask(&format!(r#"{{"amount":{amount}}}"#)).await;
        let path = format!("/approvals/{}/decide", asked.id);
        let body = format!(r#"{{"decision":"{decision}"}}"#);
        assert_eq!(gate.post(&approver("ann"), &path, &body).await.status, StatusCode::OK);
    };
    decide(1, "deny").await;
    for amount in 2..51 {
        decide(amount, "approve").await;
    }
    let none = gate.get(&auditor, "/policy/suggestions").await.json();
    assert_eq!(none, json!({ "gates": [], "looked_at": 50 }));
    decide(51, "approve").await;
    let told = gate.get(&auditor, "/policy/suggestions").await.json();
    let one = &told["gates"][0];
    assert_eq!(
        (&one["gate"], &one["file"], &one["approved"]),
        (&json!("gates.cedar:1"), &json!("gates.cedar"), &json!(50)),
        "{told}"
    );
    assert_eq!((&one["tools"], &one["principals"]), (&json!(["bank:transfer"]), &json!(["agent-7"])));
    assert_eq!(one["condition"], "unless { principal == Agent::\"agent-7\" }");
    assert!(one["change"].as_str().expect("words").contains("gates.cedar, line 3"), "{told}");
}
