//! A manifest and its document. The digest of the document is the digest of the manifest, so it covers parents, message, principal,
//! run and metadata; the root is the identity of the entries alone.

use manifest_tree::BlobDigest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::id::RunId;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId, Refusal};
use toolgate_pipeline::canonical::canonical;
use toolgate_store::{Actor, StoredManifest};

use crate::digests::for_tree;
use crate::refusal;
use crate::state::Substrate;

/// The form of documents.
const FORM: u32 = 1;

/// An immutable tree of paths, with its history.
#[derive(Clone, PartialEq, Debug)]
pub struct Manifest {
    pub digest: ManifestDigest,
    /// The root of the tree: the same for the same entries.
    pub root: BlobDigest,
    pub parents: Vec<ManifestDigest>,
    pub message: String,
    pub principal: PrincipalId,
    pub run: Option<RunId>,
    pub metadata: Option<Map<String, Value>>,
    /// One more than the highest of its parents.
    pub generation: u64,
    pub entries: u64,
    /// The sum of the sizes of all entries.
    pub bytes: u64,
    pub created_ms: i64,
}

/// The members of a document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ManifestDocument {
    manifest: u32,
    pub(super) message: String,
    pub(super) metadata: Option<Map<String, Value>>,
    pub(super) parents: Vec<ManifestDigest>,
    pub(super) principal: String,
    pub(super) root: Digest,
    pub(super) run: Option<String>,
}

impl ManifestDocument {
    pub(super) fn new(
        root: Digest,
        parents: &[ManifestDigest],
        message: &str,
        metadata: Option<&Map<String, Value>>,
        by: &Actor,
    ) -> Self {
        Self {
            manifest: FORM,
            message: message.to_owned(),
            metadata: metadata.cloned(),
            parents: parents.to_vec(),
            principal: by.principal.to_string(),
            root,
            run: by.run.as_ref().map(ToString::to_string),
        }
    }

    /// Its one text, and the digest of it.
    pub(super) fn write(&self) -> (String, ManifestDigest) {
        let value = serde_json::to_value(self).expect("texts, digests and JSON are JSON");
        let text = canonical(&value);
        let digest = ManifestDigest::new(Digest::of(&text));
        (text, digest)
    }

    /// Reads a document. `None` for another text, or another form.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|document: &Self| document.manifest == FORM)
    }
}

impl Manifest {
    /// The manifest of a row, whose document has the digest under which it is stored.
    pub(super) fn of(stored: StoredManifest) -> Result<Manifest, Refusal> {
        let digest = stored.digest;
        if Digest::of(&stored.document) != digest.digest() {
            return Err(refusal::damaged(format!("the document of {digest} has another digest")));
        }
        let document = ManifestDocument::read(&stored.document);
        let Some(document) = document.filter(|document| document.root == stored.root) else {
            return Err(refusal::damaged(format!(
                "the row of {digest} claims another root than its document"
            )));
        };
        Ok(Manifest {
            digest,
            root: for_tree(document.root),
            parents: document.parents,
            message: document.message,
            principal: PrincipalId::new(&document.principal),
            run: document.run.map(RunId::new),
            metadata: document.metadata,
            generation: stored.generation,
            entries: stored.entries,
            bytes: stored.bytes,
            created_ms: stored.created_at_ms,
        })
    }
}

impl Substrate {
    /// The manifest of this digest, in this tenant.
    pub async fn manifest(&self, digest: ManifestDigest) -> Result<Manifest, Refusal> {
        self.stored_manifest(digest).await.and_then(Manifest::of)
    }

    /// The manifest is there, and is not collected while something that names it is being written.
    pub async fn keep_manifest(&self, digest: ManifestDigest) -> Result<(), Refusal> {
        let is_there =
            self.store.touch_manifest(&digest, self.clock.now_ms()).await.map_err(refusal::down)?;
        is_there.then_some(()).ok_or_else(|| refusal::unknown_manifest(&digest))
    }

    pub(super) async fn stored_manifest(&self, digest: ManifestDigest) -> Result<StoredManifest, Refusal> {
        let stored = self.store.manifest(&digest).await.map_err(refusal::down)?;
        stored.ok_or_else(|| refusal::unknown_manifest(&digest))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(message: &str, parents: &[ManifestDigest], run: Option<&str>) -> (String, ManifestDigest) {
        let by = Actor { run: run.map(RunId::new), ..Actor::person(&PrincipalId::new("ann")) };
        let metadata = json!({ "b": 1, "a": [true] });
        ManifestDocument::new(Digest::of("root"), parents, message, metadata.as_object(), &by).write()
    }

    #[test]
    fn the_digest_covers_everything_that_a_manifest_says() {
        let parent = ManifestDigest::new(Digest::of("parent"));
        let all = [
            document("one", &[], None),
            document("two", &[], None),
            document("one", &[parent], None),
            document("one", &[], Some("run_1")),
        ];
        for (place, one) in all.iter().enumerate() {
            assert!(all[place + 1..].iter().all(|other| other.1 != one.1), "{}", one.0);
            let read = ManifestDocument::read(&one.0).expect("it reads back");
            assert_eq!(read.write(), *one, "it has one text");
        }
        assert!(all[0].0.starts_with(r#"{"manifest":1,"message":"one","metadata":{"a":[true],"b":1},"#));
        assert!(ManifestDocument::read(&all[0].0.replace("\"manifest\":1", "\"manifest\":2")).is_none());
    }
}
