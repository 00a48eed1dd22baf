//! Operations that read nodes without knowing where nodes are. An operation names the nodes that it needs, all it can name at a time,
//! and its caller supplies them from wherever they are, waiting as it likes.
//!
//! ```text
//! loop {
//!     match operation.advance()? {
//!         TreeProgress::Need(digests) => for each: operation.supply(digest, bytes)?,
//!         TreeProgress::Page(page) => …,
//!         TreeProgress::Done(outcome) => break outcome,
//!     }
//! }
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::digest::BlobDigest;
use crate::error::{NodeFault, TreeError};

/// The most nodes that an operation over long stretches of a tree asks for at a time.
pub const NODES_AT_ONCE: usize = 64;

/// How far an operation came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TreeProgress<P, O> {
    /// It goes on when these nodes are supplied.
    Need(Vec<BlobDigest>),
    /// A part of the result.
    Page(P),
    /// The end. An operation is not advanced after it.
    Done(O),
}

/// An operation that asks for nodes.
pub trait TreeOperation {
    type Page;
    type Outcome;

    /// Goes on as far as the nodes that were supplied allow.
    fn advance(&mut self) -> Result<TreeProgress<Self::Page, Self::Outcome>, TreeError>;

    /// Supplies a node that was asked for. The bytes are compared with the digest.
    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError>;
}

/// The nodes that an operation asked for, and those that were supplied and not used yet.
#[derive(Default)]
pub(crate) struct NodeInbox {
    asked: HashSet<BlobDigest>,
    nodes: HashMap<BlobDigest, Arc<[u8]>>,
}

impl NodeInbox {
    /// Takes a node in, if it was asked for.
    pub(crate) fn put(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        if !self.asked.contains(&digest) {
            return Ok(());
        }
        if BlobDigest::of(&bytes) != digest {
            return Err(TreeError::OtherBytes { digest });
        }
        self.asked.remove(&digest);
        self.nodes.insert(digest, bytes);
        Ok(())
    }

    pub(crate) fn take(&mut self, digest: &BlobDigest) -> Option<Arc<[u8]>> {
        self.nodes.remove(digest)
    }

    /// Takes a node that is known to be there. Only a tree that has it in two places, which no good tree does, asks for it twice.
    pub(crate) fn take_once(&mut self, digest: &BlobDigest) -> Result<Arc<[u8]>, TreeError> {
        self.take(digest).ok_or(TreeError::Damaged { digest: *digest, fault: NodeFault::Twice })
    }

    /// Puts back a node that was taken.
    pub(crate) fn put_back(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) {
        self.nodes.insert(digest, bytes);
    }

    /// Those of `digests` that are not there; they are asked for now.
    pub(crate) fn missing<'a>(&mut self, digests: impl Iterator<Item = &'a BlobDigest>) -> Vec<BlobDigest> {
        let missing: Vec<BlobDigest> =
            digests.filter(|digest| !self.nodes.contains_key(digest)).copied().collect();
        self.asked.extend(&missing);
        missing
    }
}
