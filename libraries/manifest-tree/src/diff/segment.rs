//! A stretch of paths in two trees, as the subtrees that differ there.

use std::collections::HashMap;

use crate::digest::BlobDigest;
use crate::error::TreeError;
use crate::operation::NodeInbox;
use crate::path::EntryPath;
use crate::subtree::Subtree;

/// A level of subtrees; roots that were not read are above all others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum SegmentLevel {
    Known(u8),
    Root,
}

#[derive(Clone, Debug)]
pub(super) struct DiffSegment {
    /// The first path, and the one that is not part of it any more.
    pub low: Option<EntryPath>,
    pub high: Option<EntryPath>,
    /// In the order of their paths, of any levels.
    pub old: Vec<Subtree>,
    pub new: Vec<Subtree>,
}

impl SegmentLevel {
    fn of(subtree: &Subtree) -> SegmentLevel {
        subtree.level().map_or(SegmentLevel::Root, SegmentLevel::Known)
    }

    pub(super) fn is_leaf(self) -> bool {
        self == SegmentLevel::Known(0)
    }
}

impl DiffSegment {
    pub(super) fn of_roots(old: BlobDigest, new: BlobDigest) -> DiffSegment {
        DiffSegment { low: None, high: None, old: vec![Subtree::root(old)], new: vec![Subtree::root(new)] }
    }

    /// Drops subtrees out of range, and those that both sides have.
    pub(super) fn narrow(&mut self, after: Option<&EntryPath>) {
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        let has_paths = |subtree: &Subtree| {
            let is_before =
                |bound: Option<&EntryPath>| bound.is_some_and(|path| subtree.is_before(path.as_str()));
            !is_before(low) && !is_before(after) && !high.is_some_and(|high| subtree.is_from(high.as_str()))
        };
        self.old.retain(has_paths);
        self.new.retain(has_paths);
        self.drop_common();
    }

    /// Drops subtrees that both sides have, under the same claims. Of a node whose parents differ in what they say, one is damaged, which
    /// shows when it is read.
    fn drop_common(&mut self) {
        let places: HashMap<BlobDigest, usize> =
            self.new.iter().enumerate().map(|(place, one)| (one.digest, place)).collect();
        let mut common = vec![false; self.new.len()];
        self.old.retain(|old| {
            let place = places.get(&old.digest).filter(|place| self.new[**place].is_claimed_like(old));
            place.is_none_or(|place| {
                common[*place] = true;
                false
            })
        });
        let mut common = common.into_iter();
        self.new.retain(|_| common.next() == Some(false));
    }

    /// The highest level there is.
    pub(super) fn top(&self) -> Option<SegmentLevel> {
        self.old.iter().chain(&self.new).map(SegmentLevel::of).max()
    }

    pub(super) fn digests_of(&self, level: SegmentLevel) -> impl Iterator<Item = &BlobDigest> {
        let both = self.old.iter().chain(&self.new);
        both.filter(move |one| SegmentLevel::of(one) == level).map(|one| &one.digest)
    }

    /// Two segments, if a side has more than `subtrees_max`. A subtree on both sides of the cut is in both.
    pub(super) fn cut(&self, subtrees_max: usize) -> Option<(DiffSegment, DiffSegment)> {
        let longer = if self.old.len() > self.new.len() { &self.old } else { &self.new };
        let at = longer.get(subtrees_max)?.first()?.clone();
        let first = |side: &[Subtree]| side.iter().filter(|one| !one.is_from(at.as_str())).cloned().collect();
        let second =
            |side: &[Subtree]| side.iter().filter(|one| !one.is_before(at.as_str())).cloned().collect();
        let (low, high) = (self.low.clone(), self.high.clone());
        let front = DiffSegment { low, high: Some(at.clone()), old: first(&self.old), new: first(&self.new) };
        let back =
            DiffSegment { low: Some(at.clone()), high, old: second(&self.old), new: second(&self.new) };
        Some((front, back))
    }

    /// Replaces the subtrees of a level by their children, or by themselves with all that a leaf's parent would know.
    pub(super) fn open(&mut self, level: SegmentLevel, inbox: &mut NodeInbox) -> Result<(), TreeError> {
        for side in [&mut self.old, &mut self.new] {
            let mut opened = Vec::with_capacity(side.len());
            for subtree in side.drain(..) {
                if SegmentLevel::of(&subtree) != level {
                    opened.push(subtree);
                    continue;
                }
                let raw = inbox.take_once(&subtree.digest)?;
                let node = subtree.open(&raw)?;
                if node.level() > 0 {
                    opened.extend(subtree.children(&node));
                } else if node.len() > 0 {
                    inbox.put_back(subtree.digest, raw);
                    opened.push(subtree.as_leaf(&node));
                }
            }
            *side = opened;
        }
        Ok(())
    }
}
