//! Events, as programs and the console follow them.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::Value;
use toolgate_core::event::{Event, EventKind, EventSubject, HybridTime, LedgerEntry, Position};
use toolgate_core::governance::Ledger;
use toolgate_core::{PrincipalId, Role};

use super::gate::{Gate, request, somebody};
use super::listening::Listening;
use crate::events::STREAMS_MAX;

async fn happen(gate: &Gate, kinds: &[EventKind]) {
    let event =
        |kind: &EventKind| Event::new(*kind, 1, PrincipalId::new("ann"), Arc::new(EventSubject::default()));
    let events = kinds.iter().map(event).collect();
    gate.books.append(LedgerEntry { events, ..LedgerEntry::default() }).await.expect("recorded");
}

/// The last event in the ledger now: registries write to it when they start.
async fn newest(gate: &Gate) -> String {
    let page = gate.get(&somebody("audit", Role::Auditor), "/ledger?limit=1").await.json();
    page["events"][0]["position"].as_str().expect("an event").to_owned()
}

#[tokio::test]
async fn what_happens_is_told_as_the_ledger_shows_it() {
    let gate = Gate::open().await;
    let auditor = somebody("audit", Role::Auditor);
    happen(&gate, &[EventKind::TokenCreated]).await;
    let mut listening = Listening::start(&gate, &auditor, "/events", None).await;
    happen(&gate, &[EventKind::SettingChanged, EventKind::ApprovalVoted]).await;
    let first = listening.next().await.expect("an event");
    assert_eq!(first.kind, "setting.changed", "what was before is not told");
    let shown = gate.get(&auditor, "/ledger?kind=setting.changed").await.json();
    assert_eq!(first.data["position"], first.id.as_str());
    let without_position = |event: &Value| {
        let mut event = event.clone();
        event.as_object_mut().expect("an event").remove("position");
        event
    };
    assert_eq!(without_position(&first.data), without_position(&shown["events"][0]));
    assert_eq!(listening.next().await.expect("an event").kind, "approval.voted");
}

#[tokio::test]
async fn who_comes_back_goes_on_behind_the_last_event() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    happen(&gate, &[EventKind::SettingChanged]).await;
    let before = newest(&gate).await;
    happen(&gate, &[EventKind::TokenCreated]).await;
    let first = newest(&gate).await;
    happen(&gate, &[EventKind::TokenRevoked, EventKind::PolicyLoaded]).await;
    // The header is newer than the address that the stream was first opened with.
    let from_start = format!("/events?after={before}");
    let mut by_header = Listening::start(&gate, &admin, &from_start, Some(&first)).await;
    let mut by_parameter = Listening::start(&gate, &admin, &from_start, None).await;
    assert_eq!(by_header.kinds(2).await, ["token.revoked", "policy.loaded"]);
    assert_eq!(by_parameter.kinds(3).await, ["token.created", "token.revoked", "policy.loaded"]);
    happen(&gate, &[EventKind::GrantUsed]).await;
    for listening in [&mut by_header, &mut by_parameter] {
        let next = listening.next().await.expect("an event");
        assert_eq!((next.kind.as_str(), next.id), ("grant.used", newest(&gate).await));
    }
}

#[tokio::test]
async fn kinds_and_roles_leave_what_they_say() {
    let gate = Gate::open().await;
    let (admin, approver) = (somebody("root", Role::Admin), somebody("ann", Role::Approver));
    let mut some = Listening::start(&gate, &admin, "/events?kinds=setting,run", None).await;
    let mut approvals = Listening::start(&gate, &approver, "/events", None).await;
    let kinds = [
        EventKind::TokenCreated,
        EventKind::CallStarted,
        EventKind::ApprovalRequested,
        EventKind::ServerAdded,
        EventKind::SettingChanged,
        EventKind::ApprovalResolved,
    ];
    happen(&gate, &kinds).await;
    assert_eq!(some.kinds(2).await, ["tool.call.started", "setting.changed"]);
    assert_eq!(approvals.kinds(2).await, ["approval.requested", "approval.resolved"]);
    let refused = gate.get(&approver, "/events?kinds=server").await;
    assert_eq!((refused.status, refused.problem().as_str()), (StatusCode::FORBIDDEN, "wrong_role"));
}

#[tokio::test]
async fn what_cannot_be_followed_is_named() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    for (query, code, field) in [
        ("kinds=aproval", "parameter_invalid", "kinds"),
        ("kinds=", "parameter_invalid", "kinds"),
        ("after=x", "parameter_invalid", "after"),
        ("after=-1", "parameter_invalid", "after"),
        ("since=1", "parameter_unknown", "since"),
    ] {
        let answer = gate.get(&admin, &format!("/events?{query}")).await;
        assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::BAD_REQUEST, code), "{query}");
        assert_eq!(answer.json()["field"], field);
    }
    assert_eq!(gate.get(&admin, "/events?kinds=aproval").await.json()["hint"], "did you mean \"approval\"?");
    let mut bad = request(Method::GET, "/events", Some(&admin), "");
    bad.headers_mut().insert("last-event-id", "seven".parse().expect("a value"));
    assert_eq!(gate.send(bad).await.json()["field"], "last-event-id");
    let elsewhere = Position::new(HybridTime::START, "elsewhere".into(), 7, Vec::new());
    let ahead = gate.get(&admin, &format!("/events?after={elsewhere}")).await;
    assert_eq!((ahead.status, ahead.problem().as_str()), (StatusCode::BAD_REQUEST, "event_unknown"));
}

#[tokio::test]
async fn there_are_so_many_streams_and_no_more() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    let mut open = Vec::new();
    for _ in 0..STREAMS_MAX {
        open.push(Listening::start(&gate, &admin, "/events", None).await);
    }
    let refused = gate.get(&admin, "/events").await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (StatusCode::TOO_MANY_REQUESTS, "too_many_streams")
    );
    assert_eq!(refused.json()["retry"], true);
    // A seat is free as soon as its stream has noticed that it has no reader.
    drop(open.pop());
    let free = async {
        loop {
            let answer = gate.api.serve(request(Method::GET, "/events", Some(&admin), "")).await;
            if answer.status() == StatusCode::OK {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), free).await.expect("a seat");
}

#[tokio::test]
async fn streams_end_when_the_gateway_does() {
    let gate = Gate::open().await;
    let mut listening = Listening::start(&gate, &somebody("root", Role::Admin), "/events", None).await;
    gate.shutdown.cancel();
    assert!(listening.next().await.is_none());
}
