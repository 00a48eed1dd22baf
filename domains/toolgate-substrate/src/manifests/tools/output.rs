//! Manifests, entries and changes as tools show them.

use manifest_tree::{EntryKind, TreeChange, TreeChangeKind, TreeEntry};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolgate_core::moment::rfc3339;

use crate::digests::of_tree;
use crate::manifests::manifest::Manifest;

/// A manifest without its entries and metadata.
#[derive(Serialize, JsonSchema)]
pub(super) struct ManifestOutput {
    pub(super) sha256: String,
    /// The same for the same entries
    pub(super) root: String,
    parents: Vec<String>,
    message: String,
    entry_count: u64,
    total_size_bytes: u64,
    created_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    created_at: String,
}

/// The thing that a path names.
#[derive(Serialize, JsonSchema)]
pub(super) struct EntryFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest_sha256: Option<String>,
    size_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ChangeOutput {
    pub(super) path: String,
    /// added, removed, content or metadata
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<EntryFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<EntryFacts>,
}

impl ManifestOutput {
    pub(super) fn of(manifest: &Manifest) -> Self {
        Self {
            sha256: manifest.digest.to_string(),
            root: of_tree(manifest.root).to_string(),
            parents: manifest.parents.iter().map(ToString::to_string).collect(),
            message: manifest.message.clone(),
            entry_count: manifest.entries,
            total_size_bytes: manifest.bytes,
            created_by: manifest.principal.to_string(),
            run_id: manifest.run.as_ref().map(ToString::to_string),
            created_at: rfc3339(manifest.created_ms),
        }
    }
}

impl EntryFacts {
    pub(super) fn of(entry: &TreeEntry) -> Self {
        let digest = of_tree(entry.digest).to_string();
        let (artifact_sha256, manifest_sha256) = match entry.kind {
            EntryKind::Artifact => (Some(digest), None),
            EntryKind::Manifest => (None, Some(digest)),
        };
        Self {
            artifact_sha256,
            manifest_sha256,
            size_bytes: entry.bytes,
            media_type: Some(entry.media_type.to_string()).filter(|text| !text.is_empty()),
            metadata: serde_json::from_slice(&entry.metadata).ok(),
        }
    }
}

impl ChangeOutput {
    pub(super) fn of(change: &TreeChange) -> Self {
        let word = match change.kind() {
            TreeChangeKind::Added => "added",
            TreeChangeKind::Removed => "removed",
            TreeChangeKind::Content => "content",
            TreeChangeKind::Metadata => "metadata",
        };
        Self {
            path: change.path.to_string(),
            change: word,
            old: change.old.as_ref().map(EntryFacts::of),
            new: change.new.as_ref().map(EntryFacts::of),
        }
    }
}
