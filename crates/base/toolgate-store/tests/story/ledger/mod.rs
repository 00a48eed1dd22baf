//! The ledger. The common parts of its stories: calls, and ways to inspect their events.

mod agreeing;
mod archival;
mod away;
mod bodies;
mod calls;
mod checkpoints;
mod clock;
mod connections;
mod cutting;
mod days;
mod figures;
mod interleaved;
mod killed;
mod outbox;
mod reading;
mod spreading;
mod sweeping;
mod taken_over;
mod tampering;
mod upgrade;
mod writing;

use std::sync::Arc;

use toolgate_core::event::{
    DecisionKind, Durability, Event, EventFilter, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome,
    RecordedEvent,
};
use toolgate_core::id::{CallId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};
use toolgate_store::{LedgerOrder, LedgerWriter, Store};

const START_MS: i64 = 1_780_000_000_000;
const DAY_MS: i64 = 86_400_000;

async fn writer(store: &Store, stream: &str) -> LedgerWriter {
    LedgerWriter::start(store, stream).await.expect("the writer starts")
}

fn about(call: &str) -> Arc<EventSubject> {
    Arc::new(EventSubject {
        session: Some(SessionId::new("ses_1")),
        call: Some(CallId::new(call)),
        tool: Some(CanonicalName::recorded("files:read")),
        server: Some(ServerName::new("files").expect("a legal name")),
        tool_version: Some(Digest::of("tool")),
        ..EventSubject::default()
    })
}

fn event(kind: EventKind, call: &str) -> Event {
    Event::new(kind, START_MS, PrincipalId::new("agent"), about(call))
}

fn decided(call: &str) -> Event {
    let mut event = event(EventKind::PolicyDecided, call);
    event.decision = Some(DecisionKind::Permit);
    event
}

fn started(call: &str) -> Event {
    event(EventKind::CallStarted, call)
}

fn completed(call: &str, outcome: Outcome) -> Event {
    let mut event = event(EventKind::CallCompleted, call);
    event.outcome = Some(outcome);
    event
}

fn entry(events: Vec<Event>) -> LedgerEntry {
    LedgerEntry { events, ..LedgerEntry::default() }
}

fn on_disk(events: Vec<Event>) -> LedgerEntry {
    LedgerEntry { durability: Durability::OnDisk, ..entry(events) }
}

fn body(text: &str, keep_until_ms: i64) -> LedgerBody {
    let json = RawJson::from_composed(text.to_owned());
    LedgerBody { digest: Digest::of(text), json, keep_until_ms }
}

async fn page(store: &Store, filter: &EventFilter, order: LedgerOrder) -> Vec<RecordedEvent> {
    store.ledger_page(filter, None, 1_000, order).await.expect("read")
}

/// Oldest first.
async fn all(store: &Store) -> Vec<RecordedEvent> {
    page(store, &EventFilter::default(), LedgerOrder::OldestFirst).await
}

/// The events of each call, oldest first.
async fn story(store: &Store) -> Vec<String> {
    let told = all(store).await.into_iter().map(|one| {
        let call = one.event.about.call.as_ref().map_or("", |call| call.as_str()).to_owned();
        let outcome = one.event.outcome.map_or("", |outcome| outcome.as_str());
        format!("{call} {} {outcome}", one.event.kind.as_str()).trim().to_owned()
    });
    told.collect()
}

async fn assert_sound(store: &Store) {
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!(verified.fault, None);
}
