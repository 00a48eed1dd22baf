//! Sets of entries, and operations on them run to their ends.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use manifest_tree::{
    BlobDigest, DriveError, EditOutcome, EntryKind, EntryPath, MemoryNodes, NoSuchNode, NodeSink, NodeSource,
    TreeChange, TreeDiff, TreeEdit, TreeEditing, TreeEntry, TreeError, TreeRoot, build, drive,
};

pub(crate) type EntrySet = BTreeMap<EntryPath, TreeEntry>;

/// Nodes that count how often they are read.
#[derive(Default)]
pub(crate) struct CountedNodes {
    pub(crate) nodes: MemoryNodes,
    pub(crate) reads: Cell<usize>,
}

impl NodeSource for CountedNodes {
    type Error = NoSuchNode;

    fn node(&self, digest: &BlobDigest) -> Result<Arc<[u8]>, NoSuchNode> {
        self.reads.set(self.reads.get() + 1);
        self.nodes.node(digest)
    }
}

pub(crate) fn path(text: &str) -> EntryPath {
    EntryPath::new(text).expect("a good path")
}

/// An entry whose content is told by a number.
pub(crate) fn entry(number: u64) -> TreeEntry {
    TreeEntry {
        kind: if number.is_multiple_of(17) { EntryKind::Manifest } else { EntryKind::Artifact },
        digest: BlobDigest::of(&number.to_le_bytes()),
        bytes: number.wrapping_mul(37) % 100_000,
        media_type: if number.is_multiple_of(5) { "text/plain".into() } else { "application/json".into() },
        metadata: if number.is_multiple_of(7) { Arc::from(&b"{\"a\":1}"[..]) } else { Arc::from(&b""[..]) },
    }
}

/// A set of `count` entries in folders of a hundred.
pub(crate) fn regular(count: u64) -> EntrySet {
    (0..count).map(|number| (path(&regular_path(number)), entry(number))).collect()
}

pub(crate) fn regular_path(number: u64) -> String {
    format!("data/{:04}/file-{:06}.json", number / 100, number)
}

pub(crate) fn built(set: &EntrySet, nodes: &mut MemoryNodes) -> TreeRoot {
    let entries = set.iter().map(|(path, entry)| (path.clone(), entry.clone())).collect();
    build(entries, nodes).expect("a good set")
}

pub(crate) fn put(path: &EntryPath, entry: TreeEntry) -> TreeEdit {
    TreeEdit { path: path.clone(), entry: Some(entry) }
}

pub(crate) fn removal(path: &EntryPath) -> TreeEdit {
    TreeEdit { path: path.clone(), entry: None }
}

pub(crate) fn try_edit(
    root: BlobDigest,
    edits: Vec<TreeEdit>,
    nodes: &mut MemoryNodes,
) -> Result<EditOutcome, TreeError> {
    let mut editing = TreeEditing::new(root, edits)?;
    let mut new = Vec::new();
    let outcome = drive(&mut editing, nodes, |page| new.extend(page)).map_err(|error| match error {
        DriveError::Tree(error) => error,
        DriveError::Nodes(error) => panic!("{error}"),
    })?;
    for node in new {
        nodes.put(node).unwrap();
    }
    Ok(outcome)
}

pub(crate) fn edit(root: BlobDigest, edits: Vec<TreeEdit>, nodes: &mut MemoryNodes) -> EditOutcome {
    try_edit(root, edits, nodes).expect("good edits")
}

pub(crate) fn diff<S: NodeSource<Error = NoSuchNode>>(
    old: BlobDigest,
    new: BlobDigest,
    nodes: &S,
) -> Vec<TreeChange> {
    let mut changes = Vec::new();
    drive(&mut TreeDiff::new(old, new), nodes, |page| changes.extend(page)).expect("trees compare");
    changes
}

/// The changes between two sets.
pub(crate) fn expected_changes(old: &EntrySet, new: &EntrySet) -> Vec<TreeChange> {
    let mut paths: Vec<&EntryPath> = old.keys().chain(new.keys()).collect();
    paths.sort();
    paths.dedup();
    let change = |path: &EntryPath| TreeChange {
        path: path.clone(),
        old: old.get(path).cloned(),
        new: new.get(path).cloned(),
    };
    paths.into_iter().map(change).filter(|change| change.old != change.new).collect()
}

/// Applies edits to a set.
pub(crate) fn applied(set: &EntrySet, edits: &[TreeEdit]) -> EntrySet {
    let mut set = set.clone();
    for edit in edits {
        match &edit.entry {
            Some(entry) => set.insert(edit.path.clone(), entry.clone()),
            None => set.remove(&edit.path),
        };
    }
    set
}
