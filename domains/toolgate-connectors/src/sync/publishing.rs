//! Publishing what was read: a manifest over the one before, with the places in its metadata, and the pointer that leads to it.

use toolgate_core::connector::{CONNECTOR_NAMESPACE, ConnectorName};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes, stop_point};
use toolgate_store::Actor;
use toolgate_substrate::{Manifest, ManifestNote, SnapshotEntry};

use super::note::SyncNote;
use crate::connectors::Connectors;
use crate::limits::MOVES_MAX;

impl Connectors {
    /// The manifest that a connector's pointer leads to.
    pub(super) async fn synced(&self, connector: &ConnectorName) -> Result<Option<Manifest>, Refusal> {
        let head = self.substrate.pointer_head(CONNECTOR_NAMESPACE, &connector.pointer()).await?;
        match head.and_then(|head| head.manifest) {
            Some(digest) => self.substrate.manifest(digest).await.map(Some),
            None => Ok(None),
        }
    }

    /// Puts records over those that are there. Whoever moves the pointer meanwhile loses nothing: it is begun again from there.
    pub(super) async fn publish(
        &self,
        connector: &ConnectorName,
        entries: &[SnapshotEntry],
        note: &SyncNote,
        author: &Actor,
    ) -> Result<ManifestDigest, Refusal> {
        let mut tries = 1;
        loop {
            match self.try_to_publish(connector, entries, note, author).await {
                Err(refusal) if *refusal.code == codes::POINTER_MOVED && tries < MOVES_MAX => tries += 1,
                published => return published,
            }
        }
    }

    async fn try_to_publish(
        &self,
        connector: &ConnectorName,
        entries: &[SnapshotEntry],
        note: &SyncNote,
        author: &Actor,
    ) -> Result<ManifestDigest, Refusal> {
        let base = self.synced(connector).await?;
        let head = base.as_ref().map(|base| base.digest);
        let message = format!("records of {connector}");
        let written = ManifestNote {
            parents: head.into_iter().collect(),
            message: message.clone(),
            metadata: Some(note.metadata()),
        };
        let made = self.substrate.put_entries(author, base.as_ref(), entries.to_vec(), &written).await?;
        if let Some(base) = base.filter(|base| is_same(base, &made.manifest, note)) {
            return Ok(base.digest);
        }
        stop_point::reach("records kept");
        let new = made.manifest.digest;
        let pointer = connector.pointer();
        let moved =
            self.substrate.advance_bundle(CONNECTOR_NAMESPACE, &pointer, head, new, author, &message).await;
        moved.map(|()| {
            stop_point::reach("records published");
            new
        })
    }
}

/// True if nothing changed: neither a record nor a place.
fn is_same(base: &Manifest, made: &Manifest, note: &SyncNote) -> bool {
    base.root == made.root && SyncNote::read(base.metadata.as_ref()) == *note
}
