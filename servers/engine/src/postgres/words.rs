//! Ranking by words: postings of the query's terms are read from all indexes of the search, counted, then scored.
//!
//! Statistics are those of the passages that the search sees, counted anew each time: neither another index, nor another version, nor
//! a build that was given up changes a score.

use std::collections::{BTreeMap, BTreeSet};

use engine_protocol::{EngineFault, Profile, TermScore, WordFeedback};

use super::database::{EngineTransaction, StepError};
use super::listing::damaged;
use super::packing::{Posting, PostingReader};
use super::rows;
use super::scope::{ChunkKey, SearchScope};
use super::segment::{self, TermSize};
use crate::ranking::bm25::{FIELD_NAMES, FIELDS, FieldScorer, idf};
use crate::ranking::feedback::{
    FEEDBACK_PASSAGES_MAX, FeedbackPassage, QueryTerm, expanded, is_common, learned, query_terms,
};
use crate::ranking::tokens::WordCutter;

/// Of a query with more, the rarest are searched.
const TERMS_MAX: usize = 64;
/// Postings that a search reads, in bytes.
const POSTINGS_BYTES_MAX: i64 = 512 << 20;

/// A query by words, ready to be ranked.
pub(super) struct WordQuery {
    scorer: FieldScorer,
    pub(super) terms: Vec<CountedTerm>,
    pub(super) warnings: Vec<String>,
}

/// A term with its postings.
pub(super) struct CountedTerm {
    pub(super) term: String,
    pub(super) weight: f32,
    pub(super) from_feedback: bool,
    /// The passages that have it, in the field in which most have it.
    passages: u64,
    pub(super) idf: f32,
    /// One for each index of the scope.
    packs: Vec<Vec<u8>>,
}

/// The scores of all passages, index by index.
pub(super) struct WordScores(Vec<Vec<f32>>);

impl WordQuery {
    /// The words of a text, and of the first passages that they find if the profile asks for that.
    pub(super) async fn new(
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        profile: &Profile,
        text: &str,
    ) -> Result<Self, StepError> {
        let mut cutter = WordCutter::new(profile.words.stemming);
        let scorer = FieldScorer::new(profile, &scope.totals);
        let mut query = Self { scorer, terms: Vec::new(), warnings: Vec::new() };
        let asked = query_terms(cutter.terms(text));
        query.terms = query.read(tx, scope, asked).await?;
        query
            .terms
            .sort_by(|one, other| one.passages.cmp(&other.passages).then_with(|| one.term.cmp(&other.term)));
        query.terms.truncate(TERMS_MAX);
        if let Some(rule) = profile.words.feedback
            && !query.terms.is_empty()
        {
            query.learn(tx, scope, &rule, &mut cutter).await?;
        }
        Ok(query)
    }

    /// The scores of all passages. Each gets its terms in the same order, whichever index it is in.
    pub(super) fn score(&self, scope: &SearchScope) -> Result<WordScores, EngineFault> {
        let mut scores: Vec<Vec<f32>> =
            scope.indexes.iter().map(|index| vec![0.0; index.row.end_chunk as usize]).collect();
        for term in &self.terms {
            for ((index, packed), scores) in scope.indexes.iter().zip(&term.packs).zip(&mut scores) {
                for posting in PostingReader::new(packed) {
                    let Posting { chunk, counts } = posting.map_err(|error| damaged(&error.to_string()))?;
                    if index.sees(chunk) {
                        scores[chunk as usize] += self.scorer.score(term.weight, term.idf, &counts);
                    }
                }
            }
        }
        Ok(WordScores(scores))
    }

    /// The shares of terms and fields in the score of a passage. Their sum is the score.
    pub(super) fn explain(&self, (at, chunk): ChunkKey) -> Result<Vec<TermScore>, EngineFault> {
        let mut scores = Vec::new();
        for term in &self.terms {
            for posting in PostingReader::new(&term.packs[at]) {
                let posting = posting.map_err(|error| damaged(&error.to_string()))?;
                if posting.chunk == chunk {
                    scores.extend(self.explained(term, &posting));
                }
            }
        }
        Ok(scores)
    }

    fn explained(&self, term: &CountedTerm, posting: &Posting) -> Vec<TermScore> {
        let score = self.scorer.score(term.weight, term.idf, &posting.counts);
        let worths: [f32; FIELDS] =
            std::array::from_fn(|field| self.scorer.worth(field, posting.counts[field]));
        let whole: f32 = worths.iter().sum();
        let fields = (0..FIELDS).filter(|field| worths[*field] > 0.0);
        let part = |field: usize| TermScore {
            term: term.term.clone(),
            field: FIELD_NAMES[field].to_owned(),
            frequency: posting.counts[field].frequency,
            passages: term.passages,
            idf: term.idf,
            score: score * worths[field] / whole,
            from_feedback: term.from_feedback,
        };
        fields.map(part).collect()
    }

    /// Mixes the query with words of its first passages.
    async fn learn(
        &mut self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        rule: &WordFeedback,
        cutter: &mut WordCutter,
    ) -> Result<(), StepError> {
        let first = self.score(scope)?.best(scope, rule.passages.min(FEEDBACK_PASSAGES_MAX) as usize);
        let keys: Vec<ChunkKey> = first.iter().map(|(key, _)| *key).collect();
        let rows = rows::passages(tx, scope, &keys).await?;
        let mut passages = Vec::new();
        for (key, score) in first {
            let chunk = &rows[&key].chunk;
            let mut terms = cutter.terms(&chunk.title);
            terms.extend(cutter.terms(&chunk.text));
            passages.push(FeedbackPassage { score, terms });
        }
        let learned = self.uncommon(tx, scope, learned(&passages, rule)).await?;
        let query = self.terms.iter().map(CountedTerm::asked).collect();
        let mixed = expanded(query, learned, rule);
        self.terms = self.read(tx, scope, mixed).await?;
        Ok(())
    }

    /// Leaves out words that too many passages have. Most are known to be common without reading their postings.
    async fn uncommon(
        &mut self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        learned: Vec<(String, f32)>,
    ) -> Result<Vec<(String, f32)>, StepError> {
        let terms: Vec<String> = learned.iter().map(|(term, _)| term.clone()).collect();
        let unseen = unseen(tx, scope).await?;
        let mut common: BTreeSet<String> = BTreeSet::new();
        for (term, size) in sizes(tx, scope, &terms).await? {
            // Postings of passages that this search does not see do not count, and there are no more of them than these.
            if is_common(scope.totals.passages, (size.postings as u64).saturating_sub(unseen) / FIELDS as u64)
            {
                common.insert(term);
            }
        }
        let asked =
            |(term, _): &(String, f32)| QueryTerm { term: term.clone(), weight: 1.0, from_feedback: true };
        let candidates = learned.iter().filter(|(term, _)| !common.contains(term)).map(asked).collect();
        let counted = self.read(tx, scope, candidates).await?;
        let rare: BTreeSet<String> = counted
            .into_iter()
            .filter(|term| !is_common(scope.totals.passages, term.passages))
            .map(|term| term.term)
            .collect();
        Ok(learned.into_iter().filter(|(term, _)| rare.contains(term)).collect())
    }

    /// Reads and counts the postings of terms. Terms that no passage has are left out.
    async fn read(
        &mut self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        asked: Vec<QueryTerm>,
    ) -> Result<Vec<CountedTerm>, StepError> {
        let terms: Vec<String> = asked.iter().map(|term| term.term.clone()).collect();
        let terms = self.affordable(sizes(tx, scope, &terms).await?);
        let mut packs: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
        for (at, index) in scope.indexes.iter().enumerate() {
            for (term, packed) in segment::read(tx, index.row.line, &terms).await? {
                packs.entry(term).or_insert_with(|| vec![Vec::new(); scope.indexes.len()])[at] = packed;
            }
        }
        let mut counted = Vec::new();
        for term in asked {
            if let Some(packs) = packs.remove(&term.term) {
                counted.extend(CountedTerm::count(scope, term, packs)?);
            }
        }
        Ok(counted)
    }

    /// The terms whose postings fit together; the largest are left out, and the warnings say so.
    fn affordable(&mut self, sizes: BTreeMap<String, TermSize>) -> Vec<String> {
        let mut sizes: Vec<(String, TermSize)> = sizes.into_iter().collect();
        sizes.sort_by_key(|(_, size)| size.bytes);
        let mut sum = 0;
        let mut terms = Vec::new();
        for (term, size) in sizes {
            sum += size.bytes;
            match sum <= POSTINGS_BYTES_MAX {
                true => terms.push(term),
                false => self
                    .warnings
                    .push(format!("so many passages have the word {term:?} that it was left out")),
            }
        }
        terms
    }
}

impl CountedTerm {
    fn count(
        scope: &SearchScope,
        asked: QueryTerm,
        packs: Vec<Vec<u8>>,
    ) -> Result<Option<Self>, EngineFault> {
        let mut having = [0_u64; FIELDS];
        for (index, packed) in scope.indexes.iter().zip(&packs) {
            for posting in PostingReader::new(packed) {
                let posting = posting.map_err(|error| damaged(&error.to_string()))?;
                if index.sees(posting.chunk) {
                    let there = posting.counts.map(|count| u64::from(count.frequency > 0));
                    having.iter_mut().zip(there).for_each(|(sum, there)| *sum += there);
                }
            }
        }
        let passages = having.into_iter().max().unwrap_or_default();
        let QueryTerm { term, weight, from_feedback } = asked;
        let idf = idf(scope.totals.passages, passages);
        Ok((passages > 0).then_some(Self { term, weight, from_feedback, passages, idf, packs }))
    }

    fn asked(&self) -> QueryTerm {
        QueryTerm { term: self.term.clone(), weight: self.weight, from_feedback: self.from_feedback }
    }
}

impl WordScores {
    /// The score of a passage; none if it has none of the words.
    pub(super) fn of(&self, (at, chunk): ChunkKey) -> Option<f32> {
        self.0[at].get(chunk as usize).copied().filter(|score| *score > 0.0)
    }

    /// The best passages that the filter lets through, the best first.
    pub(super) fn best(&self, scope: &SearchScope, limit: usize) -> Vec<(ChunkKey, f32)> {
        let mut ranked = Vec::new();
        for (at, (index, scores)) in scope.indexes.iter().zip(&self.0).enumerate() {
            let scored = (0..).zip(scores).filter(|(chunk, score)| **score > 0.0 && index.allows(*chunk));
            ranked.extend(scored.map(|(chunk, score)| ((at, chunk), *score)));
        }
        best(ranked, limit)
    }
}

/// The best of a ranking, in order. Of equal ones, the first by label and number.
pub(super) fn best(mut ranked: Vec<(ChunkKey, f32)>, limit: usize) -> Vec<(ChunkKey, f32)> {
    let order =
        |one: &(ChunkKey, f32), other: &(ChunkKey, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
    if limit > 0 && ranked.len() > limit {
        ranked.select_nth_unstable_by(limit - 1, order);
    }
    ranked.truncate(limit);
    ranked.sort_unstable_by(order);
    ranked
}

async fn sizes(
    tx: &mut EngineTransaction,
    scope: &SearchScope,
    terms: &[String],
) -> Result<BTreeMap<String, TermSize>, StepError> {
    let mut sizes: BTreeMap<String, TermSize> = BTreeMap::new();
    for index in &scope.indexes {
        for (term, size) in segment::sizes(tx, index.row.line, terms).await? {
            let sum = sizes.entry(term).or_default();
            sum.bytes += size.bytes;
            sum.postings += size.postings;
        }
    }
    Ok(sizes)
}

/// The passages in the lines of the search that it does not see: of other versions.
async fn unseen(tx: &mut EngineTransaction, scope: &SearchScope) -> Result<u64, StepError> {
    let mut all = 0;
    for index in &scope.indexes {
        let text = "SELECT max(end_chunk) FROM toolgate_engine.versions WHERE line = $1";
        let (end,): (Option<i64>,) = sqlx::query_as(text).bind(index.row.line).fetch_one(&mut **tx).await?;
        all += end.unwrap_or_default() as u64;
    }
    Ok(all.saturating_sub(scope.totals.passages))
}
