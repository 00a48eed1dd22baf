//! Marks everything that the roots reach. A node that is marked is passed over with all below it, so the work is the number of nodes
//! that no earlier tree of the generation had.

use std::collections::HashSet;

use manifest_tree::{BlobDigest, ReachedBlobs, TreeOperation as _, TreeProgress, TreeWalk};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, Refusal};
use toolgate_store::{CollectionTurn, MarkKind, MarkedNode, RootManifest};

use crate::digests::{for_tree, of_tree};
use crate::refusal;
use crate::state::Substrate;

/// Roots that are read with one statement.
const ROOTS_AT_ONCE: u16 = 256;

impl Substrate {
    /// Marks what every root reaches that is not marked, and says so when it is done.
    pub(super) async fn mark_roots(&self, turn: &CollectionTurn) -> Result<(), Refusal> {
        loop {
            let roots = self.store.unmarked_roots(turn, ROOTS_AT_ONCE).await.map_err(refusal::down)?;
            if roots.is_empty() {
                break;
            }
            self.mark_all(turn, roots).await?;
        }
        self.store.end_marking(turn).await.map_err(refusal::down)?;
        Ok(())
    }

    /// Marks these manifests and those that their entries name, and so on.
    async fn mark_all(&self, turn: &CollectionTurn, roots: Vec<RootManifest>) -> Result<(), Refusal> {
        let mut met: HashSet<ManifestDigest> = roots.iter().map(|root| root.manifest).collect();
        let mut waiting = roots;
        while let Some(RootManifest { manifest, tree }) = waiting.pop() {
            self.keep_turn(turn).await?;
            let mut named = self.mark_tree(turn, tree).await?;
            named.retain(|one| met.insert(*one));
            waiting.extend(self.trees_of(&named).await?);
            self.mark_some(turn, MarkKind::Manifest, [manifest.digest()]).await?;
        }
        Ok(())
    }

    async fn trees_of(&self, manifests: &[ManifestDigest]) -> Result<Vec<RootManifest>, Refusal> {
        let stored = self.store.manifests(manifests).await.map_err(refusal::down)?;
        if let Some(missing) = manifests.iter().find(|one| !stored.iter().any(|row| row.digest == **one)) {
            // Nothing is removed from a store that is not whole.
            return Err(refusal::damaged(format!(
                "the manifest {missing}, which another one names, is missing"
            )));
        }
        Ok(stored.iter().map(|row| RootManifest { manifest: row.digest, tree: row.root }).collect())
    }

    /// Marks the nodes and artifacts of a tree, and returns the manifests that its entries name.
    async fn mark_tree(&self, turn: &CollectionTurn, tree: Digest) -> Result<Vec<ManifestDigest>, Refusal> {
        let mut walk = TreeWalk::new([for_tree(tree)]);
        let mut named = Vec::new();
        loop {
            match walk.advance().map_err(refusal::tree)? {
                TreeProgress::Need(digests) => self.supply_unmarked(turn, &mut walk, &digests).await?,
                TreeProgress::Page(reached) => {
                    // A large tree takes longer than a turn lasts by itself.
                    self.keep_turn(turn).await?;
                    named.extend(self.mark_reached(turn, reached).await?);
                }
                TreeProgress::Done(()) => return Ok(named),
            }
        }
    }

    async fn supply_unmarked(
        &self,
        turn: &CollectionTurn,
        walk: &mut TreeWalk,
        needed: &[BlobDigest],
    ) -> Result<(), Refusal> {
        let digests: Vec<Digest> = needed.iter().copied().map(of_tree).collect();
        let nodes = self.store.nodes_to_mark(turn, &digests).await.map_err(refusal::down)?;
        for (digest, node) in needed.iter().zip(nodes) {
            match node {
                MarkedNode::Marked => walk.pass_over(digest),
                MarkedNode::Unmarked(bytes) => walk.supply(*digest, bytes.into()).map_err(refusal::tree)?,
                // The tree without entries need not be stored.
                MarkedNode::Missing if *digest == self.empty.digest => {
                    walk.supply(*digest, self.empty.bytes.clone()).map_err(refusal::tree)?;
                }
                MarkedNode::Missing => return Err(refusal::missing_node(*digest)),
            }
        }
        Ok(())
    }

    async fn mark_reached(
        &self,
        turn: &CollectionTurn,
        reached: ReachedBlobs,
    ) -> Result<Vec<ManifestDigest>, Refusal> {
        self.mark_some(turn, MarkKind::Node, reached.nodes.into_iter().map(of_tree)).await?;
        self.mark_some(turn, MarkKind::Artifact, reached.artifacts.into_iter().map(of_tree)).await?;
        Ok(reached.manifests.into_iter().map(|one| ManifestDigest::new(of_tree(one))).collect())
    }

    async fn mark_some(
        &self,
        turn: &CollectionTurn,
        kind: MarkKind,
        digests: impl IntoIterator<Item = Digest>,
    ) -> Result<(), Refusal> {
        let digests: Vec<Digest> = digests.into_iter().collect();
        self.store.mark(turn, kind, digests).await.map_err(refusal::down)
    }
}
