//! Ranking by words: BM25 over several fields.
//!
//! The counts of a term in title, headings, body and path are divided by the length of the field, weighed by the profile, summed,
//! and only then bounded (BM25F): a word that stands in the title and in the body is one piece of evidence, not two. `bm25.rs` has
//! the numbers, `terms.rs` the words of a query with their rareness, `feedback.rs` the words of the first passages, `rank.rs` the
//! ranking and `postings.rs` the lists that it reads.

mod bm25;
mod explain;
mod feedback;
mod postings;
mod rank;
mod sums;
mod terms;
#[cfg(test)]
mod tests;

use engine_protocol::{EngineFault, Profile, TermScore, WordScoring};

use super::corpus::{Corpus, RankedPassage};
use bm25::Bm25;

pub(super) use terms::WeightedTerm;

/// A query by words, ready to be ranked.
pub(super) struct WordQuery {
    bm25: Bm25,
    /// The heaviest first.
    pub(super) terms: Vec<WeightedTerm>,
}

impl WordQuery {
    /// The words of a text.
    pub(super) fn new(corpus: &Corpus, profile: &Profile, text: &str) -> Result<Self, EngineFault> {
        let bm25 = Bm25::new(corpus, profile);
        let terms = terms::query_terms(corpus, profile.words.stemming, text)?;
        Ok(Self { bm25, terms })
    }

    /// Words of these passages join the query. A passage counts by its score.
    pub(super) fn learn(
        &mut self,
        corpus: &Corpus,
        scoring: &WordScoring,
        first: &[RankedPassage],
    ) -> Result<(), EngineFault> {
        if let Some(rule) = &scoring.feedback
            && !self.terms.is_empty()
        {
            let first = &first[..first.len().min(rule.passages.min(feedback::PASSAGES_MAX) as usize)];
            let terms = std::mem::take(&mut self.terms);
            self.terms = feedback::expand(corpus, scoring.stemming, rule, terms, first)?;
        }
        Ok(())
    }

    /// The best passages that have at least one of the words, the best first.
    pub(super) fn rank(&self, corpus: &Corpus, limit: usize) -> Result<Vec<RankedPassage>, EngineFault> {
        rank::rank(corpus, &self.bm25, &self.terms, limit)
    }

    /// The same among these passages alone. The slots are sorted.
    pub(super) fn rank_of(&self, corpus: &Corpus, slots: &[u32]) -> Result<Vec<RankedPassage>, EngineFault> {
        let scores = self.score(corpus, slots)?;
        let ranked = slots.iter().zip(scores).filter(|(_, score)| *score > 0.0);
        let ranked = ranked.map(|(slot, score)| RankedPassage { slot: *slot, score }).collect();
        Ok(corpus.best(ranked, slots.len()))
    }

    /// The scores of passages; 0 if one has none of the words. The slots are sorted.
    pub(super) fn score(&self, corpus: &Corpus, slots: &[u32]) -> Result<Vec<f32>, EngineFault> {
        rank::score(corpus, &self.bm25, &self.terms, slots)
    }

    /// The shares of words and fields in the score of a passage. Their sum is the score.
    pub(super) fn explain(&self, corpus: &Corpus, slot: u32) -> Result<Vec<TermScore>, EngineFault> {
        explain::explain(corpus, &self.bm25, &self.terms, slot)
    }
}
