//! The bytes of runs: manifests in the substrate, saved states as blobs.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{TryStreamExt, stream};
use manifest_tree::EntryPath;
use toolgate_core::content::ContentHolder;
use toolgate_core::port::{BoxFuture, SourceError};
use toolgate_core::{Digest, Refusal, codes};
use toolgate_files::{Files, FoundContent, StoredKind};
use toolgate_runs::{ContentAuthor, RunContents, RunEntry, RunEntryContent, StateAddress, StateBytes};
use toolgate_substrate::{ManifestAuthor, ManifestDigest, SnapshotContent, SnapshotEntry, Substrate};

const JSON: &str = "application/json";
/// The time for which the address of a state is valid.
const ADDRESS_KEEP: Duration = Duration::from_secs(60 * 60);

pub(crate) struct KeptRunContents {
    files: Arc<Files>,
    substrate: Arc<Substrate>,
}

impl KeptRunContents {
    pub(crate) fn new(files: Arc<Files>, substrate: Arc<Substrate>) -> Self {
        Self { files, substrate }
    }
}

impl RunContents for KeptRunContents {
    fn snapshot(
        &self,
        author: ContentAuthor,
        entries: Vec<RunEntry>,
        message: &'static str,
    ) -> BoxFuture<'_, Result<Digest, Refusal>> {
        Box::pin(async move {
            let ContentAuthor { principal, session, run } = author;
            let author = ManifestAuthor { principal, session, run, call: None };
            let entries = entries.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?;
            let manifest = self.substrate.snapshot(&author, entries, message).await?;
            Ok(manifest.digest.digest())
        })
    }

    fn check_manifest(&self, digest: Digest) -> BoxFuture<'_, Result<(), Refusal>> {
        Box::pin(async move { self.substrate.keep_manifest(ManifestDigest::new(digest)).await })
    }

    fn put_state(&self, json: String) -> BoxFuture<'_, Result<StateBytes, Refusal>> {
        Box::pin(async move {
            let whole = stream::iter([Ok::<_, Infallible>(Bytes::from(json))]);
            let put = self.files.receive(whole).await?;
            Ok(StateBytes { digest: put.digest, bytes: put.bytes, media_type: JSON.to_owned() })
        })
    }

    fn find_state<'a>(
        &'a self,
        holder: &'a ContentHolder,
        id: &'a str,
    ) -> BoxFuture<'a, Result<StateBytes, Refusal>> {
        Box::pin(async move {
            let FoundContent { digest, bytes, media_type, .. } = self.files.find(holder, id).await?;
            Ok(StateBytes { digest, bytes, media_type })
        })
    }

    fn read_state<'a>(&'a self, state: &'a StateBytes) -> BoxFuture<'a, Result<Option<String>, Refusal>> {
        Box::pin(async move {
            let content = self.files.open_content(found(state), None).await?;
            let pieces: Vec<Bytes> = content.stream.try_collect().await.map_err(|error| broken(&error))?;
            Ok(String::from_utf8(pieces.concat()).ok())
        })
    }

    fn address<'a>(&'a self, state: &'a StateBytes) -> BoxFuture<'a, Result<StateAddress, Refusal>> {
        Box::pin(async move {
            let address = self.files.address(&found(state), ADDRESS_KEEP).await?;
            Ok(StateAddress { url: address.url, expires_at_ms: address.expires_at_ms })
        })
    }
}

fn entry(entry: RunEntry) -> Result<SnapshotEntry, Refusal> {
    let content = match entry.content {
        RunEntryContent::Json(text) => {
            SnapshotContent::Bytes { bytes: Bytes::from(text), media_type: JSON.to_owned() }
        }
        RunEntryContent::Stored(digest) => SnapshotContent::Artifact(digest),
    };
    Ok(SnapshotEntry { path: path(&entry.path, entry.otherwise.as_deref())?, content, metadata: None })
}

/// The path, or another one if it is none that a manifest takes.
fn path(wanted: &str, otherwise: Option<&str>) -> Result<EntryPath, Refusal> {
    EntryPath::new(wanted).or_else(|error| match otherwise.map(EntryPath::new) {
        Some(Ok(path)) => Ok(path),
        Some(Err(_)) | None => Err(Refusal::new(&codes::BAD_INPUT, format!("{wanted:?}: {error}"))
            .hint("a path has parts between single `/`, each up to 255 bytes, in Unicode's normal form C")),
    })
}

fn found(state: &StateBytes) -> FoundContent {
    FoundContent {
        what: StoredKind::Artifact,
        digest: state.digest,
        bytes: state.bytes,
        media_type: state.media_type.clone(),
        name: None,
    }
}

fn broken(error: &SourceError) -> Refusal {
    Refusal::new(&codes::STORAGE_DOWN, format!("the state cannot be read: {error}"))
}
