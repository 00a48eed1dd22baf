//! The ledger, as auditors read it.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger;
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, Role};

use super::gate::{Gate, somebody};
use super::parts::server;

const NOON_MS: i64 = 1_785_585_600_000;
/// Two for each call, and one for each agent definition at the start.
const EVENTS: usize = 22;

/// Ten calls, one a second from noon on; the odd ones fail and are of another principal.
async fn recorded() -> Gate {
    let gate = Gate::open().await;
    for number in 0..10 {
        let json = RawJson::from(json!({ "amount": number }));
        let input = Digest::of(json.as_bytes());
        let body = LedgerBody { digest: input, json, keep_until_ms: i64::MAX };
        let events = vec![decided(number, input), completed(number, input)];
        let entry = LedgerEntry { events, bodies: vec![body], ..LedgerEntry::default() };
        gate.books.append(entry).await.expect("recorded");
    }
    gate
}

fn about(number: i64) -> Arc<EventSubject> {
    Arc::new(EventSubject {
        session: Some(SessionId::new(format!("ses_{}", number % 3))),
        run: Some(RunId::new(format!("run_{}", number % 3))),
        call: Some(CallId::new(format!("tc_{number}"))),
        tool: Some(CanonicalName::of(&server(), "transfer")),
        server: Some(server()),
        ..EventSubject::default()
    })
}

fn event(kind: EventKind, number: i64, input: Digest) -> Event {
    let principal = PrincipalId::new(if number % 2 == 0 { "ann" } else { "bob" });
    let mut event = Event::new(kind, NOON_MS + number * 1000, principal, about(number));
    event.input = Some(input);
    event
}

fn decided(number: i64, input: Digest) -> Event {
    let mut event = event(EventKind::PolicyDecided, number, input);
    event.decision = Some(DecisionKind::Permit);
    event
}

fn completed(number: i64, input: Digest) -> Event {
    let mut event = event(EventKind::CallCompleted, number, input);
    event.outcome = Some(if number % 2 == 0 { Outcome::Succeeded } else { Outcome::Failed });
    event
}

async fn calls(gate: &Gate, query: &str) -> Vec<String> {
    let answer = gate.get(&somebody("audit", Role::Auditor), &format!("/ledger?{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let events = answer.json()["events"].as_array().expect("a list").clone();
    events.iter().map(|event| event["call"].as_str().expect("a call").to_owned()).collect()
}

#[tokio::test]
async fn every_filter_leaves_what_it_says() {
    let gate = recorded().await;
    for (query, expected) in [
        ("kind=tool.call.completed&limit=3", vec!["tc_9", "tc_8", "tc_7"]),
        ("kind=tool.call.completed&limit=2&order=oldest", vec!["tc_0", "tc_1"]),
        ("outcome=failed&from=2026-08-01T12:00:07Z", vec!["tc_9", "tc_7"]),
        ("decision=permit&until=1785585602000", vec!["tc_1", "tc_0"]),
        ("principal=bob&kind=policy.decided&until=2026-08-01T14:00:02%2B02:00", vec!["tc_1"]),
        ("session=ses_2&outcome=succeeded", vec!["tc_8", "tc_2"]),
        ("run=run_0&outcome=failed", vec!["tc_9", "tc_3"]),
        ("call=tc_4", vec!["tc_4", "tc_4"]),
        ("tool=bank:transfer&server=bank&limit=1", vec!["tc_9"]),
        ("tool=bank:other", vec![]),
        ("server=no%20name", vec![]),
    ] {
        assert_eq!(calls(&gate, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn pages_follow_one_another_without_gap_or_repeat() {
    let gate = recorded().await;
    for order in ["newest", "oldest"] {
        let mut places: Vec<(String, i64)> = Vec::new();
        let mut cursor = String::new();
        loop {
            let path = format!("/ledger?limit=3&order={order}{cursor}");
            let page = gate.get(&somebody("audit", Role::Auditor), &path).await.json();
            let events = page["events"].as_array().expect("a list").iter();
            places.extend(events.map(|event| {
                let time = event["time"].as_str().expect("a time").to_owned();
                (time, event["number"].as_i64().expect("a number"))
            }));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        let mut sorted = places.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((sorted.len(), places.len()), (EVENTS, EVENTS), "{order}");
        if order == "newest" {
            sorted.reverse();
        }
        assert_eq!(places, sorted, "{order}");
    }
}

#[tokio::test]
async fn an_approver_reads_a_call_that_asked_people_without_its_result() {
    let gate = recorded().await;
    let (input, output) = (RawJson::from(json!({ "amount": 70 })), RawJson::from(json!({ "left": 3 })));
    let mut end = completed(70, Digest::of(input.as_bytes()));
    end.output = Some(Digest::of(output.as_bytes()));
    end.approval = Some(ApprovalId::new("apr_70"));
    let kept =
        |json: RawJson| LedgerBody { digest: Digest::of(json.as_bytes()), json, keep_until_ms: i64::MAX };
    let bodies = vec![kept(input), kept(output)];
    let entry = LedgerEntry { events: vec![end], bodies, ..LedgerEntry::default() };
    gate.books.append(entry).await.expect("recorded");
    let bodies = async |role: Role| {
        let call = gate.get(&somebody("ann", role), "/ledger/tc_70").await.json();
        let bodies = call["bodies"].as_object().expect("an object").values().cloned();
        bodies.collect::<Vec<Value>>()
    };
    assert_eq!(bodies(Role::Approver).await, [json!({ "amount": 70 })]);
    assert_eq!(bodies(Role::Auditor).await.len(), 2);
    let approver = somebody("ann", Role::Approver);
    let other = gate.get(&approver, "/ledger/tc_4").await;
    assert_eq!((other.status, other.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert_eq!(gate.get(&approver, "/ledger").await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_call_is_told_with_its_bodies() {
    let gate = recorded().await;
    let auditor = somebody("audit", Role::Auditor);
    let call = gate.get(&auditor, "/ledger/tc_4").await.json();
    let kinds: Vec<&Value> =
        call["events"].as_array().expect("a list").iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["policy.decided", "tool.call.completed"]);
    let digest = call["events"][0]["input"].as_str().expect("a digest");
    assert_eq!(call["bodies"][digest], json!({ "amount": 4 }));
    let body = gate.get(&auditor, &format!("/ledger/bodies/{digest}")).await;
    assert_eq!((body.status, body.text.as_str()), (StatusCode::OK, r#"{"amount":4}"#));
    let unknown = gate.get(&auditor, &format!("/ledger/bodies/{}", Digest::of("nothing"))).await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert_eq!(gate.get(&auditor, "/ledger/tc_none").await.problem(), "not_found");
    assert_eq!(gate.get(&auditor, "/ledger/bodies/abc").await.problem(), "parameter_invalid");
}

#[tokio::test]
async fn a_ledger_that_nobody_touched_is_intact() {
    let gate = recorded().await;
    let verified = gate.get(&somebody("audit", Role::Auditor), "/ledger/verify").await.json();
    assert_eq!((&verified["intact"], &verified["events"]), (&json!(true), &json!(EVENTS)));
    assert_eq!(verified["checkpoints"], json!(0), "there is no folder, and it says so");
    assert!(verified.get("fault").is_none());
}

#[tokio::test]
async fn an_admin_erases_what_is_kept_of_a_persons_calls() {
    let gate = recorded().await;
    let (admin, auditor) = (somebody("root", Role::Admin), somebody("audit", Role::Auditor));
    let erase = async |body: Value| gate.post(&admin, "/ledger/erase", &body.to_string()).await;
    let found = erase(json!({ "principal": "ann", "dry_run": true })).await.json();
    assert_eq!((&found["calls"], &found["bodies"], &found["dry_run"]), (&json!(5), &json!(5), &json!(true)));
    let one = erase(json!({ "principal": "ann", "call": "tc_4", "reason": "asked" })).await;
    assert_eq!((one.status, &one.json()["bodies"]), (StatusCode::OK, &json!(1)));
    let call = gate.get(&auditor, "/ledger/tc_4").await.json();
    assert_eq!((call["events"].as_array().map(Vec::len), &call["bodies"]), (Some(2), &json!({})));
    let digest = call["events"][0]["input"].as_str().expect("a commitment");
    assert_eq!(gate.get(&auditor, &format!("/ledger/bodies/{digest}")).await.problem(), "not_found");
    assert_eq!(erase(json!({ "principal": "ann" })).await.json()["bodies"], 4);
    assert_eq!(
        gate.get(&auditor, "/ledger/tc_5").await.json()["bodies"].as_object().map(|one| one.len()),
        Some(1)
    );
    let verified = gate.get(&auditor, "/ledger/verify").await.json();
    assert_eq!(
        (&verified["intact"], &verified["bodies"], &verified["erased"]),
        (&json!(true), &json!(5), &json!(5))
    );
    assert_eq!(erase(json!({ "principal": "nobody" })).await.problem(), "not_found");
}

#[tokio::test]
async fn parameters_that_cannot_be_are_named() {
    let gate = Gate::open().await;
    for query in [
        "from=yesterday",
        "until=",
        "kind=tool.call.complete",
        "outcome=ok",
        "decision=maybe",
        "cursor=x",
        "limit=1001",
        "limit=0",
        "order=up",
        "source=both",
    ] {
        let answer = gate.get(&somebody("audit", Role::Auditor), &format!("/ledger?{query}")).await;
        assert_eq!(
            (answer.status, answer.problem().as_str()),
            (StatusCode::BAD_REQUEST, "parameter_invalid"),
            "{query}"
        );
        assert_eq!(answer.json()["field"], query.split('=').next().expect("a name"));
    }
    let answer = gate.get(&somebody("audit", Role::Auditor), "/ledger?kind=tool.call.complete").await;
    assert_eq!(answer.json()["hint"], "did you mean \"tool.call.completed\"?");
}
