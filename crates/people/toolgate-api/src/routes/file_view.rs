//! The public data of files, refs and artifacts: everything except the bytes.

use serde::Serialize;
use toolgate_core::Digest;
use toolgate_core::file::{Artifact, File, Ref, RefOrigin};
use toolgate_core::moment::rfc3339;
use toolgate_files::{FilePage, SignedAddress};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FilesPage {
    files: Vec<FileView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// An uploaded file; its content never changes
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = File)]
pub(crate) struct FileView {
    #[schema(example = "file_0198f5c2a4b07c3d8e1f")]
    id: String,
    #[schema(example = "report.pdf")]
    name: String,
    /// Detected from the bytes, regardless of what the sender said.
    #[schema(example = "application/pdf")]
    media_type: String,
    /// In bytes.
    size: u64,
    #[schema(value_type = String)]
    digest: Digest,
    owner: String,
    created_at: String,
    /// When it will be deleted; absent if it is kept without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// A ref: part of a result that was too large or not text, and was taken out
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Ref)]
pub(crate) struct RefView {
    #[schema(example = "ref_0198f5c2a4b07c3d8e1f")]
    id: String,
    media_type: String,
    /// In bytes.
    size: u64,
    /// Absent if its server still has the content and it was not fetched yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    digest: Option<Digest>,
    /// The first words of a text.
    #[serde(skip_serializing_if = "String::is_empty")]
    preview: String,
    principal: String,
    session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    /// The call that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<OriginView>,
    created_at: String,
    expires_at: String,
}

/// Content that a server keeps under an id of its own
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OriginView {
    server: String,
    /// The server's own id.
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArtifactsPage {
    artifacts: Vec<ArtifactView>,
}

/// An artifact of a run
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Artifact)]
pub(crate) struct ArtifactView {
    #[schema(value_type = String)]
    digest: Digest,
    name: String,
    media_type: String,
    /// In bytes.
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    owner: String,
    created_at: String,
}

/// An artifact, with everything that the caller may know of it
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArtifactDetail {
    #[schema(value_type = String)]
    digest: Digest,
    /// In bytes.
    size: u64,
    media_type: String,
    /// The names that runs gave it.
    names: Vec<String>,
    /// The runs that made it.
    runs: Vec<String>,
    /// Oldest first.
    artifacts: Vec<ArtifactView>,
}

/// A signed URL that works without a token for a limited time
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LinkView {
    url: String,
    expires_at: String,
}

impl From<FilePage> for FilesPage {
    fn from(page: FilePage) -> Self {
        let files = page.files.into_iter().map(FileView::from).collect();
        Self { files, next_cursor: page.next.map(|cursor| cursor.to_string()) }
    }
}

impl From<File> for FileView {
    fn from(file: File) -> Self {
        Self {
            id: file.id.to_string(),
            name: file.name.to_string(),
            media_type: file.media_type,
            size: file.bytes,
            digest: file.digest,
            owner: file.owner.to_string(),
            created_at: rfc3339(file.created_at_ms),
            expires_at: file.expires_at_ms.map(rfc3339),
        }
    }
}

impl From<Ref> for RefView {
    fn from(one: Ref) -> Self {
        Self {
            id: one.id.to_string(),
            media_type: one.media_type,
            size: one.bytes,
            digest: one.digest,
            preview: one.preview,
            principal: one.principal.to_string(),
            session: one.session.to_string(),
            run: one.run.map(|run| run.to_string()),
            call: one.call.map(|call| call.to_string()),
            tool: one.tool.map(|tool| tool.to_string()),
            origin: one.origin.map(OriginView::from),
            created_at: rfc3339(one.created_at_ms),
            expires_at: rfc3339(one.expires_at_ms),
        }
    }
}

impl From<RefOrigin> for OriginView {
    fn from(origin: RefOrigin) -> Self {
        Self { server: origin.server.to_string(), id: origin.own, uri: origin.uri }
    }
}

impl ArtifactsPage {
    pub(super) fn of(artifacts: Vec<Artifact>) -> Self {
        Self { artifacts: artifacts.into_iter().map(ArtifactView::from).collect() }
    }
}

impl From<Artifact> for ArtifactView {
    fn from(artifact: Artifact) -> Self {
        Self {
            digest: artifact.digest,
            name: artifact.name.to_string(),
            media_type: artifact.media_type,
            size: artifact.bytes,
            run: artifact.run.map(|run| run.to_string()),
            owner: artifact.owner.to_string(),
            created_at: rfc3339(artifact.created_at_ms),
        }
    }
}

impl ArtifactDetail {
    /// `None` for an empty list.
    pub(super) fn of(rows: Vec<Artifact>) -> Option<Self> {
        let first = rows.first()?;
        let (digest, size, media_type) = (first.digest, first.bytes, first.media_type.clone());
        let artifacts: Vec<ArtifactView> = rows.into_iter().map(ArtifactView::from).collect();
        let names = distinct(artifacts.iter().map(|one| one.name.clone()));
        let runs = distinct(artifacts.iter().filter_map(|one| one.run.clone()));
        Some(Self { digest, size, media_type, names, runs, artifacts })
    }
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut some = Vec::new();
    for one in all {
        if !some.contains(&one) {
            some.push(one);
        }
    }
    some
}

impl From<SignedAddress> for LinkView {
    fn from(address: SignedAddress) -> Self {
        Self { url: address.url, expires_at: rfc3339(address.expires_at_ms) }
    }
}
