//! Pointers that move are ingested by themselves: those that have an index, if its profile says so. One gateway at a time reads the ledger
//! for that; an ingest that another one starts as well is the same.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use toolgate_core::event::{Event, EventKind, Position};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::{Actor, Outage, StoreError};

use crate::indexes::Indexes;
use crate::ingest::{IngestMode, IngestOrder};
use crate::limits::{FOLLOW_EVERY, FOLLOWED_AT_ONCE};
use crate::source::IndexSource;

/// The position in the ledger is stored under this name.
const SINK: &str = "indexes";
/// A pointer that is made with a manifest has files at once.
const KINDS: [EventKind; 2] = [EventKind::PointerCreated, EventKind::PointerMoved];

/// A pointer with an index, and the profile of it.
type IndexedPointer = (String, String, String);

/// Follows the moves of pointers for as long as it is polled.
pub async fn follow(indexes: Arc<Indexes>) {
    if !indexes.settings.follow {
        return;
    }
    let mut outage = Outage::default();
    let mut place = FollowedPlace::default();
    loop {
        let more = place.round(&indexes).await;
        outage.note("pointers that move are not ingested", &more);
        if !matches!(more, Ok(true)) {
            indexes.clock.sleep(FOLLOW_EVERY).await;
        }
    }
}

/// Looks at an unchanged end of the ledger before moves are asked for all the same: another gateway may have given some back.
const QUIET_LOOKS_MAX: u32 = 20;

#[derive(Default)]
struct FollowedPlace {
    /// The end of the ledger up to which there was nothing to do.
    nothing_until: Option<Position>,
    quiet_looks: u32,
    /// Those whose state was compared with their index once. A move from before is not in what is read afterwards.
    compared: BTreeSet<IndexedPointer>,
}

impl FollowedPlace {
    /// Deals with the next moves. Returns true if there may be more.
    async fn round(&mut self, indexes: &Arc<Indexes>) -> Result<bool, StoreError> {
        let end = indexes.store.ledger_end().await?;
        if self.nothing_until.as_ref() == Some(&end) && self.quiet_looks < QUIET_LOOKS_MAX {
            self.quiet_looks += 1;
            return Ok(false);
        }
        self.quiet_looks = 0;
        let followed = indexes.followed().await?;
        if followed.is_empty() {
            // A gateway without such indexes does not read its ledger.
            self.nothing_until = Some(end);
            return Ok(false);
        }
        let batch = indexes.store.outbox(SINK, &KINDS, FOLLOWED_AT_ONCE).await?;
        // After the sink is there: a move between the two is seen by both, and not by none.
        self.compare(indexes, &followed).await;
        if batch.is_empty() {
            self.nothing_until = Some(end);
            return Ok(false);
        }
        self.nothing_until = None;
        let moved: BTreeSet<(String, String)> =
            batch.events.iter().filter_map(|recorded| arrival(&recorded.event)).collect();
        let concerned =
            followed.iter().filter(|(namespace, name, _)| moved.contains(&(namespace.clone(), name.clone())));
        for pointer in concerned {
            indexes.ingest_if_behind(pointer).await;
        }
        indexes.store.delivered(SINK, &batch).await.map(|()| true)
    }

    async fn compare(&mut self, indexes: &Indexes, followed: &[IndexedPointer]) {
        for pointer in followed {
            if !self.compared.contains(pointer) {
                indexes.ingest_if_behind(pointer).await;
                self.compared.insert(pointer.clone());
            }
        }
        self.compared.retain(|pointer| followed.contains(pointer));
    }
}

impl Indexes {
    /// The indexes that follow their pointers.
    async fn followed(&self) -> Result<Vec<IndexedPointer>, StoreError> {
        let mut followed = self.store.indexed_pointers().await?;
        followed.retain(|(namespace, name, profile)| {
            let says_so = self.shelf.newest(profile).is_ok_and(|known| known.ingest_on_advance);
            says_so && IndexSource::pointer(namespace, name).is_ok()
        });
        Ok(followed)
    }

    /// An ingest that cannot be started is told to the log; the next move, or the next start of the gateway, tries again.
    async fn ingest_if_behind(&self, pointer: &IndexedPointer) {
        let (namespace, name, profile) = pointer;
        if let Err(refusal) = self.try_to_ingest(namespace, name, profile).await {
            tracing::warn!("{namespace}:{name} moved and is not ingested with {profile}: {refusal}");
        }
    }

    async fn try_to_ingest(&self, namespace: &str, name: &str, profile: &str) -> Result<(), Refusal> {
        let known = self.active_profile(profile).await?;
        let source = IndexSource::pointer(namespace, name)?;
        let head: Option<ManifestDigest> = self.head_of(&source).await?;
        let Some(manifest) = head.filter(|_| known.ingest_on_advance) else { return Ok(()) };
        let order = IngestOrder { source, manifest: Some(manifest), known, mode: IngestMode::Incremental };
        if self.built(&order, manifest).await?.is_none() {
            self.start_ingest(&order, &Actor::person(&PrincipalId::gateway())).await?;
        }
        Ok(())
    }
}

/// The part of the event's detail that counts.
#[derive(Deserialize)]
struct MovedPointerDetail {
    namespace: String,
    name: String,
    /// The manifest that it leads to now.
    new: Option<String>,
}

/// The pointer that leads to something new.
fn arrival(event: &Event) -> Option<(String, String)> {
    let detail = event.detail.as_ref().filter(|_| KINDS.contains(&event.kind))?;
    let detail = detail.decode::<MovedPointerDetail>().ok()?;
    detail.new.is_some().then_some((detail.namespace, detail.name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn event(kind: EventKind, detail: Value) -> Event {
        Event { detail: Some(detail.into()), ..Event::new(kind, 0, PrincipalId::gateway(), Arc::default()) }
    }

    #[test]
    fn a_pointer_that_leads_to_something_new_is_followed() {
        let there = json!({ "namespace": "project/a", "name": "draft", "old": null, "new": "sha256:00" });
        for kind in KINDS {
            let found = arrival(&event(kind, there.clone()));
            assert_eq!(found, Some(("project/a".to_owned(), "draft".to_owned())));
        }
        assert_eq!(arrival(&event(EventKind::PointerDeleted, there)), None);
        let empty = json!({ "namespace": "project/a", "name": "draft", "new": null });
        assert_eq!(arrival(&event(EventKind::PointerCreated, empty)), None);
        assert_eq!(arrival(&event(EventKind::PointerMoved, json!({}))), None);
    }
}
