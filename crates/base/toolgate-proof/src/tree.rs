//! The Merkle tree of RFC 6962: roots, and the proofs that a leaf is in a tree and that a tree continues
//! another.
//!
//! A proof is a list of roots of ranges of leaves. The functions that end in `_ranges` say which ranges; the
//! owner of the leaves computes their roots.

use std::ops::Range;

use sha2::{Digest as _, Sha256};
use toolgate_core::Digest;

const LEAF: &[u8] = &[0];
const NODE: &[u8] = &[1];

/// The hash of a leaf.
pub fn leaf(bytes: &[u8]) -> Digest {
    Digest::from_bytes(Sha256::new().chain_update(LEAF).chain_update(bytes).finalize().into())
}

/// The hash over two subtrees.
pub fn node(left: Digest, right: Digest) -> Digest {
    let node = Sha256::new().chain_update(NODE).chain_update(left.as_bytes()).chain_update(right.as_bytes());
    Digest::from_bytes(node.finalize().into())
}

/// The root of a tree with these leaves.
pub fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => empty_root(),
        [leaf] => *leaf,
        leaves => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            node(root(left), root(right))
        }
    }
}

/// The root of a tree without leaves.
pub fn empty_root() -> Digest {
    Digest::of([])
}

/// The number of leaves in the left subtree of a tree with at least two.
pub(crate) fn left_size(size: u64) -> u64 {
    size.next_power_of_two() / 2
}

/// The ranges whose roots prove that a tree of `size` leaves has the leaf at `index`, lowest first. None if it
/// has no such leaf.
pub fn inclusion_ranges(index: u64, size: u64) -> Option<Vec<Range<u64>>> {
    if index >= size || size > 1 << 62 {
        return None;
    }
    let (mut start, mut end) = (0, size);
    let mut ranges = Vec::new();
    while end - start > 1 {
        let middle = start + left_size(end - start);
        if index < middle {
            ranges.push(middle..end);
            end = middle;
        } else {
            ranges.push(start..middle);
            start = middle;
        }
    }
    ranges.reverse();
    Some(ranges)
}

/// The root of the tree of `size` leaves that has this leaf at `index`, according to its path. None if no
/// tree of that size has such a path.
pub fn root_of_inclusion(leaf: Digest, index: u64, size: u64, path: &[Digest]) -> Option<Digest> {
    let ranges = inclusion_ranges(index, size)?;
    if ranges.len() != path.len() {
        return None;
    }
    let beside = ranges.iter().zip(path);
    Some(beside.fold(
        leaf,
        |hash, (range, other)| {
            if range.start > index { node(hash, *other) } else { node(*other, hash) }
        },
    ))
}

/// The ranges whose roots prove that a tree of `size` leaves begins with the tree of its first `old` leaves,
/// lowest first. None if it has fewer.
pub fn consistency_ranges(old: u64, size: u64) -> Option<Vec<Range<u64>>> {
    if old > size || size > 1 << 62 {
        return None;
    }
    let mut ranges = Vec::new();
    if old == 0 {
        return Some(ranges);
    }
    let (mut start, mut end) = (0, size);
    while end != old {
        let middle = start + left_size(end - start);
        if old <= middle {
            ranges.push(middle..end);
            end = middle;
        } else {
            ranges.push(start..middle);
            start = middle;
        }
    }
    // The old tree itself is known; a part of it is not.
    if start > 0 {
        ranges.push(start..end);
    }
    ranges.reverse();
    Some(ranges)
}

/// True if the path proves that the new tree, given by its size and root, begins with the old one.
pub fn is_consistent(old: (u64, Digest), new: (u64, Digest), path: &[Digest]) -> bool {
    let Some(ranges) = consistency_ranges(old.0, new.0) else { return false };
    if ranges.len() != path.len() {
        return false;
    }
    if old.0 == 0 {
        return old.1 == empty_root();
    }
    let mut beside = ranges.into_iter().zip(path.iter().copied());
    let is_whole = old.0.is_power_of_two() || old.0 == new.0;
    let first = if is_whole { Some(old.1) } else { beside.next().map(|(_, part)| part) };
    let Some(first) = first else { return false };
    let (before, after) = beside.fold((first, first), |(before, after), (range, other)| {
        if range.start >= old.0 {
            (before, node(after, other))
        } else {
            (node(other, before), node(other, after))
        }
    });
    (before, after) == (old.1, new.1)
}

#[cfg(test)]
mod tests;
