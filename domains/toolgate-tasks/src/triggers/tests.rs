//! Events that are causes, and events that are none; requests that are signed, forged, late and large.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::event::{Event, EventSubject, HybridTime, Outcome, Position};
use toolgate_core::id::{RunId, TaskId};
use toolgate_core::run::RunState;
use toolgate_core::signature::SigningKey;
use toolgate_core::{CanonicalName, PrincipalId, RefusalKind, ServerName};

use super::*;
use crate::view::WebhookRequest;

fn recorded(kind: EventKind, about: EventSubject, detail: Value) -> RecordedEvent {
    let event = Event {
        detail: Some(detail.into()),
        outcome: Some(Outcome::Succeeded),
        ..Event::new(kind, 0, PrincipalId::new("ada"), Arc::new(about))
    };
    RecordedEvent {
        stream: "one".into(),
        number: 7,
        time: HybridTime::START,
        position: Position::start(),
        event,
        previous: Digest::of(""),
        hash: Digest::of(""),
    }
}

fn on_call() -> Trigger {
    Trigger::Event {
        kind: EventKind::CallCompleted,
        tool: None,
        server: None,
        outcome: None,
        principal: None,
    }
}

fn a_call() -> RecordedEvent {
    let about = EventSubject {
        tool: Some(CanonicalName::recorded("bank:pay")),
        server: ServerName::new("bank").ok(),
        ..EventSubject::default()
    };
    recorded(EventKind::CallCompleted, about, json!({}))
}

#[test]
fn an_event_matches_by_every_field_that_the_trigger_names() {
    let call = a_call();
    assert_eq!(cause(&on_call(), &call).as_deref(), Some("event:one/7"));
    let Trigger::Event { kind, .. } = on_call() else { unreachable!("it is an event") };
    let with =
        |tool: Option<&str>, server: Option<&str>, outcome: Option<Outcome>, principal: Option<&str>| {
            let trigger = Trigger::Event {
                kind,
                tool: tool.map(CanonicalName::recorded),
                server: server.and_then(|name| ServerName::new(name).ok()),
                outcome,
                principal: principal.map(PrincipalId::new),
            };
            cause(&trigger, &call).is_some()
        };
    assert!(with(Some("bank:pay"), Some("bank"), Some(Outcome::Succeeded), Some("ada")));
    assert!(!with(Some("bank:look"), None, None, None));
    assert!(!with(None, Some("shop"), None, None));
    assert!(!with(None, None, Some(Outcome::Failed), None));
    assert!(!with(None, None, None, Some("eve")));
    let other = recorded(EventKind::CallStarted, EventSubject::default(), json!({}));
    assert_eq!(cause(&on_call(), &other), None);
}

#[test]
fn a_pointer_that_leads_to_something_new_is_a_cause() {
    let trigger = Trigger::Pointer { pattern: "inbox/*".to_owned() };
    let moved = |kind, namespace: &str, new: Value| {
        let detail = json!({ "namespace": namespace, "name": "today", "new": new });
        cause(&trigger, &recorded(kind, EventSubject::default(), detail)).is_some()
    };
    assert!(moved(EventKind::PointerMoved, "inbox", json!("sha256:00")));
    assert!(moved(EventKind::PointerCreated, "inbox", json!("sha256:00")));
    assert!(!moved(EventKind::PointerCreated, "inbox", Value::Null), "an empty pointer has no file");
    assert!(!moved(EventKind::PointerMoved, "outbox", json!("sha256:00")));
    assert!(!moved(EventKind::PointerDeleted, "inbox", json!("sha256:00")));
}

#[test]
fn the_end_of_a_run_is_a_cause_once() {
    let ended = |state: &str| {
        let about = EventSubject {
            run: Some(RunId::new("run_1")),
            task: Some("task_1".into()),
            ..EventSubject::default()
        };
        recorded(EventKind::RunEnded, about, json!({ "from": "running", "to": state }))
    };
    let on = |task: Option<&str>, states: &[RunState]| Trigger::RunEnded {
        task: task.map(TaskId::new),
        states: states.to_vec(),
    };
    assert_eq!(cause(&on(None, &[]), &ended("failed")).as_deref(), Some("run:run_1"));
    assert!(cause(&on(Some("task_1"), &[RunState::Failed]), &ended("failed")).is_some());
    assert!(cause(&on(Some("task_1"), &[RunState::Failed]), &ended("completed")).is_none());
    assert!(cause(&on(Some("task_2"), &[]), &ended("failed")).is_none());
    assert_eq!(final_state(&ended("partial").event), Some(RunState::Partial));
    assert_eq!(final_state(&ended("paused").event), None);
    assert_eq!(final_state(&a_call().event), None);
}

#[test]
fn only_kinds_that_somebody_waits_for_are_read() {
    assert_eq!(kinds([].into_iter()), [EventKind::RunEnded]);
    let triggers = [on_call(), on_call(), Trigger::Pointer { pattern: "*".to_owned() }];
    let read = kinds(triggers.iter());
    assert_eq!(read.len(), 4, "{read:?}");
}

#[test]
fn a_long_cause_is_named_by_its_digest() {
    assert_eq!(named("webhook", "msg_1"), "webhook:msg_1");
    for odd in ["x".repeat(121), "a\nb".to_owned()] {
        let name = named("webhook", &odd);
        assert!(name.starts_with("webhook:sha256:") && name.len() < 100, "{name}");
    }
}

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NOW_MS: i64 = 1_800_000_000_000;

fn signed(id: &str, seconds: i64, body: &[u8]) -> WebhookRequest {
    let timestamp = seconds.to_string();
    let signature = SigningKey::parse(SECRET).expect("a secret").sign(id, &timestamp, body);
    WebhookRequest { id: id.to_owned(), timestamp, signature, body: body.to_vec() }
}

#[track_caller]
fn refused(request: &WebhookRequest, code: &str) {
    let refusal = webhook::check(request, SECRET, NOW_MS).expect_err(code);
    assert_eq!((refusal.code.name, refusal.kind), (code, RefusalKind::Forbidden));
    assert!(!refusal.hint.is_empty());
}

#[test]
fn a_request_is_taken_within_five_minutes_and_as_it_was_signed() {
    let now = NOW_MS / 1_000;
    for seconds in [now, now - 300, now + 300] {
        assert_eq!(webhook::check(&signed("msg_1", seconds, b"{}"), SECRET, NOW_MS), Ok(()));
    }
    for seconds in [now - 301, now + 301, 0, i64::MIN, i64::MAX] {
        refused(&signed("msg_1", seconds, b"{}"), "signature_stale");
    }
    let request = signed("msg_1", now, b"{}");
    refused(&WebhookRequest { body: b"{ }".to_vec(), ..request.clone() }, "signature_wrong");
    refused(&WebhookRequest { id: "msg_2".to_owned(), ..request.clone() }, "signature_wrong");
    refused(&WebhookRequest { timestamp: (now + 1).to_string(), ..request.clone() }, "signature_wrong");
    refused(&WebhookRequest { signature: String::new(), ..request }, "signature_wrong");
    refused(&signed("", now, b"{}"), "signature_wrong");
    refused(&signed(&"x".repeat(201), now, b"{}"), "signature_wrong");
}

#[test]
fn a_body_has_a_limit() {
    let now = NOW_MS / 1_000;
    assert_eq!(webhook::check_size(&signed("msg_1", now, &vec![b'x'; 256 << 10])), Ok(()));
    let refusal = webhook::check_size(&signed("msg_1", now, &vec![b'x'; (256 << 10) + 1]));
    assert_eq!(refusal.expect_err("too large").code.name, "body_too_large");
}
