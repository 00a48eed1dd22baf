//! The indexes of one search as one corpus: every passage has a slot, whichever index it is in.

use std::sync::Arc;

use super::bits::PassageBits;
use super::version::OpenVersion;

pub(super) struct Corpus {
    /// Sorted by label.
    pub(super) indexes: Vec<CorpusIndex>,
    /// Slots, those of removed passages included.
    pub(super) slots: u32,
    /// Passages that statistics count: all that were not removed, whatever the filter says.
    pub(super) passages: u64,
    /// Passages that may be found.
    pub(super) allowed: u64,
}

pub(super) struct CorpusIndex {
    pub(super) label: String,
    pub(super) version: Arc<OpenVersion>,
    /// Passages that may be found.
    pub(super) allowed: Arc<PassageBits>,
    /// The slot of its passage 0.
    pub(super) first: u32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RankedPassage {
    pub(super) slot: u32,
    pub(super) score: f32,
}

impl Corpus {
    pub(super) fn new(mut opened: Vec<(String, Arc<OpenVersion>, Arc<PassageBits>)>) -> Self {
        opened.sort_by(|(left, ..), (right, ..)| left.cmp(right));
        let mut corpus = Self { indexes: Vec::new(), slots: 0, passages: 0, allowed: 0 };
        for (label, version, allowed) in opened {
            let first = corpus.slots;
            corpus.slots += version.slots();
            corpus.passages += version.alive.count();
            corpus.allowed += allowed.count();
            corpus.indexes.push(CorpusIndex { label, version, allowed, first });
        }
        corpus
    }

    /// The index of a slot, and the passage's number in it.
    pub(super) fn locate(&self, slot: u32) -> (&CorpusIndex, u32) {
        let index = &self.indexes[self.index_of(slot)];
        (index, slot - index.first)
    }

    /// The slot of a passage, if it was not removed.
    pub(super) fn find(&self, label: &str, ord: u64) -> Option<u32> {
        let index = self.indexes.iter().find(|index| index.label == label)?;
        Some(index.first + index.version.find(ord)?)
    }

    /// The best passages, the best first. Of equal ones, the first by label and number.
    pub(super) fn best(&self, mut ranked: Vec<RankedPassage>, limit: usize) -> Vec<RankedPassage> {
        if limit == 0 {
            return Vec::new();
        }
        if ranked.len() > limit {
            let (_, last, _) =
                ranked.select_nth_unstable_by(limit - 1, |left, right| right.score.total_cmp(&left.score));
            let score = last.score;
            ranked.retain(|passage| passage.score >= score);
        }
        let mut keyed: Vec<(RankedPassage, (usize, u64))> =
            ranked.into_iter().map(|passage| (passage, self.key(passage.slot))).collect();
        let order = |left: &(RankedPassage, (usize, u64)), right: &(RankedPassage, (usize, u64))| {
            right.0.score.total_cmp(&left.0.score).then(left.1.cmp(&right.1))
        };
        if keyed.len() > limit {
            keyed.select_nth_unstable_by(limit - 1, order);
            keyed.truncate(limit);
        }
        keyed.sort_unstable_by(order);
        keyed.into_iter().map(|(passage, _)| passage).collect()
    }

    fn index_of(&self, slot: u32) -> usize {
        self.indexes.partition_point(|index| index.first <= slot) - 1
    }

    fn key(&self, slot: u32) -> (usize, u64) {
        let index = self.index_of(slot);
        let searched = &self.indexes[index];
        (index, searched.version.ord(slot - searched.first))
    }
}
