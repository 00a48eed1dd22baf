//! A part of a tree that may not have been read yet, with everything that its node must keep.

use std::sync::Arc;

use crate::digest::BlobDigest;
use crate::error::{NodeFault, TreeError};
use crate::node::Node;
use crate::order::compare;
use crate::path::EntryPath;
use crate::writer::ChildRef;

/// The root of a tree, or a node that a parent names.
#[derive(Clone, Debug)]
pub(crate) struct Subtree {
    pub digest: BlobDigest,
    /// Absent for a root.
    claim: Option<SubtreeClaim>,
    /// All paths are before this one.
    upper: Option<EntryPath>,
    /// No node of the level comes after it.
    is_last: bool,
}

/// What the parent says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SubtreeClaim {
    level: u8,
    first: EntryPath,
    count: u64,
    bytes: u64,
}

impl Subtree {
    pub(crate) fn root(digest: BlobDigest) -> Subtree {
        Subtree { digest, claim: None, upper: None, is_last: true }
    }

    /// The level; none of a root that was not read.
    pub(crate) fn level(&self) -> Option<u8> {
        self.claim.as_ref().map(|claim| claim.level)
    }

    /// The first path; none of a root that was not read.
    pub(crate) fn first(&self) -> Option<&EntryPath> {
        self.claim.as_ref().map(|claim| &claim.first)
    }

    pub(crate) fn upper(&self) -> Option<&EntryPath> {
        self.upper.as_ref()
    }

    /// The number of entries; none of a root that was not read.
    pub(crate) fn count(&self) -> Option<u64> {
        self.claim.as_ref().map(|claim| claim.count)
    }

    /// The entry of its parent; none of a root.
    pub(crate) fn as_child(&self) -> Option<ChildRef> {
        let claim = self.claim.as_ref()?;
        let (count, bytes) = (claim.count, claim.bytes);
        Some(ChildRef { first: claim.first.clone(), digest: self.digest, count, bytes })
    }

    /// Returns true if the parents of both say the same of them.
    pub(crate) fn is_claimed_like(&self, other: &Subtree) -> bool {
        self.digest == other.digest && self.claim == other.claim
    }

    /// Returns true if all paths are before `path`.
    pub(crate) fn is_before(&self, path: &str) -> bool {
        self.upper.as_ref().is_some_and(|upper| compare(upper.as_str(), path).is_le())
    }

    /// Returns true if no path is before `path`.
    pub(crate) fn is_from(&self, path: &str) -> bool {
        self.first().is_some_and(|first| compare(first.as_str(), path).is_ge())
    }

    /// Reads its node, whose digest was compared before.
    pub(crate) fn open(&self, raw: &Arc<[u8]>) -> Result<Node, TreeError> {
        let node = Node::read(raw).and_then(|node| self.check(&node).map(|()| node));
        node.map_err(|fault| TreeError::Damaged { digest: self.digest, fault })
    }

    /// The subtrees of a node that is not a leaf.
    pub(crate) fn children(&self, node: &Node) -> Vec<Subtree> {
        let firsts: Vec<EntryPath> =
            (0..node.len()).map(|index| EntryPath::of_checked(node.path(index))).collect();
        let child = |(index, first): (usize, &EntryPath)| {
            let (count, bytes) = node.weight(index);
            let claim = SubtreeClaim { level: node.level() - 1, first: first.clone(), count, bytes };
            let next = firsts.get(index + 1);
            Subtree {
                digest: node.digest(index),
                claim: Some(claim),
                upper: next.or(self.upper.as_ref()).cloned(),
                is_last: self.is_last && next.is_none(),
            }
        };
        firsts.iter().enumerate().map(child).collect()
    }

    /// A root that turned out to be a leaf, as if a parent had named it.
    pub(crate) fn as_leaf(&self, node: &Node) -> Subtree {
        let (count, bytes) = node.whole_weight().unwrap_or_default();
        let first = EntryPath::of_checked(node.path(0));
        Subtree { claim: Some(SubtreeClaim { level: 0, first, count, bytes }), ..self.clone() }
    }

    fn check(&self, node: &Node) -> Result<(), NodeFault> {
        let weight = node.whole_weight().ok_or(NodeFault::Claim)?;
        let Some(claim) = &self.claim else {
            return if node.level() > 0 && node.len() < 2 { Err(NodeFault::TooFew) } else { Ok(()) };
        };
        if node.level() != claim.level {
            return Err(NodeFault::Level);
        }
        if node.len() == 0 {
            return Err(NodeFault::TooFew);
        }
        let is_within = !self.upper.as_ref().is_some_and(|upper| {
            let last = node.path(node.len() - 1);
            compare(last, upper.as_str()).is_ge()
        });
        if weight != (claim.count, claim.bytes) || node.path(0) != claim.first.as_str() || !is_within {
            return Err(NodeFault::Claim);
        }
        if node.ends_at_boundary() || self.is_last { Ok(()) } else { Err(NodeFault::NoBoundary) }
    }
}
