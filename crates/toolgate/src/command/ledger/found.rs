//! A call of the ledger that a person named, and what is kept of it.

use std::collections::{BTreeMap, BTreeSet};

use toolgate_core::Digest;
use toolgate_core::event::{EventFilter, RecordedEvent};
use toolgate_core::id::CallId;
use toolgate_store::{KeptBody, LedgerOrder, Store, StoreError};

use crate::command::pick::pick;

/// Among how many of the last events a part of an id is looked for.
const CALLS_LOOK_MAX: usize = 5_000;

/// The matching call, by its whole id or by part of the id of a recent one.
pub(super) async fn named_call(store: &Store, given: &str) -> anyhow::Result<Vec<RecordedEvent>> {
    let events = store.ledger_call(&CallId::new(given)).await?;
    if !events.is_empty() {
        return Ok(events);
    }
    let last =
        store.ledger_page(&EventFilter::default(), None, CALLS_LOOK_MAX, LedgerOrder::NewestFirst).await?;
    let ids = last.iter().filter_map(|one| one.event.about.call.as_ref());
    let ids: BTreeSet<&str> = ids.map(CallId::as_str).collect();
    let id = pick(given, ids, "call", "toolgate ledger tail")?;
    Ok(store.ledger_call(&CallId::new(id)).await?)
}

/// Bodies by the digests that events name. `None` stands for one that was changed.
pub(super) type ReadBodies = BTreeMap<Digest, Option<KeptBody>>;

pub(super) async fn read_bodies(store: &Store, events: &[RecordedEvent]) -> anyhow::Result<ReadBodies> {
    let mut bodies = BTreeMap::new();
    let named = events.iter().flat_map(|one| one.event.bodies());
    for digest in named.collect::<BTreeSet<_>>() {
        match store.kept_body(&digest).await {
            Ok(None) => {}
            Ok(Some(body)) => drop(bodies.insert(digest, Some(body))),
            Err(StoreError::BodyChanged { digest }) => drop(bodies.insert(digest, None)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bodies)
}
