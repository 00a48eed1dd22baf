//! Searching a subset.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use toolgate_core::{CanonicalName, ServerName};

use super::names::{self, Nearness};
use super::query::ParsedQuery;
use super::{Subset, rank, spelling};
use crate::words;

/// The part of a list that is worth fusing with another one: later entries no longer come up.
pub const FUSED_MAX: usize = 200;
/// A misspelt name may differ from a right one in one of this many characters, and in a few at most.
const CHARS_PER_SLIP: usize = 4;
const SLIPS_MAX: usize = 3;
const NAME_CHARS_MAX: usize = 200;

#[derive(Clone, PartialEq, Debug)]
pub struct SearchHit {
    pub name: CanonicalName,
    /// Comparable within one answer only.
    pub score: f32,
    pub place: MatchKind,
}

/// The way a tool was found, the surest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MatchKind {
    /// The query is one of its names.
    Exact,
    /// The query is how one of its names begins.
    Prefix,
    /// The query has words of it.
    Words,
}

struct Candidate {
    slot: usize,
    nearness: Nearness,
    score: f32,
}

impl Subset {
    /// The best first; equally good tools by the order of their names. With servers, it is as if there were
    /// no others.
    pub fn search(&self, query: &str, servers: Option<&[ServerName]>, limit: usize) -> Vec<SearchHit> {
        match servers {
            Some(servers) => self.of_servers(servers).ranked(query, limit),
            None => self.ranked(query, limit),
        }
    }

    /// The tools with names nearest to an unknown one: typos first, then the same words.
    pub fn nearest(&self, name: &str, limit: usize) -> Vec<CanonicalName> {
        let name: String = name.chars().take(NAME_CHARS_MAX).collect();
        let words = stems(&name);
        let alike = self.ranked(&name, FUSED_MAX).into_iter().map(|hit| hit.name);
        let alike = alike.filter(|name| !words.is_disjoint(&stems(name.as_str())));
        let mut nearest = self.misspelt(&name);
        nearest.extend(alike.take(limit.saturating_add(nearest.len())));
        let mut told = BTreeSet::new();
        nearest.retain(|name| told.insert(name.clone()));
        nearest.truncate(limit);
        nearest
    }

    fn ranked(&self, query: &str, limit: usize) -> Vec<SearchHit> {
        let mut candidates = self.candidates(query);
        if limit < candidates.len() {
            candidates.select_nth_unstable_by(limit, order);
            candidates.truncate(limit);
        }
        candidates.sort_unstable_by(order);
        candidates.into_iter().map(|candidate| self.hit(&candidate)).collect()
    }

    fn candidates(&self, query: &str) -> Vec<Candidate> {
        let scores = rank::scores(self, &ParsedQuery::read(query));
        let mut nearness = vec![Nearness::None; self.index.len()];
        for (slot, near) in names::near(self, query) {
            nearness[slot] = nearness[slot].min(near);
        }
        let all = scores.into_iter().zip(nearness).enumerate();
        let found = all.filter(|(_, (score, nearness))| *score > 0.0 || *nearness < Nearness::None);
        found.map(|(slot, (score, nearness))| Candidate { slot, nearness, score }).collect()
    }

    fn hit(&self, candidate: &Candidate) -> SearchHit {
        let place = match candidate.nearness {
            Nearness::Same | Nearness::SameWords => MatchKind::Exact,
            Nearness::Beginning => MatchKind::Prefix,
            Nearness::None => MatchKind::Words,
        };
        SearchHit { name: self.index.documents[candidate.slot].name.clone(), score: candidate.score, place }
    }

    /// Names that are a few slips away, the fewest first.
    fn misspelt(&self, name: &str) -> Vec<CanonicalName> {
        let key = words::name_key(name);
        let most = key.chars().count().div_ceil(CHARS_PER_SLIP).min(SLIPS_MAX);
        let allowed = self.index.names.iter().filter(|(_, slot)| self.has(*slot));
        let near = allowed.filter_map(|(name, slot)| Some((spelling::distance(&key, name, most)?, slot)));
        let mut near: Vec<(usize, usize)> = near.collect();
        near.sort_unstable();
        near.into_iter().map(|(_, slot)| self.index.documents[slot].name.clone()).collect()
    }
}

/// Slots are in the order of names, so the slot breaks ties.
fn order(one: &Candidate, other: &Candidate) -> Ordering {
    let nearness = one.nearness.cmp(&other.nearness);
    nearness.then(other.score.total_cmp(&one.score)).then(one.slot.cmp(&other.slot))
}

fn stems(name: &str) -> BTreeSet<String> {
    words::words(name).iter().map(|word| words::stem(&word.text).into_owned()).collect()
}
