//! Manifests as people look at them: a folder at a time, each folder in it as one line, and differences by page. What lies in a folder is
//! not read until somebody opens it.

use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeChange, TreeChangeKind, TreeEntry, TreeListing};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::substrate::{ArtifactDigest, ManifestDigest};

use super::entries::read_path;
use crate::digests::of_tree;
use crate::state::Substrate;

/// Entries that are read at once; those of a folder among them are one line.
const READ_AT_ONCE: usize = 200;

/// A path of a manifest, and what it names.
#[derive(Clone, PartialEq, Debug)]
pub struct BrowsedEntry {
    /// That of a folder ends with a slash.
    pub path: String,
    pub target: BrowsedTarget,
    pub media_type: Option<String>,
    pub metadata: Map<String, Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BrowsedTarget {
    /// Everything whose path begins so.
    Folder,
    Artifact {
        digest: ArtifactDigest,
        bytes: u64,
    },
    Manifest {
        digest: ManifestDigest,
        bytes: u64,
    },
}

/// A page of a folder.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BrowsedFolder {
    pub entries: Vec<BrowsedEntry>,
    /// There are more after the last one.
    pub has_more: bool,
}

/// A path in which two manifests differ.
#[derive(Clone, PartialEq, Debug)]
pub struct BrowsedChange {
    pub path: String,
    pub kind: TreeChangeKind,
    pub old: Option<BrowsedEntry>,
    pub new: Option<BrowsedEntry>,
}

impl BrowsedEntry {
    fn folder(path: String) -> Self {
        Self { path, target: BrowsedTarget::Folder, media_type: None, metadata: Map::new() }
    }

    fn of(path: &EntryPath, entry: &TreeEntry) -> Self {
        let (digest, bytes) = (of_tree(entry.digest), entry.bytes);
        let target = match entry.kind {
            EntryKind::Artifact => BrowsedTarget::Artifact { digest, bytes },
            EntryKind::Manifest => BrowsedTarget::Manifest { digest: ManifestDigest::new(digest), bytes },
        };
        Self {
            path: path.to_string(),
            target,
            media_type: Some(entry.media_type.to_string()).filter(|one| !one.is_empty()),
            metadata: serde_json::from_slice(&entry.metadata).unwrap_or_default(),
        }
    }

    /// The path to go on after.
    fn end(&self) -> Result<BrowsingEnd, Refusal> {
        BrowsingEnd::read(&self.path)
    }
}

/// The end of a page: at an entry, or behind a whole folder.
enum BrowsingEnd {
    Entry(EntryPath),
    Folder(EntryPath),
}

impl BrowsingEnd {
    fn read(path: &str) -> Result<Self, Refusal> {
        match path.strip_suffix('/') {
            Some(folder) => read_path(folder).map(BrowsingEnd::Folder),
            None => read_path(path).map(BrowsingEnd::Entry),
        }
    }
}

impl Substrate {
    /// A page of the entries of a folder, whose name ends with a slash, or is empty for the whole.
    pub async fn browse(
        &self,
        manifest: ManifestDigest,
        folder: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<BrowsedFolder, Refusal> {
        let root = self.manifest(manifest).await?.root;
        let mut end = after.map(BrowsingEnd::read).transpose()?;
        let mut shown = BrowsedFolder::default();
        while shown.entries.len() <= limit {
            let mut listing = listing(root, folder, end.as_ref());
            let page = self.drive(&mut listing, drop).await?;
            for (path, entry) in &page.entries {
                add(&mut shown.entries, folder, path, entry);
            }
            // A page may end within a folder, whose rest is not looked at.
            match shown.entries.last().filter(|_| page.has_more) {
                Some(last) => end = Some(last.end()?),
                None => break,
            }
        }
        shown.has_more = shown.entries.len() > limit;
        shown.entries.truncate(limit);
        Ok(shown)
    }

    /// A page of the changes from one manifest to another, and the path after which there are more. Without an old one, everything was added.
    pub async fn browse_changes(
        &self,
        old: Option<ManifestDigest>,
        new: ManifestDigest,
        after: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<BrowsedChange>, Option<String>), Refusal> {
        let old = match old {
            Some(old) => self.manifest(old).await?.root,
            None => self.empty.digest,
        };
        let new = self.manifest(new).await?.root;
        let after = after.map(read_path).transpose()?;
        let (changes, resume_after) = self.changes((old, new), after, limit).await?;
        Ok((changes.iter().map(browsed).collect(), resume_after.map(|path| path.to_string())))
    }
}

fn listing(root: BlobDigest, folder: &str, end: Option<&BrowsingEnd>) -> TreeListing {
    match end {
        None => TreeListing::new(root, folder, None, READ_AT_ONCE),
        Some(BrowsingEnd::Entry(path)) => TreeListing::new(root, folder, Some(path.clone()), READ_AT_ONCE),
        Some(BrowsingEnd::Folder(path)) => TreeListing::after_folder(root, folder, path, READ_AT_ONCE),
    }
}

/// Adds an entry, or the folder that it lies in, once.
fn add(entries: &mut Vec<BrowsedEntry>, folder: &str, path: &EntryPath, entry: &TreeEntry) {
    let whole = path.as_str();
    let within = whole.strip_prefix(folder).unwrap_or(whole);
    match within.find('/') {
        None => entries.push(BrowsedEntry::of(path, entry)),
        Some(slash) => {
            let inner = &whole[..whole.len() - within.len() + slash + 1];
            if entries.last().is_none_or(|last| last.path != inner) {
                entries.push(BrowsedEntry::folder(inner.to_owned()));
            }
        }
    }
}

fn browsed(change: &TreeChange) -> BrowsedChange {
    let side = |entry: &Option<TreeEntry>| entry.as_ref().map(|entry| BrowsedEntry::of(&change.path, entry));
    BrowsedChange {
        path: change.path.to_string(),
        kind: change.kind(),
        old: side(&change.old),
        new: side(&change.new),
    }
}
