//! The ranking: term by term, until no further passage can be among the best.
//!
//! The heaviest terms are added to the sums of all their passages. When the terms that are left cannot lift a new passage among the
//! best any more, only passages that still can be are looked up in their lists. So a word that nearly all passages have costs
//! little beside a rare one, and the result is exact. Each passage gets its terms in the same order either way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine_protocol::EngineFault;

use super::bm25::Bm25;
use super::postings::cursors;
use super::sums::{add_all, add_to};
use super::terms::WeightedTerm;
use crate::inside::bits::ones;
use crate::inside::corpus::{Corpus, RankedPassage};

/// Where fewer passages than one of so many may be found, each of them is looked up.
const SPARSE: u64 = 32;
/// Lists that are shorter than this together are read rather than thought about.
const POSTINGS_CHEAP: u64 = 50_000;
/// Sums of rounded numbers may be this much off.
const SLACK: f32 = 1.0001;

pub(super) fn rank(
    corpus: &Corpus,
    bm25: &Bm25,
    terms: &[WeightedTerm],
    limit: usize,
) -> Result<Vec<RankedPassage>, EngineFault> {
    rank_past(corpus, bm25, terms, limit, POSTINGS_CHEAP)
}

/// The same, with another number of postings that are cheap.
pub(super) fn rank_past(
    corpus: &Corpus,
    bm25: &Bm25,
    terms: &[WeightedTerm],
    limit: usize,
    cheap: u64,
) -> Result<Vec<RankedPassage>, EngineFault> {
    if terms.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let (mut found, done) = match corpus.allowed * SPARSE < u64::from(corpus.slots) {
        true => (all_allowed(corpus), 0),
        false => heaviest(corpus, bm25, terms, limit, cheap)?,
    };
    for (at, term) in terms.iter().enumerate().skip(done) {
        look_up(corpus, bm25, term, &mut found)?;
        drop_hopeless(&mut found, left(bm25, &terms[at + 1..]), limit);
    }
    found.retain(|passage| passage.score > 0.0);
    Ok(corpus.best(found, limit))
}

pub(super) fn score(
    corpus: &Corpus,
    bm25: &Bm25,
    terms: &[WeightedTerm],
    slots: &[u32],
) -> Result<Vec<f32>, EngineFault> {
    let mut chosen: Vec<RankedPassage> =
        slots.iter().map(|slot| RankedPassage { slot: *slot, score: 0.0 }).collect();
    for term in terms {
        look_up(corpus, bm25, term, &mut chosen)?;
    }
    Ok(chosen.into_iter().map(|passage| passage.score).collect())
}

/// The passages that can be among the best after the heaviest terms, and the number of these terms.
fn heaviest(
    corpus: &Corpus,
    bm25: &Bm25,
    terms: &[WeightedTerm],
    limit: usize,
    cheap: u64,
) -> Result<(Vec<RankedPassage>, usize), EngineFault> {
    let mut sums = vec![0.0; corpus.slots as usize];
    for (at, term) in terms.iter().enumerate() {
        add(corpus, bm25, term, &mut sums)?;
        let rest = &terms[at + 1..];
        let postings: u64 = rest.iter().map(|term| term.passages).sum();
        if rest.is_empty() || postings < cheap {
            continue;
        }
        let (last, left) = (last_of_best(corpus, &sums, limit), left(bm25, rest));
        if last > left {
            return Ok((above(corpus, &sums, last - left), at + 1));
        }
    }
    let last = last_of_best(corpus, &sums, limit);
    Ok((above(corpus, &sums, last), terms.len()))
}

fn add(corpus: &Corpus, bm25: &Bm25, term: &WeightedTerm, sums: &mut [f32]) -> Result<(), EngineFault> {
    for index in &corpus.indexes {
        for segment in &index.version.segments {
            let first = (index.first + segment.first) as usize;
            let sums = &mut sums[first..first + segment.slots() as usize];
            add_all(bm25, bm25.most(term), cursors(segment, bm25, &term.text)?, sums);
        }
    }
    Ok(())
}

/// Adds a term to chosen passages, which are sorted by slot.
fn look_up(
    corpus: &Corpus,
    bm25: &Bm25,
    term: &WeightedTerm,
    chosen: &mut [RankedPassage],
) -> Result<(), EngineFault> {
    let mut rest = chosen;
    for index in &corpus.indexes {
        for segment in &index.version.segments {
            let first = index.first + segment.first;
            let within = rest.partition_point(|passage| passage.slot < first + segment.slots());
            let (here, after) = rest.split_at_mut(within);
            rest = after;
            if !here.is_empty() {
                add_to(bm25, bm25.most(term), cursors(segment, bm25, &term.text)?, first, here);
            }
        }
    }
    Ok(())
}

/// The most that terms can still add.
fn left(bm25: &Bm25, terms: &[WeightedTerm]) -> f32 {
    terms.iter().map(|term| bm25.most(term)).sum::<f32>() * SLACK
}

/// Keeps those which can still be among the best.
fn drop_hopeless(found: &mut Vec<RankedPassage>, left: f32, limit: usize) {
    if found.len() <= 2 * limit {
        return;
    }
    let mut scores: Vec<f32> = found.iter().map(|passage| passage.score).collect();
    let (_, last, _) = scores.select_nth_unstable_by(limit - 1, |one, other| other.total_cmp(one));
    let enough = (*last - left) / SLACK;
    found.retain(|passage| passage.score >= enough);
}

fn all_allowed(corpus: &Corpus) -> Vec<RankedPassage> {
    let slots = corpus.indexes.iter().flat_map(|index| index.allowed.iter().map(|slot| index.first + slot));
    slots.map(|slot| RankedPassage { slot, score: 0.0 }).collect()
}

/// The score that the last of the best passages has; 0 if there are not as many.
fn last_of_best(corpus: &Corpus, sums: &[f32], limit: usize) -> f32 {
    // Numbers that are not negative are in the order of their bits.
    let mut best: BinaryHeap<Reverse<u32>> = BinaryHeap::with_capacity(limit + 1);
    let mut last = 0.0;
    each_above(corpus, sums, |_, sum, enough| {
        best.push(Reverse(sum.to_bits()));
        if best.len() > limit {
            best.pop();
        }
        if best.len() == limit {
            last = best.peek().map_or(0.0, |Reverse(bits)| f32::from_bits(*bits));
            *enough = last;
        }
    });
    last
}

/// Passages with a sum of at least so much, and of more than 0.
fn above(corpus: &Corpus, sums: &[f32], least: f32) -> Vec<RankedPassage> {
    let mut found = Vec::new();
    let least = least / SLACK;
    each_above(corpus, sums, |slot, score, enough| {
        *enough = least.next_down().max(0.0);
        if score >= least {
            found.push(RankedPassage { slot, score });
        }
    });
    found
}

/// Calls for each passage that may be found and has a sum above a bound, which is 0 at first and which the call may raise.
fn each_above(corpus: &Corpus, sums: &[f32], mut each: impl FnMut(u32, f32, &mut f32)) {
    let mut enough = 0.0;
    for index in &corpus.indexes {
        let sums = &sums[index.first as usize..][..index.version.slots() as usize];
        for ((allowed, sums), at) in index.allowed.words().iter().zip(sums.chunks(64)).zip(0..) {
            if *allowed == 0 || largest(sums) <= enough {
                continue;
            }
            for bit in ones(*allowed) {
                let sum = sums[bit as usize];
                if sum > enough {
                    each(index.first + at * 64 + bit, sum, &mut enough);
                }
            }
        }
    }
}

/// In lanes, so that the processor compares several at once.
#[inline]
fn largest(sums: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 16];
    let (whole, rest) = sums.as_chunks::<16>();
    for sums in whole {
        for (lane, sum) in lanes.iter_mut().zip(sums) {
            *lane = if *sum > *lane { *sum } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(0.0, |most, sum| if *sum > most { *sum } else { most })
}
