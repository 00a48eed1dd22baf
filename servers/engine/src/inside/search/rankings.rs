//! The two rankings of a search and their order, and what they learn from the first passages.
//!
//! A profile may let a query learn: words of the first passages join it, and its vector moves towards theirs. The first passages are
//! those of both rankings together, so that each teaches the other. The second order is made of the whole corpus if that is small,
//! else of the passages of the first order, so that a large corpus is searched once.

use engine_protocol::{EngineFault, MeaningScoring, Profile, Search};

use super::order::PassageOrder;
use crate::inside::corpus::Corpus;
use crate::inside::meaning::MeaningQuery;
use crate::inside::words::WordQuery;

/// Hits of one search, whatever it asks for.
pub(super) const HITS_MAX: usize = 1000;
/// Passages of a ranking, whatever the profile says.
const CANDIDATES_MAX: u32 = 10_000;
/// First passages that are learned from, whatever the profile says.
const FIRST_MAX: usize = 50;
/// A corpus with more passages is searched once.
const SMALL: u64 = 20_000;

pub(super) struct Rankings<'a> {
    pub(super) search: &'a Search,
    pub(super) corpus: &'a Corpus,
    pub(super) words: WordQuery,
    pub(super) meaning: Option<MeaningQuery>,
}

/// True if queries of this profile learn from their first passages.
pub(super) fn learns(profile: &Profile) -> bool {
    let by_meaning = |rule: &MeaningScoring| rule.feedback > 0.0 && rule.feedback_passages > 0;
    profile.words.feedback.is_some() || profile.meaning.as_ref().is_some_and(by_meaning)
}

impl Rankings<'_> {
    pub(super) fn order(&self) -> Result<PassageOrder, EngineFault> {
        let profile = &self.search.profile;
        let limit = self.search.top_k.min(HITS_MAX as u32);
        let candidates = |wanted: u32| wanted.clamp(1, CANDIDATES_MAX).max(limit) as usize;
        let words = self.words.rank(self.corpus, candidates(profile.words.candidates))?;
        let meaning = self.meaning.as_ref().zip(profile.meaning.as_ref());
        let meaning =
            meaning.map(|(meaning, rule)| (meaning, meaning.rank(self.corpus, candidates(rule.candidates))));
        PassageOrder::new(self.corpus, profile.fusion, (&self.words, words), meaning)
    }

    /// The second order, after both queries have learned from the first one.
    pub(super) fn learn(&mut self, first: &PassageOrder) -> Result<PassageOrder, EngineFault> {
        let profile = &self.search.profile;
        let passages = first.first(FIRST_MAX);
        if passages.is_empty() {
            return self.order();
        }
        self.words.learn(self.corpus, &profile.words, &passages)?;
        if let Some((meaning, rule)) = self.meaning.as_mut().zip(profile.meaning.as_ref()) {
            meaning.learn(self.corpus, rule, &passages);
        }
        if self.corpus.passages <= SMALL {
            return self.order();
        }
        let slots = first.slots();
        let words = self.words.rank_of(self.corpus, &slots)?;
        let meaning = self.meaning.as_ref().map(|meaning| (meaning, meaning.rank_of(self.corpus, &slots)));
        PassageOrder::new(self.corpus, profile.fusion, (&self.words, words), meaning)
    }
}
