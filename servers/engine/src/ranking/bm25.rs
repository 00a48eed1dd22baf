//! BM25 over several fields (BM25F): the counts of a term in title, headings, body and path are divided by the length of the field,
//! weighed by the profile, summed, and only then bounded. A word that stands in the title and in the body is one piece of evidence,
//! not two.

use engine_protocol::Profile;

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

/// The numbers of BM25 for one search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FieldScorer {
    k1: f32,
    b: f32,
    weights: [f32; FIELDS],
    /// Words of a field that an average passage has.
    averages: [f32; FIELDS],
}

impl FieldScorer {
    pub(crate) fn new(profile: &Profile, totals: &CorpusTotals) -> Self {
        let weights = &profile.fields;
        let average = |words: u64| words as f32 / totals.passages.max(1) as f32;
        Self {
            k1: profile.words.k1.max(0.0),
            b: profile.words.b.clamp(0.0, 1.0),
            weights: [weights.title, weights.headings, weights.body, weights.path]
                .map(|weight| weight.max(0.0)),
            averages: totals.words.map(average).map(|average| if average > 0.0 { average } else { 1.0 }),
        }
    }

    /// The worth of a term's occurrences in one field.
    pub(crate) fn worth(&self, field: usize, count: FieldCount) -> f32 {
        if count.frequency == 0 {
            return 0.0;
        }
        let length = count.length.max(1) as f32 / self.averages[field];
        count.frequency as f32 * self.weights[field] / (1.0 - self.b + self.b * length)
    }

    /// The score of a term with this weight and rareness.
    pub(crate) fn score(&self, weight: f32, idf: f32, counts: &[FieldCount; FIELDS]) -> f32 {
        let sum: f32 = counts.iter().enumerate().map(|(field, count)| self.worth(field, *count)).sum();
        if sum <= 0.0 {
            return 0.0;
        }
        weight * idf * (self.k1 + 1.0) * sum / (self.k1 + sum)
    }
}

/// The rareness of a term that `having` of all passages have: positive also for one that nearly all have.
pub(crate) fn idf(passages: u64, having: u64) -> f32 {
    let (passages, having) = (passages as f64, having as f64);
    ((passages - having + 0.5).max(0.0) / (having + 0.5)).ln_1p() as f32
}
