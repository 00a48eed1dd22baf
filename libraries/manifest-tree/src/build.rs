//! Makes a tree of entries that come in order. Memory does not grow with their number: nodes are taken out as they end.

use crate::digest::BlobDigest;
use crate::entry::{EntryView, TreeEntry};
use crate::error::TreeError;
use crate::memory::{DriveError, NodeSink};
use crate::path::EntryPath;
use crate::writer::{ChildRef, NewNode, NodeWriter};

/// A tree as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeRoot {
    /// The root node: equal for equal sets of entries.
    pub digest: BlobDigest,
    /// The number of entries.
    pub count: u64,
    /// The sum of the sizes of all entries.
    pub bytes: u64,
    /// The number of levels.
    pub height: u8,
}

/// Makes a tree of entries that come in order.
pub struct TreeBuilder {
    levels: Vec<BuilderLevel>,
    nodes: Vec<NewNode>,
}

struct BuilderLevel {
    writer: NodeWriter,
    /// A node of this level has ended.
    has_nodes: bool,
    /// The child that was written last.
    last: Option<ChildRef>,
}

impl Default for TreeBuilder {
    fn default() -> TreeBuilder {
        TreeBuilder { levels: vec![BuilderLevel::new(0)], nodes: Vec::new() }
    }
}

impl TreeBuilder {
    /// Adds the next entry. Its path comes after all others, as `EntryPath` orders them.
    pub fn push(&mut self, path: &EntryPath, entry: &TreeEntry) -> Result<(), TreeError> {
        self.push_view(path.as_str(), &entry.view())
    }

    /// The nodes that ended since the last call, children before their parents.
    pub fn take_nodes(&mut self) -> Vec<NewNode> {
        std::mem::take(&mut self.nodes)
    }

    /// Ends the tree. The last nodes are among those that `take_nodes` gives after it.
    pub fn finish(&mut self) -> Result<TreeRoot, TreeError> {
        let mut level = 0;
        loop {
            let top = &mut self.levels[level];
            // A level of one node needs no parent.
            if level > 0 && !top.has_nodes && top.writer.items() == 1 {
                let child = top.last.take().expect("the level has an item");
                return Ok(root_of(&child, level as u8));
            }
            if top.writer.items() > 0 || (level == 0 && !top.has_nodes) {
                let is_only = !top.has_nodes;
                let (node, child) = top.writer.finish();
                self.nodes.push(node);
                if is_only {
                    return Ok(root_of(&child, level as u8 + 1));
                }
                self.push_child(level + 1, child)?;
            }
            level += 1;
        }
    }

    pub(crate) fn push_view(&mut self, path: &str, entry: &EntryView<'_>) -> Result<(), TreeError> {
        let leaves = &mut self.levels[0];
        if let Some((node, child)) = leaves.writer.entry(path, entry)? {
            leaves.has_nodes = true;
            self.nodes.push(node);
            self.push_child(1, child)?;
        }
        Ok(())
    }

    fn push_child(&mut self, mut level: usize, mut child: ChildRef) -> Result<(), TreeError> {
        loop {
            if self.levels.len() == level {
                self.levels.push(BuilderLevel::new(level as u8));
            }
            let parents = &mut self.levels[level];
            let ended = parents.writer.child(&child)?;
            parents.last = Some(child);
            let Some((node, next)) = ended else { return Ok(()) };
            parents.has_nodes = true;
            self.nodes.push(node);
            (level, child) = (level + 1, next);
        }
    }
}

impl BuilderLevel {
    fn new(level: u8) -> BuilderLevel {
        BuilderLevel { writer: NodeWriter::new(level), has_nodes: false, last: None }
    }
}

pub(crate) fn root_of(child: &ChildRef, height: u8) -> TreeRoot {
    TreeRoot { digest: child.digest, count: child.count, bytes: child.bytes, height }
}

/// Makes a tree of entries that come in order, and gives its nodes to `sink`.
pub fn build_sorted<S: NodeSink>(
    entries: impl IntoIterator<Item = (EntryPath, TreeEntry)>,
    sink: &mut S,
) -> Result<TreeRoot, DriveError<S::Error>> {
    let mut builder = TreeBuilder::default();
    for (path, entry) in entries {
        builder.push(&path, &entry)?;
        builder.nodes.drain(..).try_for_each(|node| sink.put(node)).map_err(DriveError::Nodes)?;
    }
    let root = builder.finish()?;
    builder.take_nodes().into_iter().try_for_each(|node| sink.put(node)).map_err(DriveError::Nodes)?;
    Ok(root)
}

/// Makes a tree of entries in any order, and gives its nodes to `sink`. A path that comes twice is refused.
pub fn build<S: NodeSink>(
    mut entries: Vec<(EntryPath, TreeEntry)>,
    sink: &mut S,
) -> Result<TreeRoot, DriveError<S::Error>> {
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    build_sorted(entries, sink)
}
