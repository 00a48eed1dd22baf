//! Sets of passages as bits.

use std::sync::Arc;

use parking_lot::Mutex;

/// Filters of a version whose passages are remembered.
const REMEMBERED_MAX: usize = 16;

/// Passages of a version, one bit for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PassageBits {
    words: Vec<u64>,
}

impl PassageBits {
    pub(super) fn none(slots: u32) -> Self {
        Self { words: vec![0; slots.div_ceil(64) as usize] }
    }

    pub(super) fn set(&mut self, passage: u32) {
        self.words[passage as usize / 64] |= 1 << (passage % 64);
    }

    pub(super) fn has(&self, passage: u32) -> bool {
        self.words[passage as usize / 64] >> (passage % 64) & 1 == 1
    }

    pub(super) fn keep(&mut self, others: &Self) {
        self.words.iter_mut().zip(&others.words).for_each(|(mine, other)| *mine &= other);
    }

    pub(super) fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Sixty-four passages each.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().zip(0..).flat_map(|(word, at)| ones(*word).map(move |bit| at * 64 + bit))
    }
}

/// The numbers of the bits that are set.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

/// The passages that passed the last filters.
#[derive(Default)]
pub(super) struct FilterMemory {
    known: Mutex<Vec<(String, Arc<PassageBits>)>>,
}

impl FilterMemory {
    pub(super) fn get(&self, filter: &str) -> Option<Arc<PassageBits>> {
        let known = self.known.lock();
        known.iter().find(|(known, _)| known == filter).map(|(_, bits)| Arc::clone(bits))
    }

    pub(super) fn put(&self, filter: String, bits: &Arc<PassageBits>) {
        let mut known = self.known.lock();
        if known.len() >= REMEMBERED_MAX {
            known.remove(0);
        }
        known.push((filter, Arc::clone(bits)));
    }
}
