//! The score of each tool of a subset for a query: BM25 over weighted fields.
//!
//! Each word of the query gives a tool the score of its best alternative: the word itself, synonyms, or
//! likely corrections. The figures were tuned on one labelled catalogue and checked on another
//! (`examples/recall`); around them the results hardly move.

use super::analysis::{DocumentField, FIELDS, FieldCounts, FieldLengths};
use super::query::{Concept, ParsedQuery};
use super::table::Posting;
use super::{Subset, spelling};
use crate::words::{self, WordKind};

/// The weight of a word in each field, in the order of [`DocumentField`].
const WEIGHTS: [f32; FIELDS] = [2.0, 2.5, 1.0, 1.5, 0.6, 0.5, 0.8, 2.0, 2.0];
/// The penalty for a word in a field that is longer than others of its kind.
const LENGTHS: [f32; FIELDS] = [0.75, 0.6, 0.75, 0.6, 0.5, 0.6, 0.6, 0.6, 0.6];
/// The higher, the more repetitions of a word count.
const SATURATION: f32 = 1.2;
/// The bonus for a word in the tool's own name, and how fast it fades with the length of the name.
const NAMED: f32 = 0.6;
const NAMED_FADES: f32 = 0.4;
/// The weight of an alternative if the word itself is missing.
const OTHER_WORD: f32 = 0.5;
/// The share of a word's rarity that is measured by servers instead of tools: the words of one server's
/// subject are in all its tools and still say a lot.
const RARE_AMONG_SERVERS: f32 = 0.6;
/// The maximum number of corrected words of a query: each is compared with many.
const CORRECTED_MAX: usize = 8;

/// The score of each slot; a tool without a word of the query has none.
pub(super) fn scores(subset: &Subset, query: &ParsedQuery) -> Vec<f32> {
    let mut ranking = Ranking::over(subset);
    for concept in &query.concepts {
        let alternatives = ranking.alternatives(concept);
        ranking.add(&alternatives);
    }
    ranking.scores
}

/// A term that stands for a word of the query, and its weight.
struct Alternative {
    term: usize,
    weight: f32,
}

struct Ranking<'a> {
    subset: &'a Subset,
    scores: Vec<f32>,
    /// The score of each slot from the current word, and the affected slots.
    gains: Vec<f32>,
    gaining: Vec<usize>,
    corrected: usize,
    /// The penalty per word of a field.
    per_word: [f32; FIELDS],
    /// The last word that each tool and each server was counted for.
    tools_seen: Vec<u32>,
    servers_seen: Vec<u32>,
    round: u32,
}

impl<'a> Ranking<'a> {
    fn over(subset: &'a Subset) -> Self {
        let tools = subset.index.len();
        Self {
            subset,
            scores: vec![0.0; tools],
            gains: vec![0.0; tools],
            gaining: Vec::new(),
            corrected: 0,
            per_word: std::array::from_fn(|field| {
                LENGTHS[field] / subset.averages[field].max(f32::MIN_POSITIVE)
            }),
            tools_seen: vec![0; tools],
            servers_seen: vec![0; subset.index.servers.len()],
            round: 0,
        }
    }

    /// The word itself comes first, if the subset has it.
    fn alternatives(&mut self, concept: &Concept) -> Vec<Alternative> {
        let known = |stem: &str| self.subset.index.term(stem).filter(|term| self.subset.knows(*term));
        let itself = known(&concept.stem).map(|term| Alternative { term, weight: 1.0 });
        let others = words::alike(&concept.stem).iter().filter_map(|stem| known(stem)).map(other);
        let found: Vec<_> = itself.into_iter().chain(others).collect();
        if !found.is_empty() || concept.kind == WordKind::Compound || self.corrected == CORRECTED_MAX {
            return found;
        }
        self.corrected += 1;
        spelling::near(self.subset, &concept.stem).into_iter().map(other).collect()
    }

    fn add(&mut self, alternatives: &[Alternative]) {
        let itself = alternatives.iter().take_while(|alternative| alternative.weight == 1.0).count();
        // The rarity of a word does not depend on its alternatives.
        let rarity = self.rarity(if itself > 0 { &alternatives[..itself] } else { alternatives });
        for alternative in alternatives {
            for posting in self.subset.postings(alternative.term) {
                self.gain(posting, rarity * alternative.weight);
            }
        }
        for slot in self.gaining.drain(..) {
            self.scores[slot] += std::mem::take(&mut self.gains[slot]);
        }
    }

    fn gain(&mut self, posting: &Posting, worth: f32) {
        let slot = posting.slot as usize;
        let lengths = &self.subset.index.lengths[slot];
        let frequency = frequency(&posting.counts, lengths, &self.per_word);
        let saturated = frequency * (SATURATION + 1.0) / (frequency + SATURATION);
        let gain = worth * (saturated + named(&posting.counts, lengths));
        if self.gains[slot] == 0.0 {
            self.gaining.push(slot);
        }
        self.gains[slot] = self.gains[slot].max(gain);
    }

    fn rarity(&mut self, alternatives: &[Alternative]) -> f32 {
        self.round += 1;
        let (mut tools, mut servers) = (0, 0);
        for posting in alternatives.iter().flat_map(|alternative| self.subset.postings(alternative.term)) {
            let server = self.subset.index.server_of[posting.slot as usize];
            tools += usize::from(first_in(self.round, &mut self.tools_seen[posting.slot as usize]));
            servers += usize::from(first_in(self.round, &mut self.servers_seen[server as usize]));
        }
        (1.0 - RARE_AMONG_SERVERS) * rarity(self.subset.len(), tools)
            + RARE_AMONG_SERVERS * rarity(self.subset.servers, servers)
    }
}

fn first_in(round: u32, seen: &mut u32) -> bool {
    std::mem::replace(seen, round) != round
}

fn other(term: usize) -> Alternative {
    Alternative { term, weight: OTHER_WORD }
}

fn rarity(all: usize, having: usize) -> f32 {
    let (all, having) = (all as f32, having as f32);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

fn frequency(counts: &FieldCounts, lengths: &FieldLengths, per_word: &[f32; FIELDS]) -> f32 {
    let mut sum = 0.0;
    for field in (0..FIELDS).filter(|field| counts[*field] > 0) {
        let length = 1.0 - LENGTHS[field] + f32::from(lengths[field]) * per_word[field];
        sum += WEIGHTS[field] * f32::from(counts[field]) / length;
    }
    sum
}

fn named(counts: &FieldCounts, lengths: &FieldLengths) -> f32 {
    let name = DocumentField::Name as usize;
    let others = f32::from(lengths[name].saturating_sub(1));
    if counts[name] > 0 { NAMED / (1.0 + NAMED_FADES * others) } else { 0.0 }
}
