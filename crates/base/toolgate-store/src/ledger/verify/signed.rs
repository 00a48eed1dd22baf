//! A stream beside the checkpoints that were signed of it.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use toolgate_core::Digest;
use toolgate_proof::{GrowingTree, LedgerCheckpoint};

/// The sizes and roots that were signed of each stream.
pub(super) struct SignedStreams(BTreeMap<String, Vec<(u64, Digest)>>);

impl SignedStreams {
    pub(super) fn of(checkpoints: &[LedgerCheckpoint]) -> Self {
        let mut signed: BTreeMap<String, Vec<(u64, Digest)>> = BTreeMap::new();
        for tree in checkpoints.iter().flat_map(|checkpoint| &checkpoint.streams) {
            signed.entry(tree.stream.clone()).or_default().push((tree.size, tree.root));
        }
        for sizes in signed.values_mut() {
            sizes.sort_unstable();
            sizes.dedup();
        }
        Self(signed)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// True if the checkpoints cover all events of a stream, and perhaps more.
    pub(super) fn reach(&self, stream: &str, number: i64) -> bool {
        let last = self.0.get(stream).and_then(|sizes| sizes.last()).map_or(0, |(size, _)| *size);
        u64::try_from(number).is_ok_and(|number| number <= last)
    }

    /// For a stream from which the leaves of `removed` were removed: what was signed of fewer cannot be compared.
    pub(super) fn of_stream(&self, stream: &str, removed: GrowingTree) -> SignedSizes {
        let sizes = self.0.get(stream).cloned().unwrap_or_default();
        // A tree without leaves is always the same.
        let least = removed.size().max(1);
        let sizes: Vec<_> = sizes.into_iter().filter(|(size, _)| *size >= least).collect();
        SignedSizes { tree: removed, waiting: sizes.into_iter().peekable(), grows_on: false }
    }
}

/// The roots that one stream must have at some sizes.
pub(super) struct SignedSizes {
    tree: GrowingTree,
    waiting: Peekable<IntoIter<(u64, Digest)>>,
    /// True if the tree itself is wanted, whatever was signed.
    grows_on: bool,
}

impl SignedSizes {
    /// Nothing was signed, and the tree is wanted.
    pub(super) fn tree_after(removed: GrowingTree) -> Self {
        Self { tree: removed, waiting: Vec::new().into_iter().peekable(), grows_on: true }
    }

    pub(super) fn into_tree(self) -> GrowingTree {
        self.tree
    }

    /// False if the tree of what was removed was signed with another root.
    pub(super) fn begins_as_signed(&mut self) -> bool {
        self.is_as_signed()
    }

    /// Takes the next leaf. False if the tree is now of a size that was signed with another root.
    pub(super) fn take(&mut self, leaf: Digest) -> bool {
        if self.waiting.peek().is_none() && !self.grows_on {
            return true;
        }
        self.tree.push(leaf);
        self.is_as_signed()
    }

    fn is_as_signed(&mut self) -> bool {
        let size = self.tree.size();
        let mut is_signed = true;
        while let Some((_, root)) = self.waiting.next_if(|(signed, _)| *signed == size) {
            is_signed &= root == self.tree.root();
        }
        is_signed
    }

    /// True if a larger size was signed.
    pub(super) fn is_short(&mut self) -> bool {
        self.waiting.peek().is_some()
    }
}

#[cfg(test)]
mod tests {
    use toolgate_proof::{StreamRoot, tree};

    use super::*;

    fn checkpoint(leaves: &[Digest]) -> LedgerCheckpoint {
        let root = StreamRoot { stream: "one".into(), size: leaves.len() as u64, root: tree::root(leaves) };
        LedgerCheckpoint { store: String::new(), at_ms: 0, streams: vec![root] }
    }

    /// The number of the leaf with which something is wrong, and whether more was signed.
    fn judged(checkpoints: &[LedgerCheckpoint], leaves: &[Digest]) -> (Option<usize>, bool) {
        judged_after(0, checkpoints, leaves)
    }

    /// The same where the first leaves were removed.
    fn judged_after(
        removed: usize,
        checkpoints: &[LedgerCheckpoint],
        leaves: &[Digest],
    ) -> (Option<usize>, bool) {
        let mut before = GrowingTree::default();
        leaves[..removed].iter().for_each(|leaf| before.push(*leaf));
        let mut signed = SignedStreams::of(checkpoints).of_stream("one", before);
        if !signed.begins_as_signed() {
            return (Some(removed), signed.is_short());
        }
        let wrong = leaves[removed..].iter().position(|leaf| !signed.take(*leaf));
        (wrong.map(|at| removed + at + 1), signed.is_short())
    }

    #[test]
    fn sizes_from_the_removed_leaves_on_are_held_against_the_rest() {
        let leaves: Vec<Digest> = (0u8..9).map(|number| tree::leaf(&[number])).collect();
        let mut other = leaves.clone();
        other[1] = leaves[0];
        for removed in 0..=7 {
            assert_eq!(judged_after(removed, &[checkpoint(&leaves[..7])], &leaves), (None, false));
            let wrong = judged_after(removed, &[checkpoint(&other[..7])], &leaves);
            assert_eq!(wrong, (Some(7), false), "{removed}");
        }
        assert_eq!(judged_after(8, &[checkpoint(&other[..7])], &leaves), (None, false));
        assert_eq!(judged_after(4, &[checkpoint(&leaves[..7])], &leaves[..6]), (None, true));
    }

    #[test]
    fn every_signed_size_is_held_against_the_leaves() {
        let leaves: Vec<Digest> = (0u8..9).map(|number| tree::leaf(&[number])).collect();
        let signed = [7, 0, 3, 7].map(|size| checkpoint(&leaves[..size]));
        assert_eq!(judged(&signed, &leaves), (None, false));
        assert_eq!(judged(&signed, &leaves[..7]), (None, false));
        assert_eq!(judged(&signed, &leaves[..6]), (None, true));
        let mut other = leaves.clone();
        other[4] = leaves[0];
        assert_eq!(judged(&signed, &other), (Some(7), false));
        other[1] = leaves[0];
        assert_eq!(judged(&signed, &other), (Some(3), true));
        assert_eq!(judged(&[checkpoint(&leaves[..7]), checkpoint(&other[..7])], &leaves), (Some(7), false));
    }
}
