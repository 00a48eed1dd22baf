//! The files of a manifest, for other domains. Manifests that it names are descended into: their files have both paths. They come in
//! the order of the tree, so the last path of a page says where the next one begins.

use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeEntry, TreeListing, TreeLookup};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::{ArtifactDigest, ManifestDigest};

use super::entries::read_path;
use crate::digests::of_tree;
use crate::limits::NESTING_MAX;
use crate::refusal;
use crate::state::Substrate;

/// A file of a manifest.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedFile {
    pub path: String,
    pub artifact: ArtifactDigest,
    pub media_type: Option<String>,
    pub bytes: u64,
    pub metadata: Map<String, Value>,
}

impl ListedFile {
    pub(super) fn of(path: String, entry: &TreeEntry) -> Self {
        Self {
            path,
            artifact: of_tree(entry.digest),
            media_type: Some(entry.media_type.to_string()).filter(|one| !one.is_empty()),
            bytes: entry.bytes,
            // Nothing, or an object: whoever made the entry has checked it.
            metadata: serde_json::from_slice(&entry.metadata).unwrap_or_default(),
        }
    }
}

/// A tree within others.
struct NestedTree {
    root: BlobDigest,
    /// The path of the entry that names it, with a slash; empty for the outermost.
    prefix: String,
    depth: usize,
}

impl Substrate {
    /// The files after a path, at most `limit`. If there are fewer, there are no more.
    pub async fn files_of(
        &self,
        manifest: ManifestDigest,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ListedFile>, Refusal> {
        let root = self.manifest(manifest).await?.root;
        let mut found = Vec::new();
        let tree = NestedTree { root, prefix: String::new(), depth: 0 };
        self.list_files(tree, after, limit.max(1), &mut found).await?;
        Ok(found)
    }

    fn list_files<'a>(
        &'a self,
        tree: NestedTree,
        after: Option<&'a str>,
        limit: usize,
        found: &'a mut Vec<ListedFile>,
    ) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move {
            let mut last = self.finish_nested(&tree, after, limit, found).await?;
            while found.len() < limit {
                let mut listing = TreeListing::new(tree.root, "", last, limit - found.len());
                let page = self.drive(&mut listing, drop).await?;
                for (path, entry) in &page.entries {
                    self.list_entry(&tree, path, entry, limit, found).await?;
                }
                match page.entries.last().filter(|_| page.has_more) {
                    Some((path, _)) => last = Some(path.clone()),
                    None => break,
                }
            }
            Ok(())
        })
    }

    async fn list_entry(
        &self,
        tree: &NestedTree,
        path: &EntryPath,
        entry: &TreeEntry,
        limit: usize,
        found: &mut Vec<ListedFile>,
    ) -> Result<(), Refusal> {
        match entry.kind {
            _ if found.len() >= limit => {}
            EntryKind::Artifact => found.push(ListedFile::of(format!("{}{path}", tree.prefix), entry)),
            EntryKind::Manifest => {
                let inner = self.nested(tree, path, entry).await?;
                self.list_files(inner, None, limit, found).await?;
            }
        }
        Ok(())
    }

    /// Goes on in the inner manifest that `after` lies in, if there is one, and returns the path to go on after outside of it.
    async fn finish_nested(
        &self,
        tree: &NestedTree,
        after: Option<&str>,
        limit: usize,
        found: &mut Vec<ListedFile>,
    ) -> Result<Option<EntryPath>, Refusal> {
        let Some(after) = after else { return Ok(None) };
        let above = self.look_above(tree.root, after).await?;
        let nested = above.into_iter().find_map(|(path, entry)| {
            let entry = entry.filter(|entry| entry.kind == EntryKind::Manifest)?;
            Some((path, entry))
        });
        let Some((path, entry)) = nested else { return read_path(after).map(Some) };
        let inner = self.nested(tree, &path, &entry).await?;
        self.list_files(inner, Some(path_within(&path, after)), limit, found).await?;
        Ok(Some(path))
    }

    async fn nested(
        &self,
        tree: &NestedTree,
        path: &EntryPath,
        entry: &TreeEntry,
    ) -> Result<NestedTree, Refusal> {
        let root = self.inner_root(entry, tree.depth).await?;
        Ok(NestedTree { root, prefix: format!("{}{path}/", tree.prefix), depth: tree.depth + 1 })
    }

    /// The root of the manifest that an entry names.
    pub(super) async fn inner_root(&self, entry: &TreeEntry, depth: usize) -> Result<BlobDigest, Refusal> {
        if depth >= NESTING_MAX {
            return Err(refusal::nested_too_deep());
        }
        let manifest = ManifestDigest::new(of_tree(entry.digest));
        self.manifest(manifest).await.map(|inner| inner.root)
    }

    /// The entries that could have a path in them, each with what is there.
    pub(super) async fn look_above(
        &self,
        root: BlobDigest,
        path: &str,
    ) -> Result<Vec<(EntryPath, Option<TreeEntry>)>, Refusal> {
        let above = path.match_indices('/').filter_map(|(at, _)| EntryPath::new(&path[..at]).ok());
        let mut lookup = TreeLookup::new(root, above.collect());
        self.drive(&mut lookup, drop).await
    }
}

/// The rest of a path within a folder of it.
pub(super) fn path_within<'a>(folder: &EntryPath, path: &'a str) -> &'a str {
    path.get(folder.as_str().len() + 1..).unwrap_or_default()
}
