//! Making manifests: of entries, or of edits on a base.

use std::collections::BTreeSet;
use std::convert::Infallible;

use manifest_tree::{
    BlobDigest, DriveError, EntryPath, NewNode, NodeSink, TreeEdit, TreeEditing, TreeEntry, TreeRoot, build,
};
use serde_json::{Map, Value};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, stop_point};
use toolgate_pipeline::canonical::canonical;
use toolgate_store::{Actor, NewManifest};

use super::entries::NamedContents;
use super::manifest::{Manifest, ManifestDocument};
use crate::digests::of_tree;
use crate::limits::{MESSAGE_BYTES_MAX, METADATA_BYTES_MAX, PARENTS_MAX};
use crate::refusal;
use crate::state::Substrate;

/// What a manifest says beside its entries.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ManifestNote {
    pub parents: Vec<ManifestDigest>,
    pub message: String,
    pub metadata: Option<Map<String, Value>>,
}

/// A manifest that was stored.
#[derive(Clone, PartialEq, Debug)]
pub struct MadeManifest {
    pub manifest: Manifest,
    /// True if a manifest with the same entries was there.
    pub is_duplicate: bool,
}

/// A tree as a whole, whether new or that of a manifest.
#[derive(Clone, Copy)]
pub(super) struct TreeContents {
    root: BlobDigest,
    entries: u64,
    bytes: u64,
}

impl From<TreeRoot> for TreeContents {
    fn from(tree: TreeRoot) -> Self {
        Self { root: tree.digest, entries: tree.count, bytes: tree.bytes }
    }
}

impl From<&Manifest> for TreeContents {
    fn from(manifest: &Manifest) -> Self {
        Self { root: manifest.root, entries: manifest.entries, bytes: manifest.bytes }
    }
}

/// The nodes of a tree that is small enough for memory.
#[derive(Default)]
struct NodeList(Vec<NewNode>);

impl NodeSink for NodeList {
    type Error = Infallible;

    fn put(&mut self, node: NewNode) -> Result<(), Infallible> {
        self.0.push(node);
        Ok(())
    }
}

impl ManifestNote {
    /// Refuses what is too long.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let distinct: BTreeSet<&ManifestDigest> = self.parents.iter().collect();
        if self.parents.len() > PARENTS_MAX {
            return Err(refusal::too_many("parents", self.parents.len(), PARENTS_MAX));
        }
        if distinct.len() < self.parents.len() {
            return Err(refusal::invalid("a parent is named twice", "name each parent once"));
        }
        if self.message.len() > MESSAGE_BYTES_MAX {
            return Err(refusal::metadata_too_large("the message", self.message.len(), MESSAGE_BYTES_MAX));
        }
        let bytes = self.metadata.as_ref().map_or(0, |one| canonical(&Value::Object(one.clone())).len());
        match bytes > METADATA_BYTES_MAX {
            true => {
                Err(refusal::metadata_too_large("the metadata of the manifest", bytes, METADATA_BYTES_MAX))
            }
            false => Ok(()),
        }
    }
}

impl Substrate {
    /// Stores the manifest of a tree whose nodes are stored.
    pub async fn record_manifest(
        &self,
        by: &Actor,
        tree: TreeRoot,
        note: ManifestNote,
        named: &NamedContents,
    ) -> Result<MadeManifest, Refusal> {
        note.check()?;
        self.record(by, tree.into(), &note, named).await
    }

    /// Makes a manifest of entries alone.
    pub(super) async fn make(
        &self,
        by: &Actor,
        edits: Vec<TreeEdit>,
        note: &ManifestNote,
        named: &NamedContents,
    ) -> Result<MadeManifest, Refusal> {
        note.check()?;
        let entries: Vec<(EntryPath, TreeEntry)> =
            edits.into_iter().filter_map(|edit| Some((edit.path, edit.entry?))).collect();
        let mut nodes = NodeList::default();
        let tree = build(entries, &mut nodes).map_err(|error| match error {
            DriveError::Tree(error) => refusal::tree(error),
            DriveError::Nodes(never) => match never {},
        })?;
        self.keep_nodes(nodes.0).await?;
        self.record(by, tree.into(), note, named).await
    }

    /// Makes a manifest of another one, with edits. A path that is removed must be there.
    pub async fn edit_manifest(
        &self,
        by: &Actor,
        base: &Manifest,
        edits: Vec<TreeEdit>,
        note: &ManifestNote,
        named: &NamedContents,
    ) -> Result<MadeManifest, Refusal> {
        note.check()?;
        let tree = match edits.is_empty() {
            true => base.into(),
            false => self.edit(base, edits).await?,
        };
        self.record(by, tree, note, named).await
    }

    async fn edit(&self, base: &Manifest, edits: Vec<TreeEdit>) -> Result<TreeContents, Refusal> {
        let mut editing = TreeEditing::new(base.root, edits).map_err(refusal::tree)?;
        let mut nodes = Vec::new();
        let outcome = self.drive(&mut editing, |page| nodes.extend(page)).await?;
        if let Some(absent) = outcome.absent.first() {
            return Err(refusal::unknown_path(absent.as_str()));
        }
        self.keep_nodes(nodes).await?;
        Ok(outcome.root.into())
    }

    async fn record(
        &self,
        by: &Actor,
        tree: TreeContents,
        note: &ManifestNote,
        named: &NamedContents,
    ) -> Result<MadeManifest, Refusal> {
        stop_point::reach("nodes written");
        let root = of_tree(tree.root);
        let document = ManifestDocument::new(root, &note.parents, &note.message, note.metadata.as_ref(), by);
        let (document, digest) = document.write();
        let new = NewManifest {
            digest,
            root,
            parents: &note.parents,
            entries: tree.entries,
            bytes: tree.bytes,
            document: &document,
            shared: &named.shared,
            artifacts: &named.artifacts,
            manifests: &named.manifests,
            created_at_ms: self.clock.now_ms(),
        };
        let outcome = self.books.store_manifest(&new, by).await.map_err(refusal::not_stored)?;
        let manifest = self.manifest(digest).await?;
        Ok(MadeManifest { manifest, is_duplicate: outcome.is_duplicate })
    }
}
