//! The visible part of an index: nothing outside influences its results.

use std::sync::Arc;

use toolgate_core::{CanonicalName, ServerName};

use super::analysis::FIELDS;
use super::table::{Index, Posting};
use crate::ToolDocument;

/// Some tools of an index, and the figures of just these.
#[derive(Clone)]
pub struct Subset {
    pub(super) index: Arc<Index>,
    /// A bit for each slot.
    allowed: Vec<u64>,
    len: usize,
    /// The number of servers with a tool in it.
    pub(super) servers: usize,
    /// Words in each field.
    pub(super) averages: [f32; FIELDS],
}

impl Subset {
    pub(super) fn of(index: &Arc<Index>, slots: impl Iterator<Item = usize>) -> Self {
        let mut allowed = vec![0; index.len().div_ceil(64)];
        for slot in slots {
            allowed[slot / 64] |= 1u64 << (slot % 64);
        }
        let mut subset =
            Self { index: Arc::clone(index), allowed, len: 0, servers: 0, averages: [0.0; FIELDS] };
        subset.measure();
        subset
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    pub fn contains(&self, name: &CanonicalName) -> bool {
        self.index.slot(name).is_some_and(|slot| self.has(slot))
    }

    /// Its documents, by the order of their names.
    pub fn documents(&self) -> impl Iterator<Item = &Arc<ToolDocument>> {
        self.slots().map(|slot| &self.index.documents[slot])
    }

    /// The tools of these servers.
    #[must_use]
    pub fn of_servers(&self, servers: &[ServerName]) -> Subset {
        let wanted: Vec<bool> = self.index.servers.iter().map(|server| servers.contains(server)).collect();
        let slots = self.slots().filter(|slot| wanted[self.index.server_of[*slot] as usize]);
        Subset::of(&self.index, slots)
    }

    pub(super) fn has(&self, slot: usize) -> bool {
        self.allowed[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// The tools of it that have a term.
    pub(super) fn postings(&self, term: usize) -> impl Iterator<Item = &Posting> {
        self.index.postings(term).iter().filter(|posting| self.has(posting.slot as usize))
    }

    pub(super) fn knows(&self, term: usize) -> bool {
        self.postings(term).next().is_some()
    }

    fn slots(&self) -> impl Iterator<Item = usize> {
        (0..self.index.len()).filter(|slot| self.has(*slot))
    }

    fn measure(&mut self) {
        let mut sums = [0u64; FIELDS];
        let mut servers = vec![false; self.index.servers.len()];
        for slot in self.slots() {
            servers[self.index.server_of[slot] as usize] = true;
            for (sum, length) in sums.iter_mut().zip(self.index.lengths[slot]) {
                *sum += u64::from(length);
            }
        }
        self.len = self.slots().count();
        self.servers = servers.into_iter().filter(|has_tools| *has_tools).count();
        self.averages = sums.map(|sum| sum as f32 / self.len.max(1) as f32);
    }
}
