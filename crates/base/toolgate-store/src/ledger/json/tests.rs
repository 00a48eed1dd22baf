//! The output for programs.

use std::sync::Arc;

use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, HybridTime, Outcome, Position};
use toolgate_core::id::CallId;
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

use super::*;

fn completed() -> RecordedEvent {
    let about = EventSubject {
        call: Some(CallId::new("tc_1")),
        tool: Some(CanonicalName::recorded("files:read")),
        server: Some(ServerName::new("files").expect("a legal name")),
        ..EventSubject::default()
    };
    let mut event =
        Event::new(EventKind::CallCompleted, 1_780_000_000_123, PrincipalId::new("tok_1"), Arc::new(about));
    event.outcome = Some(Outcome::ToolError);
    event.decision = Some(DecisionKind::Permit);
    event.duration_us = Some(12);
    event.output = Some(Digest::of("output"));
    event.detail = Some(RawJson::from_composed("{\"big\":12345678901234567890.10}".into()));
    let (previous, hash) = (Digest::of("previous"), Digest::of("hash"));
    let (stream, time) = (Arc::<str>::from("gateway"), HybridTime::of_ms(event.at_ms));
    let position = Position::new(time, Arc::clone(&stream), 5, Vec::new());
    RecordedEvent { stream, number: 5, time, position, event, previous, hash }
}

#[test]
fn an_event_is_told_by_the_names_of_its_fields() {
    let json = ledger_event_json(&completed());
    let expected = json!({
        "stream": "gateway", "number": 5, "time": "2026-05-28T20:26:40.12300000Z",
        "position": completed().position.to_string(),
        "kind": "tool.call.completed",
        "at": "2026-05-28T20:26:40.123Z", "at_ms": 1_780_000_000_123i64,
        "principal": "tok_1",
        "call": "tc_1", "tool": "files:read", "server": "files",
        "decision": "permit", "outcome": "tool_error", "duration_us": 12,
        "output": Digest::of("output").to_string(),
        "detail": { "big": 12345678901234567890.10 },
        "previous": Digest::of("previous").to_string(),
        "hash": Digest::of("hash").to_string(),
    });
    assert_eq!(json, expected);
}

#[test]
fn a_cloud_event_has_the_place_of_the_event_as_its_id() {
    let recorded = completed();
    let event = ledger_event_cloudevent(&recorded);
    assert_eq!(event["specversion"], "1.0");
    assert_eq!(event["id"], "gateway/5");
    assert_eq!(event["source"], "toolgate");
    assert_eq!(event["type"], "dev.toolgate.tool.call.completed");
    assert_eq!(event["time"], "2026-05-28T20:26:40.123Z");
    assert_eq!(event["subject"], "tc_1");
    assert_eq!(event["datacontenttype"], "application/json");
    assert_eq!(event["data"], ledger_event_json(&recorded));
}

#[test]
fn a_cloud_event_without_a_call_has_no_subject() {
    let mut recorded = completed();
    recorded.event.about = Arc::default();
    assert_eq!(ledger_event_cloudevent(&recorded).get("subject"), None);
}
