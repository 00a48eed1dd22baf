//! BM25, field by field: the score of a passage is the sum over the query's terms and the four fields, each with its weight.

use engine_protocol::{FieldWeights, WordScoring};

/// The number of fields whose words are scored.
pub(crate) const FIELDS: usize = 4;
/// Their names in explanations.
pub(crate) const FIELD_NAMES: [&str; FIELDS] = ["title", "headings", "body", "path"];

/// A term in one field of a passage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FieldCount {
    /// 0: the term is not in this field.
    pub(crate) frequency: u32,
    /// Words of the field.
    pub(crate) length: u32,
}

/// Counts of everything that a search may see, and of nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CorpusTotals {
    pub(crate) passages: u64,
    /// Words of each field.
    pub(crate) words: [u64; FIELDS],
}

impl CorpusTotals {
    pub(crate) fn add(&mut self, other: &Self) {
        self.passages += other.passages;
        for (sum, words) in self.words.iter_mut().zip(other.words) {
            *sum += words;
        }
    }
}

pub(crate) fn scored_weights(weights: &FieldWeights) -> [f32; FIELDS] {
    [weights.title, weights.headings, weights.body, weights.path].map(|weight| weight.max(0.0))
}

/// The rareness of a term that `having` of all passages have.
pub(crate) fn idf(passages: u64, having: u64) -> f32 {
    let (all, having) = (passages as f64, having as f64);
    (1.0 + (all - having + 0.5).max(0.0) / (having + 0.5)).ln() as f32
}

/// The scores of one term. All that does not depend on the passage is computed once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TermScorer {
    k1: f32,
    b: f32,
    idf: [f32; FIELDS],
    factor: [f32; FIELDS],
    /// Words of a field that an average passage has.
    average: [f32; FIELDS],
}

impl TermScorer {
    /// `having` counts the passages that have the term in each field; `weight` is its weight in the query.
    pub(crate) fn new(
        scoring: &WordScoring,
        weights: [f32; FIELDS],
        totals: &CorpusTotals,
        having: [u64; FIELDS],
        weight: f32,
    ) -> Self {
        let idf = having.map(|having| idf(totals.passages, having));
        let mut factor = [0.0; FIELDS];
        for (field, factor) in factor.iter_mut().enumerate() {
            *factor = idf[field] * weights[field] * weight * (scoring.k1 + 1.0);
        }
        let average = totals.words.map(|words| (words as f32 / totals.passages.max(1) as f32).max(f32::EPSILON));
        Self { k1: scoring.k1, b: scoring.b, idf, factor, average }
    }

    pub(crate) fn idf(&self, field: usize) -> f32 {
        self.idf[field]
    }

    pub(crate) fn field_score(&self, field: usize, count: FieldCount) -> f32 {
        if count.frequency == 0 {
            return 0.0;
        }
        let frequency = count.frequency as f32;
        let length = count.length as f32 / self.average[field];
        self.factor[field] * frequency / (frequency + self.k1 * (1.0 - self.b + self.b * length))
    }

    pub(crate) fn score(&self, counts: &[FieldCount; FIELDS]) -> f32 {
        counts.iter().enumerate().map(|(field, count)| self.field_score(field, *count)).sum()
    }
}
