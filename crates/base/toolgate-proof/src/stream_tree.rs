//! The tree of a long stream, of which only the roots of whole blocks are kept.
//!
//! A block of 256 leaves is a subtree, so the root of the stream needs the roots of its blocks and the leaves
//! after the last whole one. A proof for a leaf needs the leaves of its own block as well.
//!
//! The first leaves may have been removed. Of them the roots of the largest complete subtrees are left, and that is enough:
//! what lies beside the way from a later leaf to the root, and has only removed leaves, is one of these subtrees, or is made
//! of them and of later leaves. Otherwise it would lie within a larger complete subtree of removed leaves, and so would the
//! leaf.

use std::collections::BTreeMap;
use std::ops::Range;

use toolgate_core::Digest;

use crate::{GrowingTree, tree};

/// The number of leaves in a block. It is a power of two.
pub const BLOCK: u64 = 256;

/// A tree as far as it is known.
#[derive(Clone, Default, Debug)]
pub struct StreamTree {
    /// The leaves that were removed.
    removed: GrowingTree,
    /// The roots of the whole blocks, from the first one on that was not removed as a whole.
    blocks: Vec<Digest>,
    /// The leaves after them, fewer than a block.
    tail: Vec<Digest>,
    /// The leaves of the blocks that were opened.
    opened: BTreeMap<u64, Vec<Digest>>,
}

impl StreamTree {
    /// A tree whose first leaves were removed.
    pub fn after(removed: GrowingTree) -> Self {
        Self { removed, ..Self::default() }
    }

    pub fn size(&self) -> u64 {
        self.tail_start() + self.tail.len() as u64
    }

    /// Adds a whole block. It has no place after a leaf that is in none.
    pub fn push_block(&mut self, root: Digest) -> bool {
        let fits = self.size().is_multiple_of(BLOCK);
        if fits {
            self.blocks.push(root);
        }
        fits
    }

    pub fn push_leaf(&mut self, leaf: Digest) {
        let start = self.tail_start();
        self.tail.push(leaf);
        let end = self.size();
        if end.is_multiple_of(BLOCK) {
            let root = self.root_among(end - BLOCK..end, start, &self.tail);
            self.blocks.push(root.expect("what was removed and the tail make the whole block"));
            self.tail.clear();
        }
    }

    /// Gives the leaves of a whole block, or those that were not removed. False if they are not its leaves.
    pub fn open_block(&mut self, block: u64, leaves: Vec<Digest>) -> bool {
        let (Some(root), start) = (self.block(block), self.first_kept(block)) else { return false };
        let range = block * BLOCK..(block + 1) * BLOCK;
        let are_its_own =
            leaves.len() as u64 == range.end - start && self.root_among(range, start, &leaves) == Some(root);
        if are_its_own {
            self.opened.insert(block, leaves);
        }
        are_its_own
    }

    pub fn root(&self) -> Digest {
        self.root_of(0..self.size()).expect("whole blocks and the tail make the whole tree")
    }

    /// The path of a leaf. None if there is no such leaf any more, or its block was not opened.
    pub fn inclusion(&self, index: u64) -> Option<Vec<Digest>> {
        let ranges = tree::inclusion_ranges(index, self.size()).filter(|_| index >= self.removed.size())?;
        ranges.into_iter().map(|range| self.root_of(range)).collect()
    }

    /// The path that proves that it begins with its first `old` leaves. None if it has fewer, or the last
    /// block of these was not opened.
    pub fn consistency(&self, old: u64) -> Option<Vec<Digest>> {
        let ranges = tree::consistency_ranges(old, self.size())?;
        ranges.into_iter().map(|range| self.root_of(range)).collect()
    }

    /// The root over a range that a tree has as a subtree.
    fn root_of(&self, range: Range<u64>) -> Option<Digest> {
        if let Some(peak) = self.removed.peak_over(&range) {
            return Some(peak);
        }
        let Range { start, end } = range;
        match end - start {
            0 => Some(tree::empty_root()),
            1 => self.leaf(start),
            BLOCK if start.is_multiple_of(BLOCK) && end <= self.tail_start() => self.block(start / BLOCK),
            size => {
                let middle = start + tree::left_size(size);
                Some(tree::node(self.root_of(start..middle)?, self.root_of(middle..end)?))
            }
        }
    }

    /// The same of removed leaves and these ones, of which the first is at `first`.
    fn root_among(&self, range: Range<u64>, first: u64, leaves: &[Digest]) -> Option<Digest> {
        if let Some(peak) = self.removed.peak_over(&range) {
            return Some(peak);
        }
        let Range { start, end } = range;
        if end - start == 1 {
            return leaves.get(usize::try_from(start.checked_sub(first)?).ok()?).copied();
        }
        let middle = start + tree::left_size(end - start);
        let left = self.root_among(start..middle, first, leaves)?;
        Some(tree::node(left, self.root_among(middle..end, first, leaves)?))
    }

    fn block(&self, block: u64) -> Option<Digest> {
        let place = block.checked_sub(self.removed.size() / BLOCK)?;
        self.blocks.get(usize::try_from(place).ok()?).copied()
    }

    fn leaf(&self, index: u64) -> Option<Digest> {
        let tail = self.tail_start();
        let (first, leaves) = if index >= tail {
            (tail, &self.tail)
        } else {
            (self.first_kept(index / BLOCK), self.opened.get(&(index / BLOCK))?)
        };
        leaves.get(usize::try_from(index.checked_sub(first)?).ok()?).copied()
    }

    /// The first leaf of a block that was not removed.
    fn first_kept(&self, block: u64) -> u64 {
        self.removed.size().max(block * BLOCK)
    }

    /// The first leaf that lies in no whole block.
    fn tail_start(&self) -> u64 {
        self.first_kept(self.removed.size() / BLOCK + self.blocks.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: u64) -> Vec<Digest> {
        (0..count).map(|number| tree::leaf(&number.to_le_bytes())).collect()
    }

    fn tree_of(leaves: &[Digest]) -> StreamTree {
        let mut tree = StreamTree::default();
        leaves.iter().for_each(|leaf| tree.push_leaf(*leaf));
        tree
    }

    #[test]
    fn blocks_and_a_tail_have_the_root_of_all_leaves() {
        let all = leaves(3 * BLOCK + 2);
        for count in [0, 1, 2, 255, 256, 257, 300, 511, 512, 513, 768, 769, 770] {
            let tree = tree_of(&all[..count]);
            assert_eq!((tree.size(), tree.root()), (count as u64, tree::root(&all[..count])), "{count}");
        }
    }

    #[test]
    fn a_leaf_is_proved_once_its_block_is_opened() {
        let all = leaves(3 * BLOCK + 2);
        let mut tree = StreamTree::default();
        for block in all.chunks_exact(BLOCK as usize) {
            assert!(tree.push_block(tree::root(block)));
        }
        all[3 * BLOCK as usize..].iter().for_each(|leaf| tree.push_leaf(*leaf));
        assert_eq!(tree.inclusion(300), None);
        assert!(tree.inclusion(769).is_some());
        assert!(!tree.push_block(all[0]), "a leaf that is in no block lies before it");
        assert!(!tree.open_block(1, all[..256].to_vec()), "these are the leaves of the first block");
        assert!(!tree.open_block(3, all[768..].to_vec()), "the last block is not whole");
        assert!(tree.open_block(1, all[256..512].to_vec()));
        let path = tree.inclusion(300).unwrap();
        let found = tree::root_of_inclusion(all[300], 300, tree.size(), &path);
        assert_eq!(found, Some(tree::root(&all)));
        let path = tree.consistency(300).unwrap();
        let (old, new) = ((300, tree::root(&all[..300])), (tree.size(), tree.root()));
        assert!(tree::is_consistent(old, new, &path));
        assert_eq!(tree.consistency(600), None);
        assert_eq!(tree.inclusion(770), None);
    }

    /// Without its first leaves; whole blocks by their roots, where all of their leaves are there.
    fn tree_without(all: &[Digest], removed: usize) -> StreamTree {
        let mut before = GrowingTree::default();
        all[..removed].iter().for_each(|leaf| before.push(*leaf));
        let mut tree = StreamTree::after(before);
        let mut next = removed;
        while next < all.len() {
            let end = next + BLOCK as usize;
            if next.is_multiple_of(BLOCK as usize) && end <= all.len() {
                assert!(tree.push_block(tree::root(&all[next..end])));
                next = end;
            } else {
                assert!(!tree.clone().push_block(all[0]) || next.is_multiple_of(BLOCK as usize));
                tree.push_leaf(all[next]);
                next += 1;
            }
        }
        tree
    }

    #[test]
    fn a_tree_without_its_first_leaves_has_the_same_root_and_paths() {
        let all = leaves(3 * BLOCK + 70);
        for removed in [0, 1, 2, 3, 100, 255, 256, 257, 300, 511, 512, 700, 768, 800, 838] {
            for count in [removed, removed + 1, 513, 768, 769, all.len()] {
                if count < removed || count > all.len() {
                    continue;
                }
                let all = &all[..count];
                let mut tree = tree_without(all, removed);
                let root = tree::root(all);
                assert_eq!((tree.size(), tree.root()), (count as u64, root), "{removed} of {count}");
                for block in 0..(count as u64) / BLOCK {
                    let start = (block * BLOCK).max(removed as u64);
                    let leaves = all.get(start as usize..((block + 1) * BLOCK) as usize);
                    let is_there = leaves.is_some_and(|leaves| !leaves.is_empty());
                    assert!(!is_there || tree.open_block(block, leaves.unwrap().to_vec()), "{block}");
                }
                for index in 0..count as u64 {
                    let path = tree.inclusion(index);
                    assert_eq!(path.is_some(), index >= removed as u64, "{index} after {removed} of {count}");
                    let Some(path) = path else { continue };
                    let leaf = all[index as usize];
                    let found = tree::root_of_inclusion(leaf, index, count as u64, &path);
                    assert_eq!(found, Some(root), "{index} after {removed} of {count}");
                }
            }
        }
    }

    #[test]
    fn a_block_without_its_first_leaves_takes_its_own_ones_only() {
        let all = leaves(BLOCK + 1);
        let mut tree = tree_without(&all, 100);
        assert!(!tree.open_block(0, all[..256].to_vec()), "the first ones were removed");
        assert!(!tree.open_block(0, all[101..257].to_vec()));
        assert!(tree.open_block(0, all[100..256].to_vec()));
    }
}
