//! A tree that grows leaf by leaf, of which only the right edge is kept.

use std::ops::Range;

use toolgate_core::Digest;

use crate::tree;

/// The roots of the complete subtrees, the largest first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GrowingTree {
    size: u64,
    peaks: Vec<Digest>,
}

impl GrowingTree {
    /// The tree that had these peaks when its leaves were removed. `None` if no tree of that size has so many.
    pub fn resume(size: u64, peaks: Vec<Digest>) -> Option<Self> {
        (peaks.len() == size.count_ones() as usize).then_some(Self { size, peaks })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// The roots of the complete subtrees, the largest first: everything that is needed to go on.
    pub fn peaks(&self) -> &[Digest] {
        &self.peaks
    }

    /// The root of the complete subtree over this range, if it is one of the largest.
    pub(crate) fn peak_over(&self, range: &Range<u64>) -> Option<Digest> {
        let mut start = 0;
        let sizes = (0..u64::BITS).rev().map(|bit| 1u64 << bit).filter(|size| self.size & size != 0);
        for (size, peak) in sizes.zip(&self.peaks) {
            if *range == (start..start + size) {
                return Some(*peak);
            }
            start += size;
        }
        None
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
    fn it_goes_on_from_its_peaks() {
        let leaves: Vec<Digest> = (0u32..70).map(|number| tree::leaf(&number.to_le_bytes())).collect();
        for removed in 0..leaves.len() {
            let mut before = GrowingTree::default();
            leaves[..removed].iter().for_each(|leaf| before.push(*leaf));
            let peaks = before.peaks().to_vec();
            let mut tree = GrowingTree::resume(removed as u64, peaks.clone()).unwrap();
            leaves[removed..].iter().for_each(|leaf| tree.push(*leaf));
            assert_eq!((tree.size(), tree.root()), (70, tree::root(&leaves)), "{removed}");
            assert_eq!(GrowingTree::resume(removed as u64, [peaks, vec![leaves[0]]].concat()), None);
        }
    }

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
