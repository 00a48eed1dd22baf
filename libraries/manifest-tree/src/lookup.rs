//! Looks up paths, many at a time: each level of the tree is asked for at once.

use std::ops::Range;
use std::sync::Arc;

use crate::digest::BlobDigest;
use crate::entry::TreeEntry;
use crate::error::TreeError;
use crate::node::Node;
use crate::operation::{NodeInbox, TreeOperation, TreeProgress};
use crate::path::EntryPath;
use crate::subtree::Subtree;

/// Looks up paths. The outcome has each path once, in order, with its entry if there is one.
pub struct TreeLookup {
    inbox: NodeInbox,
    paths: Vec<EntryPath>,
    /// Subtrees with the paths to be looked up in them.
    pending: Vec<(Subtree, Range<usize>)>,
    entries: Vec<Option<TreeEntry>>,
}

impl TreeLookup {
    pub fn new(root: BlobDigest, mut paths: Vec<EntryPath>) -> TreeLookup {
        paths.sort();
        paths.dedup();
        let pending = if paths.is_empty() { Vec::new() } else { vec![(Subtree::root(root), 0..paths.len())] };
        let entries = vec![None; paths.len()];
        TreeLookup { inbox: NodeInbox::default(), paths, pending, entries }
    }

    /// Goes down one level with the paths of `range`.
    fn descend(&mut self, subtree: &Subtree, node: &Node, range: Range<usize>) {
        if node.level() == 0 {
            for index in range {
                let path = self.paths[index].as_str();
                let at = node.covering(path);
                let is_there = node.len() > 0 && node.path(at) == path;
                self.entries[index] = is_there.then(|| node.entry(at).to_entry());
            }
            return;
        }
        let mut start = range.start;
        for child in subtree.children(node) {
            let within = self.paths[start..range.end]
                .partition_point(|path| child.upper().is_none_or(|upper| path < upper));
            if within > 0 {
                self.pending.push((child, start..start + within));
            }
            start += within;
        }
    }
}

impl TreeOperation for TreeLookup {
    type Page = Vec<(EntryPath, Option<TreeEntry>)>;
    type Outcome = Vec<(EntryPath, Option<TreeEntry>)>;

    fn advance(&mut self) -> Result<TreeProgress<Self::Page, Self::Outcome>, TreeError> {
        while !self.pending.is_empty() {
            let missing = self.inbox.missing(self.pending.iter().map(|(subtree, _)| &subtree.digest));
            if !missing.is_empty() {
                return Ok(TreeProgress::Need(missing));
            }
            for (subtree, range) in std::mem::take(&mut self.pending) {
                let raw = self.inbox.take_once(&subtree.digest)?;
                let node = subtree.open(&raw)?;
                self.descend(&subtree, &node, range);
            }
        }
        let paths = std::mem::take(&mut self.paths);
        Ok(TreeProgress::Done(paths.into_iter().zip(std::mem::take(&mut self.entries)).collect()))
    }

    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        self.inbox.put(digest, bytes)
    }
}
