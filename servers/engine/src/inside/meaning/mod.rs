//! Ranking by meaning: cosines with the query's vector, over all passages.
//!
//! There is no approximate index: a scan over one bit for each number (`scan.rs`) chooses passages, and the numbers themselves,
//! rounded to eight bits, give their cosines (`near.rs`).

mod near;
mod scan;
#[cfg(test)]
mod tests;

use engine_protocol::MeaningScoring;

use super::corpus::{Corpus, RankedPassage};

/// Passages towards which a query moves at most, whatever the profile says.
const FEEDBACK_MAX: u32 = 50;

/// A query by meaning, ready to be ranked.
pub(super) struct MeaningQuery {
    /// The query's own vector.
    own: Vec<f32>,
    /// The vector that ranks: the own one, or the one that moved towards the first passages.
    ranking: Vec<f32>,
    cosine_min: f32,
}

impl MeaningQuery {
    pub(super) fn new(rule: &MeaningScoring, vector: &[f32]) -> Self {
        let own = unit(vector.to_vec());
        Self { ranking: own.clone(), own, cosine_min: rule.cosine_min }
    }

    /// The query moves towards these passages.
    pub(super) fn learn(&mut self, corpus: &Corpus, rule: &MeaningScoring, first: &[RankedPassage]) {
        let count = rule.feedback_passages.min(FEEDBACK_MAX) as usize;
        let share = rule.feedback.clamp(0.0, 1.0);
        if share > 0.0 && count > 0 {
            self.move_towards(corpus, &first[..first.len().min(count)], share);
        }
    }

    /// The nearest passages, the nearest first. None is below the profile's cosine with the query's own vector.
    pub(super) fn rank(&self, corpus: &Corpus, limit: usize) -> Vec<RankedPassage> {
        self.near_enough(corpus, near::nearest(corpus, &self.ranking, limit))
    }

    /// The same among these passages alone.
    pub(super) fn rank_of(&self, corpus: &Corpus, slots: &[u32]) -> Vec<RankedPassage> {
        let scored = |slot: &u32| Some(RankedPassage { slot: *slot, score: self.score(corpus, *slot)? });
        let ranked = slots.iter().filter_map(scored).collect();
        self.near_enough(corpus, corpus.best(ranked, slots.len()))
    }

    fn near_enough(&self, corpus: &Corpus, mut near: Vec<RankedPassage>) -> Vec<RankedPassage> {
        if self.ranking == self.own {
            near.retain(|passage| passage.score >= self.cosine_min);
        } else {
            let own = |slot| near::cosine(corpus, &self.own, slot);
            near.retain(|passage| own(passage.slot).is_some_and(|cosine| cosine >= self.cosine_min));
        }
        near
    }

    /// The cosine of a passage in this ranking, if it has a vector.
    pub(super) fn score(&self, corpus: &Corpus, slot: u32) -> Option<f32> {
        near::cosine(corpus, &self.ranking, slot)
    }

    fn move_towards(&mut self, corpus: &Corpus, first: &[RankedPassage], share: f32) {
        let mut middle = vec![0.0; self.own.len()];
        for passage in first {
            near::add_vector(corpus, passage.slot, &mut middle);
        }
        let middle = unit(middle);
        let mixed = self.own.iter().zip(middle).map(|(own, middle)| own * (1.0 - share) + middle * share);
        self.ranking = unit(mixed.collect());
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt() as f32;
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    vector
}
