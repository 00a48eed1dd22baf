//! The calls of tools that export and import make, and the form of their answers.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeEntry};
use oci_archive::ArchivedManifest;
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_core::substrate::parse_digest;
use toolgate_pipeline::canonical::canonical;

use crate::local::{DownloadBody, LocalApi, LocalProblem};

/// The entries of a page that is asked for. The gateway ends a page earlier if it would be too long.
const PAGE: u16 = 1_000;
const NOT_FOUND: u16 = 404;

/// The gateway's tools over manifests.
pub(super) struct SubstrateCalls<'a>(pub(super) &'a mut LocalApi);

/// A page of `substrate.manifest.checkout`.
#[derive(Deserialize)]
pub(super) struct CheckoutPage {
    sha256: String,
    root: String,
    #[serde(default)]
    parents: Vec<String>,
    #[serde(default)]
    message: String,
    entry_count: u64,
    total_size_bytes: u64,
    created_by: String,
    run_id: Option<String>,
    created_at: String,
    metadata: Option<Value>,
    entries: Vec<CheckoutEntry>,
    pub(super) next_after: Option<String>,
}

#[derive(Deserialize)]
struct CheckoutEntry {
    path: String,
    artifact_sha256: Option<String>,
    manifest_sha256: Option<String>,
    size_bytes: u64,
    #[serde(default)]
    media_type: String,
    metadata: Option<Value>,
}

/// A manifest that was created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CreatedManifest {
    pub(super) digest: String,
    pub(super) root: BlobDigest,
    pub(super) is_duplicate: bool,
}

impl SubstrateCalls<'_> {
    /// The manifest that is meant: a digest, or that of a pointer.
    pub(super) async fn resolve(&mut self, what: &str) -> anyhow::Result<BlobDigest> {
        if what.starts_with("sha256:") {
            return read_digest(what);
        }
        if let Ok(digest) = read_digest(what) {
            return Ok(digest);
        }
        let split = what.rsplit_once(':').or_else(|| what.rsplit_once('/'));
        let Some((namespace, name)) = split else {
            bail!(
                "{what:?} is neither a digest nor a pointer\n\
                 hint: give sha256:… of a manifest, or NAMESPACE:NAME of a pointer"
            );
        };
        let arguments = json!({ "namespace": namespace, "name": name });
        let pointer = self.call("substrate.pointer.resolve", &arguments).await?;
        match pointer["manifest_sha256"].as_str() {
            Some(digest) => read_digest(digest),
            None => bail!("the pointer {what} is empty\nhint: move it to a manifest first"),
        }
    }

    /// A page of a manifest's entries.
    pub(super) async fn checkout(
        &mut self,
        manifest: &BlobDigest,
        after: Option<&str>,
    ) -> anyhow::Result<CheckoutPage> {
        let mut arguments = json!({ "sha256": manifest.to_string(), "limit": PAGE });
        if let Some(after) = after {
            arguments["after"] = after.into();
        }
        let page = self.call("substrate.manifest.checkout", &arguments).await?;
        serde_json::from_value(page).context("the gateway answered in another form than expected")
    }

    /// The root of a manifest, if the gateway has it.
    pub(super) async fn root_of(&mut self, manifest: &BlobDigest) -> anyhow::Result<Option<BlobDigest>> {
        let arguments = json!({ "sha256": manifest.to_string(), "limit": 1 });
        match self.call("substrate.manifest.checkout", &arguments).await {
            Ok(page) => read_digest(page["root"].as_str().unwrap_or_default()).map(Some),
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Those of these artifacts that the gateway does not have.
    pub(super) async fn missing(&mut self, digests: &[BlobDigest]) -> anyhow::Result<Vec<BlobDigest>> {
        let asked: Vec<String> = digests.iter().map(ToString::to_string).collect();
        let answer = self.call("substrate.artifact.missing", &json!({ "sha256": asked })).await?;
        let missing = answer["missing"].as_array().into_iter().flatten();
        missing.map(|one| read_digest(one.as_str().unwrap_or_default())).collect()
    }

    /// Stores an artifact, and returns its digest.
    pub(super) async fn upload(&mut self, arguments: &Value) -> anyhow::Result<BlobDigest> {
        let stored = self.call("substrate.artifact.upload", arguments).await?;
        read_digest(stored["sha256"].as_str().unwrap_or_default())
    }

    pub(super) async fn create(&mut self, arguments: &Value) -> anyhow::Result<CreatedManifest> {
        let made = self.call("substrate.manifest.create", arguments).await?;
        let text = |key: &str| made[key].as_str().unwrap_or_default();
        Ok(CreatedManifest {
            digest: text("sha256").to_owned(),
            root: read_digest(text("root"))?,
            is_duplicate: made["is_duplicate"] == true,
        })
    }

    /// The bytes of an artifact.
    pub(super) async fn fetch(&mut self, digest: &BlobDigest) -> anyhow::Result<DownloadBody> {
        self.0.fetch(&["artifacts", &format!("sha256:{digest}"), "content"]).await
    }

    async fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let mut answer = self.0.post(&["tools", tool], arguments).await?;
        if answer["data"].is_null() {
            let approval = answer["approval_id"].as_str().unwrap_or_default();
            bail!(
                "{tool} waits for people: {approval}\nhint: `toolgate approvals` decides; repeat the command then"
            );
        }
        Ok(answer["data"].take())
    }
}

impl CheckoutPage {
    /// The manifest, whose entries are listed by this blob.
    pub(super) fn archived(&self, list: BlobDigest) -> anyhow::Result<ArchivedManifest> {
        Ok(ArchivedManifest {
            manifest: read_digest(&self.sha256)?,
            root: self.root()?,
            entries: self.entry_count,
            bytes: self.total_size_bytes,
            list,
            message: self.message.clone(),
            parents: self.parents.clone(),
            principal: self.created_by.clone(),
            run: self.run_id.clone(),
            metadata: self.metadata.clone(),
            created_at: self.created_at.clone(),
        })
    }

    pub(super) fn root(&self) -> anyhow::Result<BlobDigest> {
        read_digest(&self.root)
    }

    pub(super) fn entries(&self) -> anyhow::Result<Vec<(EntryPath, TreeEntry)>> {
        self.entries.iter().map(CheckoutEntry::entry).collect()
    }
}

impl CheckoutEntry {
    fn entry(&self) -> anyhow::Result<(EntryPath, TreeEntry)> {
        let path = EntryPath::new(&self.path).with_context(|| format!("the path {:?}", self.path))?;
        let (kind, digest) = match (&self.artifact_sha256, &self.manifest_sha256) {
            (Some(digest), None) => (EntryKind::Artifact, digest),
            (None, Some(digest)) => (EntryKind::Manifest, digest),
            _ => bail!("the gateway answered in another form than expected, at {path}"),
        };
        let metadata = self.metadata.as_ref().map(|value| canonical(value).into_bytes());
        let entry = TreeEntry {
            kind,
            digest: read_digest(digest)?,
            bytes: self.size_bytes,
            media_type: Arc::from(self.media_type.as_str()),
            metadata: Arc::from(metadata.unwrap_or_default()),
        };
        Ok((path, entry))
    }
}

/// A digest with or without `sha256:` in front.
pub(super) fn read_digest(text: &str) -> anyhow::Result<BlobDigest> {
    let digest = parse_digest(text).with_context(|| format!("{text:?} is no digest"))?;
    Ok(BlobDigest::new(*digest.as_bytes()))
}

fn is_not_found(error: &anyhow::Error) -> bool {
    error.downcast_ref::<LocalProblem>().is_some_and(|problem| problem.status == NOT_FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_entries_of_the_tree() {
        let digest = BlobDigest::of(b"x");
        let page: CheckoutPage = serde_json::from_value(json!({
            "sha256": format!("sha256:{digest}"), "root": format!("sha256:{digest}"), "parents": [], "message": "m",
            "entry_count": 2, "total_size_bytes": 3, "created_by": "ann", "created_at": "2026-11-17T00:00:00.000Z",
            "entries": [
                { "path": "a", "artifact_sha256": format!("sha256:{digest}"), "size_bytes": 1,
                    "media_type": "text/plain", "metadata": { "b": 1, "a": 2 } },
                { "path": "b", "manifest_sha256": format!("sha256:{digest}"), "size_bytes": 2 },
            ],
        }))
        .expect("a page");
        let entries = page.entries().expect("entries");
        assert_eq!(&*entries[0].1.metadata, b"{\"a\":2,\"b\":1}", "in the one form");
        assert_eq!((entries[1].1.kind, &*entries[1].1.media_type), (EntryKind::Manifest, ""));
        assert_eq!(page.archived(digest).expect("a manifest").principal, "ann");
    }
}
