//! Everything that is reachable from some roots: the nodes themselves and the blobs that entries name. Work is the number of distinct
//! nodes; a node that the caller knows is passed over with all below it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::digest::BlobDigest;
use crate::entry::EntryKind;
use crate::error::TreeError;
use crate::operation::{NODES_AT_ONCE, NodeInbox, TreeOperation, TreeProgress};
use crate::subtree::Subtree;

/// Goes through trees. A caller that knows a node it is asked for calls `pass_over` in place of `supply`.
pub struct TreeWalk {
    inbox: NodeInbox,
    /// Subtrees to be asked for, and those that were.
    pending: Vec<Subtree>,
    asked: Vec<Subtree>,
    met: HashSet<BlobDigest>,
}

/// The digests of some nodes, and of the blobs that their entries name. A blob may come more than once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReachedBlobs {
    pub nodes: Vec<BlobDigest>,
    pub artifacts: Vec<BlobDigest>,
    pub manifests: Vec<BlobDigest>,
}

impl TreeWalk {
    pub fn new(roots: impl IntoIterator<Item = BlobDigest>) -> TreeWalk {
        let pending = roots.into_iter().map(Subtree::root).collect();
        TreeWalk { inbox: NodeInbox::default(), pending, asked: Vec::new(), met: HashSet::new() }
    }

    /// Leaves out a node that was asked for, and everything below it.
    pub fn pass_over(&mut self, digest: &BlobDigest) {
        self.asked.retain(|subtree| subtree.digest != *digest);
    }

    /// Moves the next subtrees that were not met before from `pending` to `asked`.
    fn ask(&mut self) {
        while self.asked.len() < NODES_AT_ONCE
            && let Some(subtree) = self.pending.pop()
        {
            if self.met.insert(subtree.digest) {
                self.asked.push(subtree);
            }
        }
    }

    fn reach(&mut self) -> Result<ReachedBlobs, TreeError> {
        let mut reached = ReachedBlobs::default();
        for subtree in std::mem::take(&mut self.asked) {
            let raw = self.inbox.take_once(&subtree.digest)?;
            let node = subtree.open(&raw)?;
            reached.nodes.push(subtree.digest);
            if node.level() > 0 {
                self.pending.extend(subtree.children(&node).into_iter().rev());
                continue;
            }
            for index in 0..node.len() {
                let entry = node.entry(index);
                match entry.kind {
                    EntryKind::Artifact => reached.artifacts.push(entry.digest),
                    EntryKind::Manifest => reached.manifests.push(entry.digest),
                }
            }
        }
        Ok(reached)
    }
}

impl TreeOperation for TreeWalk {
    type Page = ReachedBlobs;
    type Outcome = ();

    fn advance(&mut self) -> Result<TreeProgress<ReachedBlobs, ()>, TreeError> {
        if self.asked.is_empty() {
            self.ask();
        }
        if self.asked.is_empty() {
            return Ok(TreeProgress::Done(()));
        }
        let missing = self.inbox.missing(self.asked.iter().map(|subtree| &subtree.digest));
        if missing.is_empty() {
            self.reach().map(TreeProgress::Page)
        } else {
            Ok(TreeProgress::Need(missing))
        }
    }

    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        self.inbox.put(digest, bytes)
    }
}
