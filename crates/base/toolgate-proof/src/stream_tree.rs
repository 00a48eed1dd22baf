//! The tree of a long stream, of which only the roots of whole blocks are kept.
//!
//! A block of 256 leaves is a subtree, so the root of the stream needs the roots of its blocks and the leaves
//! after the last whole one. A proof for a leaf needs the leaves of its own block as well.

use std::collections::BTreeMap;
use std::ops::Range;

use toolgate_core::Digest;

use crate::tree;

/// The number of leaves in a block. It is a power of two.
pub const BLOCK: u64 = 256;

/// A tree as far as it is known.
#[derive(Clone, Default, Debug)]
pub struct StreamTree {
    /// The roots of the whole blocks, from the first one on.
    blocks: Vec<Digest>,
    /// The leaves after them, fewer than a block.
    tail: Vec<Digest>,
    /// The leaves of the blocks that were opened.
    opened: BTreeMap<u64, Vec<Digest>>,
}

impl StreamTree {
    pub fn size(&self) -> u64 {
        self.blocks.len() as u64 * BLOCK + self.tail.len() as u64
    }

    /// Adds a whole block. It has no place after a leaf that is in none.
    pub fn push_block(&mut self, root: Digest) -> bool {
        let fits = self.tail.is_empty();
        if fits {
            self.blocks.push(root);
        }
        fits
    }

    pub fn push_leaf(&mut self, leaf: Digest) {
        self.tail.push(leaf);
        if self.tail.len() as u64 == BLOCK {
            self.blocks.push(tree::root(&self.tail));
            self.tail.clear();
        }
    }

    /// Gives the leaves of a whole block. False if they are not its leaves.
    pub fn open_block(&mut self, block: u64, leaves: Vec<Digest>) -> bool {
        let root = usize::try_from(block).ok().and_then(|block| self.blocks.get(block));
        let are_its_own = leaves.len() as u64 == BLOCK && root == Some(&tree::root(&leaves));
        if are_its_own {
            self.opened.insert(block, leaves);
        }
        are_its_own
    }

    pub fn root(&self) -> Digest {
        self.root_of(0..self.size()).expect("whole blocks and the tail make the whole tree")
    }

    /// The path of a leaf. None if there is no such leaf, or its block was not opened.
    pub fn inclusion(&self, index: u64) -> Option<Vec<Digest>> {
        let ranges = tree::inclusion_ranges(index, self.size())?;
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
        let Range { start, end } = range;
        match end - start {
            0 => Some(tree::empty_root()),
            1 => self.leaf(start),
            BLOCK if start % BLOCK == 0 && start / BLOCK < self.blocks.len() as u64 => {
                self.blocks.get(usize::try_from(start / BLOCK).ok()?).copied()
            }
            size => {
                let middle = start + tree::left_size(size);
                Some(tree::node(self.root_of(start..middle)?, self.root_of(middle..end)?))
            }
        }
    }

    fn leaf(&self, index: u64) -> Option<Digest> {
        let (block, place) = (index / BLOCK, usize::try_from(index % BLOCK).ok()?);
        let leaves = if block == self.blocks.len() as u64 { &self.tail } else { self.opened.get(&block)? };
        leaves.get(place).copied()
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
}
