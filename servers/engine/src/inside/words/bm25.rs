//! The numbers of BM25 for one search.

use engine_protocol::Profile;
use tantivy::fieldnorm::FieldNormReader;

use super::terms::WeightedTerm;
use crate::inside::corpus::Corpus;
use crate::inside::schema::{SCORED, scored_weights};

pub(super) struct Bm25 {
    k1: f32,
    /// For each field and length: the worth of one occurrence.
    worths: [[f32; 256]; SCORED],
}

impl Bm25 {
    pub(super) fn new(corpus: &Corpus, profile: &Profile) -> Self {
        let weights = scored_weights(&profile.fields);
        let b = profile.words.b.clamp(0.0, 1.0);
        let worths = std::array::from_fn(|field| {
            let lengths: u64 = corpus.indexes.iter().map(|index| index.version.lengths[field]).sum();
            worths(weights[field], b, lengths as f64 / corpus.passages.max(1) as f64)
        });
        Self { k1: profile.words.k1.max(0.0), worths }
    }

    /// True if the profile gives the field a weight.
    pub(super) fn counts(&self, field: usize) -> bool {
        self.worths[field][0] > 0.0
    }

    pub(super) fn worths(&self, field: usize) -> &[f32; 256] {
        &self.worths[field]
    }

    /// No passage gets more from a term.
    pub(super) fn most(&self, term: &WeightedTerm) -> f32 {
        term.weight * term.idf * (self.k1 + 1.0)
    }

    /// The score of a term whose occurrences are worth `sum` together, which is more than 0.
    #[inline]
    pub(super) fn bounded(&self, most: f32, sum: f32) -> f32 {
        most * sum / (self.k1 + sum)
    }
}

fn worths(weight: f32, b: f32, average: f64) -> [f32; 256] {
    let average = if average > 0.0 { average as f32 } else { 1.0 };
    let mut worths = [0.0; 256];
    for (worth, length) in worths.iter_mut().zip((0..=u8::MAX).map(FieldNormReader::id_to_fieldnorm)) {
        // A length of 0 is a rounded one at most; without length the worth has no bound at b = 1.
        *worth = weight / (1.0 - b + b * length.max(1) as f32 / average);
    }
    worths
}

/// The rareness of a term: positive also for one that nearly all passages have.
pub(super) fn idf(passages: u64, having: u64) -> f32 {
    let (passages, having) = (passages as f64, having as f64);
    ((passages - having + 0.5) / (having + 0.5)).ln_1p() as f32
}
