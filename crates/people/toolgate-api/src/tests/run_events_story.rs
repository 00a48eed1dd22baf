//! The events of a run, as a listener follows them.

use std::sync::Arc;

use http::{Method, StatusCode};
use toolgate_core::event::{Event, EventKind, EventSubject, HybridTime, LedgerEntry, Outcome, Position};
use toolgate_core::governance::Ledger;
use toolgate_core::id::RunId;
use toolgate_core::{PrincipalId, Role};

use super::file_kit::agent;
use super::gate::{Gate, request, somebody};
use super::listening::Listening;
use super::run_kit::{start, told, work};

async fn happen(gate: &Gate, run: &RunId, kind: EventKind, outcome: Outcome) {
    let about = Arc::new(EventSubject { run: Some(run.clone()), ..EventSubject::default() });
    let event = Event { outcome: Some(outcome), ..Event::new(kind, 1, PrincipalId::new("agent-7"), about) };
    gate.books.append(LedgerEntry { events: vec![event], ..LedgerEntry::default() }).await.expect("recorded");
}

#[tokio::test]
async fn a_run_is_followed_from_its_beginning_to_its_end() {
    let gate = Gate::open().await;
    let (other, started) = (start(&gate, "{}").await, start(&gate, "{}").await);
    work(&gate, &started.run(), 1).await;
    let mut late = Listening::start(&gate, &agent(), &started.path("/events"), None).await;
    assert_eq!(late.kinds(3).await, ["run.created", "session.started", "run.started"]);
    work(&gate, &other.run(), 1).await;
    gate.post(&agent(), &other.path("/cancel"), "{}").await;
    gate.post(&agent(), &started.path("/pause"), "").await;
    assert_eq!(late.kinds(1).await, ["run.paused"], "nothing of the other one");
    let before_the_end = gate.store.ledger_end().await.expect("read");
    gate.post(&agent(), &started.path("/cancel"), "{}").await;
    let ended = late.next().await.expect("an event");
    assert_eq!((ended.kind.as_str(), &ended.data["run"]), ("run.ended", &started.id.as_str().into()));
    assert!(late.next().await.is_none(), "the stream ends with the run");
    // Later events in it are not sent.
    happen(&gate, &started.run(), EventKind::CallCompleted, Outcome::Succeeded).await;
    let mut again = Listening::start(&gate, &agent(), &started.path("/events"), None).await;
    assert_eq!(again.kinds(5).await.last().map(String::as_str), Some("run.ended"));
    assert!(again.next().await.is_none());
    let before_the_end = before_the_end.to_string();
    let mut rest = Listening::start(&gate, &agent(), &started.path("/events"), Some(&before_the_end)).await;
    assert_eq!(rest.kinds(1).await, ["run.ended"]);
    for id in [ended.id, gate.store.ledger_end().await.expect("read").to_string()] {
        let mut request = request(Method::GET, &started.path("/events"), Some(&agent()), "");
        request.headers_mut().insert("last-event-id", id.parse().expect("a value"));
        assert_eq!(
            gate.send(request).await.status,
            StatusCode::NO_CONTENT,
            "there is nothing to come back for"
        );
    }
}

#[tokio::test]
async fn agents_do_not_hear_what_policy_said() {
    let gate = Gate::open().await;
    let started = start(&gate, "{}").await;
    let run = started.run();
    happen(&gate, &run, EventKind::PolicyDecided, Outcome::Denied).await;
    happen(&gate, &run, EventKind::CallCompleted, Outcome::Denied).await;
    happen(&gate, &run, EventKind::CallCompleted, Outcome::ToolError).await;
    gate.post(&agent(), &started.path("/cancel"), "{}").await;
    let heard = async |who| {
        let mut listening = Listening::start(&gate, &who, &started.path("/events"), None).await;
        let mut kinds = Vec::new();
        while let Some(event) = listening.next().await {
            kinds.push(event.kind);
        }
        kinds
    };
    let of_agent = ["run.created", "session.started", "tool.call.completed", "run.ended"];
    assert_eq!(heard(agent()).await, of_agent);
    let all = [
        "run.created",
        "session.started",
        "policy.decided",
        "tool.call.completed",
        "tool.call.completed",
        "run.ended",
    ];
    assert_eq!(heard(somebody("audit", Role::Auditor)).await, all);
}

#[tokio::test]
async fn a_place_that_cannot_be_is_named() {
    let gate = Gate::open().await;
    let started = start(&gate, "{}").await;
    let elsewhere = Position::new(HybridTime::START, "elsewhere".into(), 7, Vec::new());
    for (query, code) in [
        ("after=x", "parameter_invalid"),
        ("kinds=run", "parameter_unknown"),
        (&format!("after={elsewhere}"), "event_unknown"),
    ] {
        let answer = gate.get(&agent(), &started.path(&format!("/events?{query}"))).await;
        assert_eq!(told(&answer), (400, code.to_owned()), "{query}");
    }
}
