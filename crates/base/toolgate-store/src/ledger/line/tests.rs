//! The encoding is a promise: a ledger written today is proven by every later version.

use std::sync::Arc;

use toolgate_core::event::{DecisionKind, EventKind, EventSubject, Outcome};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId, RawJson, ServerName};

use super::*;

fn full() -> Event {
    let about = EventSubject {
        session: Some(SessionId::new("ses_1")),
        run: Some(RunId::new("run_1")),
        task: Some("task".into()),
        call: Some(CallId::new("tc_1")),
        tool: Some(CanonicalName::recorded("files:read")),
        server: Some(ServerName::new("files").expect("a legal name")),
        tool_version: Some(Digest::of("tool")),
        trace: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
    };
    let mut event =
        Event::new(EventKind::CallCompleted, 1_780_000_000_123, PrincipalId::new("tok_1"), Arc::new(about));
    event.approval = Some(ApprovalId::new("apr_1"));
    event.policy_version = Some(Digest::of("policy"));
    event.decision = Some(DecisionKind::Permit);
    event.outcome = Some(Outcome::Succeeded);
    event.duration_us = Some(-1);
    event.input = Some(Digest::of("input"));
    event.output = Some(Digest::of("output"));
    event.detail = Some(RawJson::from_composed("{\"a\":\"ä\"}".into()));
    event
}

fn place() -> EventPosition<'static> {
    EventPosition {
        tenant: "default",
        stream: "gateway",
        seq: 258,
        stream_seq: 2,
        previous: Digest::of("previous"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_event_with_little_is_encoded_like_this_for_ever() {
    let event = Event::new(EventKind::PolicyLoaded, 1, PrincipalId::gateway(), Arc::default());
    let place = EventPosition { tenant: "t", stream: "s", seq: 258, stream_seq: 1, previous: no_hash() };
    let expected = [
        "01",
        "010201000000000000",
        "0200000074",
        "0200000073",
        "010100000000000000",
        &format!("21000000{}", "00".repeat(32)),
        "0e000000706f6c6963792e6c6f61646564",
        "010100000000000000",
        "0800000067617465776179",
        // Session to detail: ten texts or digests, the duration, three more.
        &"00000000".repeat(12),
        "00",
        &"00000000".repeat(3),
    ];
    assert_eq!(hex(&LedgerLine::of(place, &event).encoded()), expected.concat());
}

#[test]
fn an_event_with_everything_has_this_hash_for_ever() {
    let hash = LedgerLine::of(place(), &full()).hash();
    assert_eq!(hash.to_string(), "sha256:a098ad21e8dc8b7486a0a883fc1c5d5d18dd53a0cd993cf5ec2101a2239f8937");
}

type Change = (&'static str, fn(&mut LedgerLine<'static>));

/// Every field, with another value in it.
fn changes() -> Vec<Change> {
    vec![
        ("seq", |line| line.seq += 1),
        ("tenant", |line| line.tenant = "other"),
        ("stream", |line| line.stream = "other"),
        ("stream_seq", |line| line.stream_seq += 1),
        ("previous", |line| line.previous = Digest::of("other")),
        ("kind", |line| line.kind = "other"),
        ("at_ms", |line| line.at_ms += 1),
        ("principal", |line| line.principal = "other"),
        ("session", |line| line.session = None),
        ("run", |line| line.run = Some("")),
        ("task", |line| line.task = Some("")),
        ("call", |line| line.call = Some("tc_")),
        ("tool", |line| line.tool = None),
        ("server", |line| line.server = None),
        ("tool_version", |line| line.tool_version = None),
        ("trace", |line| line.trace = None),
        ("approval", |line| line.approval = Some("apr_2")),
        ("policy_version", |line| line.policy_version = Some(&[1])),
        ("decision", |line| line.decision = Some("deny")),
        ("outcome", |line| line.outcome = Some("failed")),
        ("duration_us", |line| line.duration_us = None),
        ("input", |line| line.input = None),
        ("output", |line| line.output = Some(&[])),
        ("detail", |line| line.detail = Some("{}")),
    ]
}

#[test]
fn the_hash_covers_every_field() {
    let event = Box::leak(Box::new(full()));
    let line = LedgerLine::of(place(), event);
    let mut seen = vec![line.hash()];
    for (name, change) in changes() {
        let mut changed = line;
        change(&mut changed);
        let hash = changed.hash();
        assert!(!seen.contains(&hash), "{name}");
        seen.push(hash);
    }
    // One for each column except the hash itself, which covers all the others.
    assert_eq!(changes().len() + 1, super::super::append::COLUMNS.split(',').count());
}

#[test]
fn text_cannot_move_from_one_field_to_the_next() {
    let event = Box::leak(Box::new(full()));
    let (mut one, mut two) = (LedgerLine::of(place(), event), LedgerLine::of(place(), event));
    (one.session, one.run) = (Some("ab"), Some("c"));
    (two.session, two.run) = (Some("a"), Some("bc"));
    assert_ne!(one.hash(), two.hash());
    (one.session, one.run) = (Some("a"), None);
    (two.session, two.run) = (None, Some("a"));
    assert_ne!(one.hash(), two.hash());
    (one.session, two.session) = (Some(""), None);
    (one.run, two.run) = (None, None);
    assert_ne!(one.hash(), two.hash());
}
