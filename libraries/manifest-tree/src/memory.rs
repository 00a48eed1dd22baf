//! Runs operations to their end where nodes are at hand: in memory, or behind calls that wait.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use crate::digest::BlobDigest;
use crate::error::TreeError;
use crate::operation::{TreeOperation, TreeProgress};
use crate::writer::NewNode;

/// A place that has nodes.
pub trait NodeSource {
    type Error;

    fn node(&self, digest: &BlobDigest) -> Result<Arc<[u8]>, Self::Error>;
}

/// A place that takes nodes.
pub trait NodeSink {
    type Error;

    fn put(&mut self, node: NewNode) -> Result<(), Self::Error>;
}

/// The error of an operation or of the place that has the nodes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DriveError<E> {
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("a node cannot be had or kept")]
    Nodes(#[source] E),
}

/// Runs an operation to its end. Each page goes to `page`.
pub fn drive<O: TreeOperation, S: NodeSource>(
    operation: &mut O,
    source: &S,
    mut page: impl FnMut(O::Page),
) -> Result<O::Outcome, DriveError<S::Error>> {
    loop {
        match operation.advance()? {
            TreeProgress::Need(digests) => {
                for digest in digests {
                    let bytes = source.node(&digest).map_err(DriveError::Nodes)?;
                    operation.supply(digest, bytes)?;
                }
            }
            TreeProgress::Page(one) => page(one),
            TreeProgress::Done(outcome) => return Ok(outcome),
        }
    }
}

/// Nodes in memory.
#[derive(Clone, Default)]
pub struct MemoryNodes {
    nodes: HashMap<BlobDigest, Arc<[u8]>>,
}

/// The error for a node that is not in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no node {0}")]
pub struct NoSuchNode(pub BlobDigest);

impl MemoryNodes {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The sizes of all nodes, in no order.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.nodes.values().map(|bytes| bytes.len())
    }
}

impl NodeSource for MemoryNodes {
    type Error = NoSuchNode;

    fn node(&self, digest: &BlobDigest) -> Result<Arc<[u8]>, NoSuchNode> {
        self.nodes.get(digest).cloned().ok_or(NoSuchNode(*digest))
    }
}

impl NodeSink for MemoryNodes {
    type Error = Infallible;

    fn put(&mut self, node: NewNode) -> Result<(), Infallible> {
        self.nodes.insert(node.digest, node.bytes);
        Ok(())
    }
}
