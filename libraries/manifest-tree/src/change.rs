//! A difference between two trees, and a change of one.

use crate::entry::TreeEntry;
use crate::path::EntryPath;

/// A path whose entries differ. At least one of them is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeChange {
    pub path: EntryPath,
    pub old: Option<TreeEntry>,
    pub new: Option<TreeEntry>,
}

/// The kinds of differences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeChangeKind {
    Added,
    Removed,
    /// The path names another blob.
    Content,
    /// The path names the same blob, with another media type or other metadata.
    Metadata,
}

/// A change to be made at one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeEdit {
    pub path: EntryPath,
    /// The entry that the path has from now on; none removes the path.
    pub entry: Option<TreeEntry>,
}

impl TreeChange {
    pub fn kind(&self) -> TreeChangeKind {
        match (&self.old, &self.new) {
            (None, _) => TreeChangeKind::Added,
            (_, None) => TreeChangeKind::Removed,
            (Some(old), Some(new)) => {
                let blob = |entry: &TreeEntry| (entry.kind, entry.digest, entry.bytes);
                if blob(old) == blob(new) { TreeChangeKind::Metadata } else { TreeChangeKind::Content }
            }
        }
    }
}
