//! The archive over a real store, with its segments in memory.

mod damage;
mod pages;
mod passes;
mod segments;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger as _;
use toolgate_core::id::CallId;
use toolgate_core::named_bytes::{NamedBytes, NamedObject};
use toolgate_core::port::BoxFuture;
use toolgate_core::{CanonicalName, Digest, PrincipalId, Refusal, ServerName};
use toolgate_stage::Stage;
use toolgate_store::{LedgerWriter, Store};

use crate::Archive;

const DAY_MS: i64 = 86_400_000;
/// The first day with events: 2026-08-01.
const FIRST_DAY: i64 = 20_666;

/// Named bytes in memory. A version is the digest of the bytes.
#[derive(Default)]
struct MemoryPlace {
    objects: Mutex<BTreeMap<String, Bytes>>,
    /// The number of further writes that succeed.
    writes_left: Mutex<Option<usize>>,
}

impl MemoryPlace {
    fn names(&self) -> Vec<String> {
        self.objects.lock().keys().cloned().collect()
    }

    fn segments(&self) -> Vec<String> {
        self.names().into_iter().filter(|name| name.ends_with(".parquet")).collect()
    }

    fn get(&self, name: &str) -> Bytes {
        self.objects.lock().get(name).expect("it is there").clone()
    }

    fn set(&self, name: &str, bytes: impl Into<Bytes>) {
        self.objects.lock().insert(name.to_owned(), bytes.into());
    }

    fn remove(&self, name: &str) {
        assert!(self.objects.lock().remove(name).is_some(), "{name} was there");
    }

    /// Everything after so many writes fails, as if the process had ended there.
    fn end_after(&self, writes: Option<usize>) {
        *self.writes_left.lock() = writes;
    }

    fn found(&self, name: &str) -> Option<NamedObject> {
        let bytes = self.objects.lock().get(name)?.clone();
        let version = Some(Digest::of(&bytes).to_string());
        Some(NamedObject { bytes, version })
    }

    fn put(&self, name: &str, bytes: Bytes) -> Result<(), Refusal> {
        let mut left = self.writes_left.lock();
        match *left {
            Some(0) => return Err(Refusal::new(&toolgate_core::codes::STORAGE_DOWN, "the process ended")),
            Some(count) => *left = Some(count - 1),
            None => {}
        }
        self.set(name, bytes);
        Ok(())
    }
}

impl NamedBytes for MemoryPlace {
    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<NamedObject>, Refusal>> {
        Box::pin(async move { Ok(self.found(name)) })
    }

    fn write<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move { self.put(name, bytes) })
    }

    fn replace<'a>(
        &'a self,
        name: &'a str,
        before: Option<&'a NamedObject>,
        bytes: Bytes,
    ) -> BoxFuture<'a, Result<bool, Refusal>> {
        Box::pin(async move {
            if self.found(name).as_ref() != before {
                return Ok(false);
            }
            self.put(name, bytes).map(|()| true)
        })
    }

    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<Vec<String>, Refusal>> {
        let folder = format!("{folder}/");
        Box::pin(
            async move { Ok(self.names().into_iter().filter(|name| name.starts_with(&folder)).collect()) },
        )
    }
}

/// A store, and an archive of it.
struct ArchiveWorld {
    stage: Stage,
    store: Store,
    place: Arc<MemoryPlace>,
    archive: Archive,
}

impl ArchiveWorld {
    async fn new() -> Self {
        let stage = Stage::sqlite();
        let store = Store::open(stage.folder()).await.expect("the store opens");
        let place = Arc::new(MemoryPlace::default());
        let archive = Archive::new(store.clone(), place.clone());
        Self { stage, store, place, archive }
    }

    /// With three days of two streams.
    async fn with_days() -> Self {
        let world = Self::new().await;
        // Day by day: what a stream writes comes after everything that is there.
        for day in 0..3 {
            for stream in ["one", "two"] {
                world.record(stream, FIRST_DAY + day, 5).await;
            }
        }
        world
    }

    /// The archive as another gateway sees it that has none of the lines.
    async fn elsewhere(&self) -> (Stage, Archive) {
        let stage = self.stage.another();
        let store = Store::open(stage.folder()).await.expect("the store opens");
        (stage, Archive::new(store, self.place.clone()))
    }

    /// Records calls that happened on a day.
    async fn record(&self, stream: &str, day: i64, calls: i64) {
        let writer = LedgerWriter::start(&self.store, stream).await.expect("the writer starts");
        for call in 0..calls {
            let at_ms = day * DAY_MS + 1_000 * call;
            let entry = LedgerEntry {
                events: events(&format!("tc_{stream}_{day}_{call}"), at_ms),
                ..LedgerEntry::default()
            };
            writer.append(entry).await.expect("recorded");
        }
        writer.close().await;
    }
}

/// The start and the end of a call.
fn events(call: &str, at_ms: i64) -> Vec<Event> {
    let about = Arc::new(EventSubject {
        call: Some(CallId::new(call)),
        tool: Some(CanonicalName::recorded("bank:transfer")),
        server: Some(ServerName::new("bank").expect("a legal name")),
        tool_version: Some(Digest::of("tool")),
        ..EventSubject::default()
    });
    let event = |kind| Event::new(kind, at_ms, PrincipalId::new("agent"), about.clone());
    let (mut start, mut end) = (event(EventKind::CallStarted), event(EventKind::CallCompleted));
    start.decision = Some(DecisionKind::Permit);
    start.input = Some(Digest::of(call));
    end.outcome = Some(Outcome::Succeeded);
    end.duration_us = Some(at_ms % 1_000);
    vec![start, end]
}
