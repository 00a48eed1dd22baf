//! Manifests, from the view of the API: what one is, a page of a folder of it, and a page of what differs between two.

use serde::Serialize;
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::ManifestDigest;
use utoipa::ToSchema;

/// An immutable tree of paths, without its entries
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct ManifestView {
    /// sha256:…
    pub digest: String,
    /// The same for the same entries.
    pub root: String,
    /// The manifests that it was made from.
    pub parents: Vec<String>,
    pub message: String,
    pub entries: u64,
    /// The sum of the sizes of all entries.
    pub size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    pub created_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub created_at: String,
}

/// A path of a manifest: a folder, or what the path names
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct ManifestEntryView {
    /// The whole path; that of a folder ends with a slash.
    pub path: String,
    /// folder, artifact or manifest
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// sha256:… of the artifact or the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
}

#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct ManifestEntriesPage {
    pub entries: Vec<ManifestEntryView>,
    /// There are more after this path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_after: Option<String>,
}

/// A path in which two manifests differ
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct ManifestChangeView {
    pub path: String,
    /// added, removed, content or metadata
    pub change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<ManifestEntryView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<ManifestEntryView>,
}

/// The changes of a whole difference, counted
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct ManifestChangeCounts {
    pub added: u64,
    pub removed: u64,
    /// Paths with other bytes.
    pub content: u64,
    /// Paths with the same bytes and other metadata.
    pub metadata: u64,
    /// False if there are more than were counted.
    pub complete: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct ManifestChangesPage {
    pub changes: Vec<ManifestChangeView>,
    /// On the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<ManifestChangeCounts>,
    /// There are more after this path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_after: Option<String>,
}

/// A page of the entries of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestFolderRequest {
    pub manifest: ManifestDigest,
    /// With a slash at its end; empty for the whole.
    pub folder: String,
    /// `next_after` of the page before.
    pub after: Option<String>,
    pub limit: usize,
}

/// A page of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestChangesRequest {
    /// Without one, everything was added.
    pub old: Option<ManifestDigest>,
    pub new: ManifestDigest,
    /// `next_after` of the page before.
    pub after: Option<String>,
    pub limit: usize,
}

/// The port to manifests.
pub trait ManifestPort: Send + Sync {
    fn manifest(&self, digest: ManifestDigest) -> BoxFuture<'_, Result<ManifestView, Refusal>>;

    fn entries(&self, request: ManifestFolderRequest) -> BoxFuture<'_, Result<ManifestEntriesPage, Refusal>>;

    fn changes(&self, request: ManifestChangesRequest)
    -> BoxFuture<'_, Result<ManifestChangesPage, Refusal>>;
}
