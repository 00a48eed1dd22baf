//! Manifests and schemas for the API: what people look at.

use std::sync::Arc;

use manifest_tree::TreeChangeKind;
use toolgate_api::{
    ManifestChangeCounts, ManifestChangeView, ManifestChangesPage, ManifestChangesRequest,
    ManifestEntriesPage, ManifestEntryView, ManifestFolderRequest, ManifestPort, ManifestView,
    SchemaChangeView, SchemaChangesView, SchemaPort,
};
use toolgate_core::moment::rfc3339;
use toolgate_core::port::BoxFuture;
use toolgate_core::schema::SchemaRecord;
use toolgate_core::{Digest, Refusal};
use toolgate_substrate::{BrowsedChange, BrowsedEntry, BrowsedTarget, Manifest, ManifestDigest, Substrate};

/// The substrate, from the view of the API.
pub(crate) struct ShownManifests(pub(crate) Arc<Substrate>);

impl ManifestPort for ShownManifests {
    fn manifest(&self, digest: ManifestDigest) -> BoxFuture<'_, Result<ManifestView, Refusal>> {
        Box::pin(async move { self.0.manifest(digest).await.map(manifest_view) })
    }

    fn entries(&self, request: ManifestFolderRequest) -> BoxFuture<'_, Result<ManifestEntriesPage, Refusal>> {
        Box::pin(async move {
            let ManifestFolderRequest { manifest, folder, after, limit } = request;
            let page = self.0.browse(manifest, &folder, after.as_deref(), limit).await?;
            let next_after = page.entries.last().filter(|_| page.has_more).map(|last| last.path.clone());
            Ok(ManifestEntriesPage {
                entries: page.entries.into_iter().map(entry_view).collect(),
                next_after,
            })
        })
    }

    fn changes(
        &self,
        request: ManifestChangesRequest,
    ) -> BoxFuture<'_, Result<ManifestChangesPage, Refusal>> {
        Box::pin(async move {
            let ManifestChangesRequest { old, new, after, limit } = request;
            let (changes, next_after) = self.0.browse_changes(old, new, after.as_deref(), limit).await?;
            // Once is enough for all pages.
            let counts = match after {
                None => Some(self.counts(old, new).await?),
                Some(_) => None,
            };
            let changes = changes.into_iter().map(change_view).collect();
            Ok(ManifestChangesPage { changes, counts, next_after })
        })
    }
}

impl ShownManifests {
    async fn counts(
        &self,
        old: Option<ManifestDigest>,
        new: ManifestDigest,
    ) -> Result<ManifestChangeCounts, Refusal> {
        let all = self.0.glance_at_difference(old, new).await?;
        Ok(ManifestChangeCounts {
            added: all.added,
            removed: all.removed,
            content: all.changed,
            metadata: all.metadata_changed,
            complete: all.complete,
        })
    }
}

fn manifest_view(manifest: Manifest) -> ManifestView {
    ManifestView {
        digest: manifest.digest.to_string(),
        root: Digest::from_bytes(*manifest.root.as_bytes()).to_string(),
        parents: manifest.parents.iter().map(ToString::to_string).collect(),
        message: manifest.message,
        entries: manifest.entries,
        size: manifest.bytes,
        metadata: manifest.metadata,
        created_by: manifest.principal.to_string(),
        run: manifest.run.map(|run| run.to_string()),
        created_at: rfc3339(manifest.created_ms),
    }
}

fn entry_view(entry: BrowsedEntry) -> ManifestEntryView {
    let (kind, digest, size) = match entry.target {
        BrowsedTarget::Folder => ("folder", None, None),
        BrowsedTarget::Artifact { digest, bytes } => ("artifact", Some(digest.to_string()), Some(bytes)),
        BrowsedTarget::Manifest { digest, bytes } => ("manifest", Some(digest.to_string()), Some(bytes)),
    };
    let BrowsedEntry { path, media_type, metadata, .. } = entry;
    ManifestEntryView { path, kind, digest, size, media_type, metadata }
}

fn change_view(change: BrowsedChange) -> ManifestChangeView {
    let word = match change.kind {
        TreeChangeKind::Added => "added",
        TreeChangeKind::Removed => "removed",
        TreeChangeKind::Content => "content",
        TreeChangeKind::Metadata => "metadata",
    };
    ManifestChangeView {
        path: change.path,
        change: word,
        old: change.old.map(entry_view),
        new: change.new.map(entry_view),
    }
}

/// Differences of schemas in the words of drifted tools.
pub(crate) struct SchemaWords;

impl SchemaPort for SchemaWords {
    fn changes(&self, old: SchemaRecord, new: SchemaRecord) -> BoxFuture<'static, SchemaChangesView> {
        Box::pin(async move {
            let difference = toolgate_schema::difference(&old, &new).await;
            let changes = difference.changes.into_iter();
            SchemaChangesView {
                from: old.version,
                summary: difference.summary,
                changes: changes.map(|one| SchemaChangeView { path: one.path, words: one.words }).collect(),
            }
        })
    }
}
