//! Proofs that a path is in a tree, with its entry, or is not: the nodes on the way to it. Whoever has the root's digest checks one
//! without the tree.

use std::sync::Arc;

use crate::digest::BlobDigest;
use crate::entry::TreeEntry;
use crate::error::TreeError;
use crate::operation::{NodeInbox, TreeOperation, TreeProgress};
use crate::path::EntryPath;
use crate::subtree::Subtree;

/// The nodes from the root to the leaf that has a path, or would have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathProof {
    pub nodes: Vec<Arc<[u8]>>,
}

/// Collects a proof for a path. The outcome also has the entry, if there is one.
pub struct TreeProving {
    inbox: NodeInbox,
    path: EntryPath,
    next: Subtree,
    nodes: Vec<Arc<[u8]>>,
}

/// The reason why a proof proves nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProofError {
    #[error("the proof ends before the leaf")]
    TooShort,
    #[error("the proof goes on after the leaf")]
    TooLong,
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl TreeProving {
    pub fn new(root: BlobDigest, path: EntryPath) -> TreeProving {
        TreeProving { inbox: NodeInbox::default(), path, next: Subtree::root(root), nodes: Vec::new() }
    }
}

impl TreeOperation for TreeProving {
    type Page = PathProof;
    type Outcome = (PathProof, Option<TreeEntry>);

    fn advance(&mut self) -> Result<TreeProgress<PathProof, Self::Outcome>, TreeError> {
        while let Some(raw) = self.inbox.take(&self.next.digest) {
            let node = self.next.open(&raw)?;
            self.nodes.push(raw);
            let at = node.covering(self.path.as_str());
            if node.level() == 0 {
                let is_there = node.len() > 0 && node.path(at) == self.path.as_str();
                let entry = is_there.then(|| node.entry(at).to_entry());
                return Ok(TreeProgress::Done((PathProof { nodes: std::mem::take(&mut self.nodes) }, entry)));
            }
            self.next = self.next.children(&node).swap_remove(at);
        }
        Ok(TreeProgress::Need(self.inbox.missing([self.next.digest].iter())))
    }

    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        self.inbox.put(digest, bytes)
    }
}

impl PathProof {
    /// Checks the proof against the digest of a root. Returns the entry at `path`; none proves that the path is not there.
    pub fn verify(&self, root: BlobDigest, path: &EntryPath) -> Result<Option<TreeEntry>, ProofError> {
        let mut proving = TreeProving::new(root, path.clone());
        let mut nodes = self.nodes.iter();
        loop {
            match proving.advance()? {
                TreeProgress::Need(digests) => {
                    for digest in digests {
                        let node = nodes.next().ok_or(ProofError::TooShort)?;
                        proving.supply(digest, Arc::clone(node))?;
                    }
                }
                TreeProgress::Page(_) => {}
                TreeProgress::Done((_, entry)) => {
                    return if nodes.next().is_none() { Ok(entry) } else { Err(ProofError::TooLong) };
                }
            }
        }
    }
}
