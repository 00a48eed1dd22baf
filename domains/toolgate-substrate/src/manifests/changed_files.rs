//! The files in which two manifests differ, for other domains. Manifests that they name are descended into. They come in the order of
//! the tree, except that a path follows what lay in it, where a file took the place of a manifest or the other way round.

use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeChange, TreeEntry};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::{ArtifactDigest, ManifestDigest};

use super::entries::read_path;
use super::listing::{ListedFile, path_within};
use crate::state::Substrate;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangedFileKind {
    Added,
    /// Other bytes, another media type or other metadata.
    Modified,
    Removed,
}

/// A file that differs. Its facts are the new ones; those of a removed file are the old ones, and it has no artifact.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangedFile {
    pub path: String,
    pub change: ChangedFileKind,
    pub artifact: Option<ArtifactDigest>,
    pub media_type: Option<String>,
    pub bytes: u64,
    pub metadata: Map<String, Value>,
}

impl ChangedFile {
    fn of(path: String, change: ChangedFileKind, entry: &TreeEntry) -> Self {
        let ListedFile { path, artifact, media_type, bytes, metadata } = ListedFile::of(path, entry);
        let artifact = Some(artifact).filter(|_| change != ChangedFileKind::Removed);
        Self { path, change, artifact, media_type, bytes, metadata }
    }
}

/// Two trees of the same place within others.
struct NestedPair {
    old: BlobDigest,
    new: BlobDigest,
    /// The path of the entry that names them, with a slash; empty for the outermost.
    prefix: String,
    depth: usize,
}

impl Substrate {
    /// The changed files after a path, at most `limit`. If there are fewer, there are no more. Without an old manifest everything is added.
    pub async fn changed_paths(
        &self,
        old: Option<ManifestDigest>,
        new: ManifestDigest,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ChangedFile>, Refusal> {
        let old = match old {
            Some(old) => self.manifest(old).await?.root,
            None => self.empty.digest,
        };
        let new = self.manifest(new).await?.root;
        let mut found = Vec::new();
        let pair = NestedPair { old, new, prefix: String::new(), depth: 0 };
        self.list_changes(pair, after, limit.max(1), &mut found).await?;
        Ok(found)
    }

    fn list_changes<'a>(
        &'a self,
        pair: NestedPair,
        after: Option<&'a str>,
        limit: usize,
        found: &'a mut Vec<ChangedFile>,
    ) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move {
            let mut last = self.finish_nested_change(&pair, after, limit, found).await?;
            while found.len() < limit {
                let left = limit - found.len();
                let (changes, resume_after) = self.changes((pair.old, pair.new), last, left).await?;
                for change in &changes {
                    self.list_change(&pair, change, None, limit, found).await?;
                }
                match resume_after {
                    Some(path) => last = Some(path),
                    None => break,
                }
            }
            Ok(())
        })
    }

    /// Lists the files of one change: those within manifests first, after a path in them, then the one that the path itself names.
    async fn list_change(
        &self,
        pair: &NestedPair,
        change: &TreeChange,
        after: Option<&str>,
        limit: usize,
        found: &mut Vec<ChangedFile>,
    ) -> Result<(), Refusal> {
        if found.len() >= limit {
            return Ok(());
        }
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        if of_kind(old, EntryKind::Manifest).or(of_kind(new, EntryKind::Manifest)).is_some() {
            let inner = NestedPair {
                old: self.root_or_empty(old, pair.depth).await?,
                new: self.root_or_empty(new, pair.depth).await?,
                prefix: format!("{}{}/", pair.prefix, change.path),
                depth: pair.depth + 1,
            };
            self.list_changes(inner, after, limit, found).await?;
        }
        let path = || format!("{}{}", pair.prefix, change.path);
        let changed = match (of_kind(old, EntryKind::Artifact), of_kind(new, EntryKind::Artifact)) {
            (None, Some(new)) => ChangedFile::of(path(), ChangedFileKind::Added, new),
            (Some(_), Some(new)) => ChangedFile::of(path(), ChangedFileKind::Modified, new),
            (Some(old), None) => ChangedFile::of(path(), ChangedFileKind::Removed, old),
            (None, None) => return Ok(()),
        };
        if found.len() < limit {
            found.push(changed);
        }
        Ok(())
    }

    /// The root of the manifest that an entry names; of anything else, that of no files.
    async fn root_or_empty(&self, entry: Option<&TreeEntry>, depth: usize) -> Result<BlobDigest, Refusal> {
        match of_kind(entry, EntryKind::Manifest) {
            Some(entry) => self.inner_root(entry, depth).await,
            None => Ok(self.empty.digest),
        }
    }

    /// Goes on in the inner manifests that `after` lies in, if there are any, and returns the path to go on after outside of them.
    async fn finish_nested_change(
        &self,
        pair: &NestedPair,
        after: Option<&str>,
        limit: usize,
        found: &mut Vec<ChangedFile>,
    ) -> Result<Option<EntryPath>, Refusal> {
        let Some(after) = after else { return Ok(None) };
        // Both name the same paths in the same order.
        let (old, new) = (self.look_above(pair.old, after).await?, self.look_above(pair.new, after).await?);
        let both = old.into_iter().zip(new);
        let mut changes = both.map(|((path, old), (_, new))| TreeChange { path, old, new });
        let is_nested = |change: &TreeChange| {
            let kinds = [&change.old, &change.new];
            kinds.into_iter().any(|one| of_kind(one.as_ref(), EntryKind::Manifest).is_some())
        };
        let Some(change) = changes.find(is_nested) else { return read_path(after).map(Some) };
        if change.old != change.new {
            let rest = path_within(&change.path, after);
            self.list_change(pair, &change, Some(rest), limit, found).await?;
        }
        Ok(Some(change.path))
    }
}

fn of_kind(entry: Option<&TreeEntry>, kind: EntryKind) -> Option<&TreeEntry> {
    entry.filter(|entry| entry.kind == kind)
}
