//! Tree operations over nodes in the store: those that an operation needs at a time are read with one statement for many.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use manifest_tree::{
    BlobDigest, EntryPath, NewNode, TreeBuilder, TreeEntry, TreeOperation, TreeProgress, TreeRoot,
};
use toolgate_core::{Digest, Refusal};

use crate::digests::of_tree;
use crate::limits::NODES_WRITTEN_AT_ONCE;
use crate::refusal;
use crate::state::Substrate;

/// A part of the result of an operation, or its end.
pub(crate) enum TreeStep<P, O> {
    Page(P),
    Done(O),
}

impl Substrate {
    /// Goes on with an operation to its next page or to its end.
    pub(crate) async fn step<O>(&self, operation: &mut O) -> Result<TreeStep<O::Page, O::Outcome>, Refusal>
    where
        O: TreeOperation + Send,
        O::Page: Send,
        O::Outcome: Send,
    {
        loop {
            let needed = match operation.advance().map_err(refusal::tree)? {
                TreeProgress::Need(digests) => digests,
                TreeProgress::Page(page) => return Ok(TreeStep::Page(page)),
                TreeProgress::Done(outcome) => return Ok(TreeStep::Done(outcome)),
            };
            self.supply(operation, needed).await?;
        }
    }

    /// Runs an operation to its end. Each page goes to `page`.
    pub(crate) async fn drive<O>(
        &self,
        operation: &mut O,
        mut page: impl FnMut(O::Page) + Send,
    ) -> Result<O::Outcome, Refusal>
    where
        O: TreeOperation + Send,
        O::Page: Send,
        O::Outcome: Send,
    {
        loop {
            match self.step(operation).await? {
                TreeStep::Page(one) => page(one),
                TreeStep::Done(outcome) => return Ok(outcome),
            }
        }
    }

    async fn supply<O: TreeOperation + Send>(
        &self,
        operation: &mut O,
        mut needed: Vec<BlobDigest>,
    ) -> Result<(), Refusal> {
        needed.sort_unstable();
        needed.dedup();
        let mut missing = Vec::new();
        for digest in needed {
            match self.at_hand(&digest) {
                Some(bytes) => operation.supply(digest, bytes).map_err(refusal::tree)?,
                None => missing.push(digest),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.nodes_read.fetch_add(missing.len() as u64, Ordering::Relaxed);
        let digests: Vec<Digest> = missing.iter().copied().map(of_tree).collect();
        let found = self.store.tree_nodes(&digests).await.map_err(refusal::down)?;
        for (digest, bytes) in missing.into_iter().zip(found) {
            let bytes: Arc<[u8]> = bytes.ok_or_else(|| refusal::missing_node(digest))?.into();
            // Compares the bytes with the digest, so only good ones are kept in memory.
            operation.supply(digest, Arc::clone(&bytes)).map_err(refusal::tree)?;
            self.cache.put(digest, bytes);
        }
        Ok(())
    }

    fn at_hand(&self, digest: &BlobDigest) -> Option<Arc<[u8]>> {
        if *digest == self.empty.digest {
            return Some(Arc::clone(&self.empty.bytes));
        }
        self.cache.get(digest)
    }

    /// Stores new nodes, children before their parents.
    pub(crate) async fn keep_nodes(&self, nodes: Vec<NewNode>) -> Result<(), Refusal> {
        let rows: Vec<(Digest, &[u8])> =
            nodes.iter().map(|node| (of_tree(node.digest), &node.bytes[..])).collect();
        self.store.put_tree_nodes(&rows, self.clock.now_ms()).await.map_err(refusal::down)?;
        for node in nodes {
            self.cache.put(node.digest, node.bytes);
        }
        Ok(())
    }

    /// Stores the tree of entries that come in the order of their paths. Memory does not grow with their number.
    pub async fn store_tree(
        &self,
        entries: impl IntoIterator<Item = (EntryPath, TreeEntry), IntoIter: Send> + Send,
    ) -> Result<TreeRoot, Refusal> {
        let mut builder = TreeBuilder::default();
        let mut ready = Vec::new();
        for (path, entry) in entries {
            builder.push(&path, &entry).map_err(refusal::tree)?;
            ready.extend(builder.take_nodes());
            if ready.len() >= NODES_WRITTEN_AT_ONCE {
                self.keep_nodes(std::mem::take(&mut ready)).await?;
            }
        }
        let root = builder.finish().map_err(refusal::tree)?;
        ready.extend(builder.take_nodes());
        self.keep_nodes(ready).await?;
        Ok(root)
    }

    /// The number of nodes that were read from the store since the start, for measurements.
    pub fn nodes_read(&self) -> u64 {
        self.nodes_read.load(Ordering::Relaxed)
    }

    /// Forgets the nodes in memory, for measurements.
    pub fn forget_nodes(&self) {
        self.cache.clear();
    }
}
