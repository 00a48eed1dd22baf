//! A tree that grows leaf by leaf, of which only the right edge is kept.

use toolgate_core::Digest;

use crate::tree;

/// The roots of the complete subtrees, the largest first.
#[derive(Clone, Default, Debug)]
pub struct GrowingTree {
    size: u64,
    peaks: Vec<Digest>,
}

impl GrowingTree {
    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn push(&mut self, leaf: Digest) {
        let (mut hash, mut rest) = (leaf, self.size);
        while rest & 1 == 1
            && let Some(left) = self.peaks.pop()
        {
            hash = tree::node(left, hash);
            rest >>= 1;
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    pub fn root(&self) -> Digest {
        let peaks = self.peaks.iter().rev().copied();
        peaks.reduce(|right, left| tree::node(left, right)).unwrap_or_else(tree::empty_root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_root_of_all_its_leaves_at_every_size() {
        let (mut tree, mut leaves) = (GrowingTree::default(), Vec::new());
        for number in 0u32..600 {
            assert_eq!((tree.size(), tree.root()), (u64::from(number), tree::root(&leaves)));
            leaves.push(tree::leaf(&number.to_le_bytes()));
            tree.push(leaves[leaves.len() - 1]);
        }
    }
}
