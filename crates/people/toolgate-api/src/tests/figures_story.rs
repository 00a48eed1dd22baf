//! Figures over REST.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::governance::{Clock, Ledger};
use toolgate_core::id::CallId;
use toolgate_core::{CanonicalName, Principal, PrincipalId, Role};

use super::gate::{Gate, approver, somebody};
use super::parts::server;

fn auditor() -> Principal {
    somebody("audit", Role::Auditor)
}

/// Ends of calls, some minutes ago: one of three fails.
async fn record(gate: &Gate, count: i64, minutes_ago: i64) {
    let event = |number: i64| {
        let about = Arc::new(EventSubject {
            call: Some(CallId::new(format!("tc_{minutes_ago}_{number}"))),
            tool: Some(CanonicalName::of(&server(), &format!("tool_{}", number % 12))),
            server: Some(server()),
            ..EventSubject::default()
        });
        let at_ms = gate.clock.now_ms() - minutes_ago * 60_000;
        let mut event = Event::new(EventKind::CallCompleted, at_ms, PrincipalId::new("ann"), about);
        event.outcome = Some(if number % 3 == 0 { Outcome::ToolError } else { Outcome::Succeeded });
        event.duration_us = Some(20_000);
        event.detail = Some(json!({ "server_us": 15_000 }).into());
        event
    };
    let entry = LedgerEntry { events: (0..count).map(event).collect(), ..LedgerEntry::default() };
    gate.books.append(entry).await.expect("recorded");
}

async fn figures(gate: &Gate, query: &str) -> Value {
    let answer = gate.get(&auditor(), &format!("/figures?{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer.json()
}

#[tokio::test]
async fn figures_have_sums_points_groups_and_the_time_before() {
    let gate = Gate::open().await;
    record(&gate, 300, 3).await;
    record(&gate, 30, 20).await;
    let told = figures(&gate, "range=15m&compare=before").await;
    let sums = &told["total"]["sums"];
    assert_eq!(
        (&sums["calls"], &sums["failed"], &sums["outcomes"]["tool_error"]),
        (&json!(300), &json!(100), &json!(100)),
        "{told}"
    );
    assert_eq!(told["step_seconds"], 60);
    let points = told["total"]["points"].as_array().expect("points");
    assert_eq!((points.len(), &points[0]["calls"]), (1, &json!(300)), "{told}");
    assert_eq!(told["before"]["total"]["sums"]["calls"], 30, "{told}");
    let gateway = sums["gateway_latency"]["p50_ms"].as_f64().expect("a time");
    assert!((5.0..5.7).contains(&gateway), "{gateway}");
    let tools = figures(&gate, "range=1h&by=tool").await;
    let groups = tools["groups"].as_array().expect("groups");
    assert_eq!((groups.len(), &groups[10]["name"]), (11, &json!("(other)")), "{tools}");
    let calls = |group: &Value| group["sums"]["calls"].as_u64().expect("a number");
    assert_eq!(groups.iter().map(calls).sum::<u64>(), calls(&tools["total"]));
    let errors = figures(&gate, "range=1h&by=error").await;
    assert_eq!((&errors["groups"][0]["name"], calls(&errors["groups"][0])), (&json!("tool_error"), 110));
    let one = figures(&gate, "range=1h&by=tool&name=bank:tool_1").await;
    assert_eq!(one["groups"].as_array().map(Vec::len), Some(1), "{one}");
    assert_eq!(one["groups"][0]["sums"], one["total"]["sums"]);
}

#[tokio::test]
async fn figures_agree_with_the_calls_behind_them() {
    let gate = Gate::open().await;
    record(&gate, 20, 3).await;
    let told = figures(&gate, "range=15m").await;
    let point = &told["total"]["points"][0];
    let from = point["at"].as_str().expect("a time");
    let calls = gate.get(&auditor(), &format!("/calls?state=ended&limit=100&from={from}")).await.json();
    assert_eq!(calls["calls"].as_array().map(Vec::len), Some(20), "{calls}");
    assert_eq!(point["calls"], 20);
}

/// One call of every outcome, some of them with a code.
async fn record_every_outcome(gate: &Gate) {
    let end = |(number, outcome): (usize, &Outcome)| {
        let about = Arc::new(EventSubject {
            call: Some(CallId::new(format!("tc_{number}"))),
            tool: Some(CanonicalName::of(&server(), "tool")),
            server: Some(server()),
            ..EventSubject::default()
        });
        let at_ms = gate.clock.now_ms() - 60_000;
        let mut event = Event::new(EventKind::CallCompleted, at_ms, PrincipalId::new("ann"), about);
        event.outcome = Some(*outcome);
        let code = matches!(outcome, Outcome::Failed | Outcome::Denied | Outcome::ToolError);
        event.detail = code.then(|| json!({ "code": "server_timeout" }).into());
        event
    };
    let events = Outcome::ALL.iter().enumerate().map(end).collect();
    gate.books.append(LedgerEntry { events, ..LedgerEntry::default() }).await.expect("recorded");
}

#[tokio::test]
async fn each_sum_has_a_filter_that_lists_exactly_its_calls() {
    let gate = Gate::open().await;
    record_every_outcome(&gate).await;
    let count = async |query: &str| -> u64 {
        let calls = gate.get(&auditor(), &format!("/calls?state=ended&limit=200&{query}")).await.json();
        calls["calls"].as_array().expect("a list").len() as u64
    };
    let sums = figures(&gate, "range=15m").await["total"]["sums"].clone();
    let failed = "outcome=tool_error,failed,unknown";
    let refused = "outcome=denied,rejected,changes_requested,invalid,expired,refused";
    for (sum, query) in [("calls", ""), ("failed", failed), ("refused", refused)] {
        assert_eq!(sums[sum], count(query).await, "{sum}: {sums}");
    }
    assert_eq!((&sums["failed"], &sums["refused"]), (&json!(3), &json!(6)));
    let errors = figures(&gate, "range=15m&by=error").await["groups"].clone();
    let errors = errors.as_array().expect("groups").clone();
    assert_eq!((errors.len(), &errors[0]["name"]), (8, &json!("server_timeout")), "{errors:?}");
    for error in &errors {
        let name = error["name"].as_str().expect("a name");
        assert_eq!(error["sums"]["calls"], count(&format!("error={name}")).await, "{name}");
    }
}

#[tokio::test]
async fn a_range_has_few_points_and_odd_questions_are_told() {
    let gate = Gate::open().await;
    for (query, step) in
        [("", 600), ("range=90d", 43_200), ("range=90d&points=90", 86_400), ("range=1h&points=10", 600)]
    {
        assert_eq!(figures(&gate, query).await["step_seconds"], step, "{query}");
    }
    for query in [
        "range=soon",
        "by=moon",
        "from=x",
        "until=x",
        "points=0",
        "from=2026-01-02&until=2026-01-01",
        "range=1h&from=2026-01-01",
        "compare=after",
        "from=0001-01-01",
    ] {
        let answer = gate.get(&auditor(), &format!("/figures?{query}")).await;
        answer.problem();
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
    }
    assert_eq!(gate.get(&approver("ann"), "/figures").await.status, StatusCode::FORBIDDEN);
}
