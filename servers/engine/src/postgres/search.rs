//! A search: two rankings, one order, and the passages behind it.

use std::collections::BTreeMap;

use engine_protocol::{EngineFault, HitId, IndexRef, PassageHit, ScoreParts, Search, Snippet};

use super::database::{EngineTransaction, StepError};
use super::engine::EngineCore;
use super::meaning::MeaningQuery;
use super::rows::{self, PassageRow};
use super::scope::{ChunkKey, SearchScope, version_names};
use super::words::{WordQuery, WordScores};
use crate::fault::bad_request;
use crate::port::{FoundHits, QueryParts, StoredChunk};
use crate::ranking::fusion::{FusedHit, Fuser, candidates};
use crate::ranking::snippet::SnippetCutter;
use crate::ranking::tokens::WordCutter;

const TOP_K_MAX: u32 = 1_000;
/// Passages of each ranking that take part in the fusion, whatever the profile says.
const CANDIDATES_MAX: u32 = 10_000;

/// A search whose passages are in order.
pub(super) struct RankedSearch<'a> {
    pub(super) scope: SearchScope,
    pub(super) words: WordQuery,
    pub(super) word_scores: WordScores,
    pub(super) meaning: Option<MeaningQuery<'a>>,
    pub(super) fuser: Fuser,
    pub(super) hits: Vec<FusedHit<ChunkKey>>,
    warnings: Vec<String>,
}

/// Refuses what cannot be searched.
pub(super) fn check_search(search: &Search, query: &QueryParts) -> Result<(), EngineFault> {
    if query.text.trim().is_empty() {
        return Err(bad_request("the query is empty", "say in a few words what you look for"));
    }
    if search.top_k == 0 || search.top_k > TOP_K_MAX {
        let message = format!("{} hits cannot be asked for; between 1 and {TOP_K_MAX}", search.top_k);
        return Err(bad_request(message, "ask for fewer hits"));
    }
    Ok(())
}

impl<'a> RankedSearch<'a> {
    pub(super) async fn new(
        core: &'a EngineCore,
        tx: &mut EngineTransaction,
        scope: SearchScope,
        search: &Search,
        query: &QueryParts,
    ) -> Result<Self, StepError> {
        let profile = &search.profile;
        let limit = |candidates: u32| candidates.clamp(search.top_k, CANDIDATES_MAX) as usize;
        let words = WordQuery::new(tx, &scope, profile, &query.text).await?;
        let word_scores = words.score(&scope)?;
        let by_words = word_scores.best(&scope, limit(profile.words.candidates));
        let mut warnings = lacking(core, &scope, search, query);
        let (mut meaning, mut by_meaning) = (None, None);
        if let (Some(rule), Some(vector), Some(own)) = (&profile.meaning, core.vector(), &query.vector)
            && scope.indexes.iter().any(|index| index.row.dimensions.is_some())
        {
            let asked = MeaningQuery::new(tx, &scope, vector, rule, own).await?;
            by_meaning = Some(asked.rank(tx, &scope, limit(rule.candidates)).await?);
            meaning = Some(asked);
        }
        let mut candidates = candidates(&by_words, by_meaning.as_deref());
        if let Some(meaning) = &meaning {
            fill_in(tx, &scope, &word_scores, meaning, &mut candidates).await?;
        }
        let fuser = Fuser::new(&profile.fusion, meaning.is_some(), &candidates);
        let mut hits = fuser.order(candidates);
        if let Some(limit) = profile.per_document {
            hits = limited(tx, &scope, hits, limit as usize).await?;
        }
        warnings.extend(words.warnings.iter().cloned());
        Ok(Self { scope, words, word_scores, meaning, fuser, hits, warnings })
    }

    /// The first hits with their passages.
    pub(super) async fn found(
        mut self,
        tx: &mut EngineTransaction,
        search: &Search,
    ) -> Result<FoundHits, StepError> {
        self.hits.truncate(search.top_k as usize);
        let keys: Vec<ChunkKey> = self.hits.iter().map(|hit| hit.key).collect();
        let mut passages = rows::passages(tx, &self.scope, &keys).await?;
        let terms = self.snippet_terms();
        let words = WordCutter::new(search.profile.words.stemming);
        let mut snippets = SnippetCutter::new(search.profile.snippet, &terms, words);
        let mut hits = Vec::new();
        for FusedHit { key, score, parts } in &self.hits {
            let Some(row) = passages.remove(key) else { continue };
            let snippet = snippets.cut(&row.chunk.text);
            hits.push(hit_of(self.scope.hit_id(*key), row, (*score, *parts), snippet));
        }
        Ok(FoundHits { hits, by_meaning: self.meaning.is_some(), warnings: self.warnings })
    }

    /// The query's own terms, each worth its rareness.
    fn snippet_terms(&self) -> BTreeMap<String, f32> {
        let own = self.words.terms.iter().filter(|term| !term.from_feedback);
        own.map(|term| (term.term.clone(), term.weight * term.idf)).collect()
    }
}

fn hit_of(id: HitId, row: PassageRow, (score, parts): (f32, ScoreParts), snippet: Snippet) -> PassageHit {
    PassageHit {
        id,
        path: row.path,
        artifact: row.artifact,
        docir: row.docir,
        places: row.chunk.places.into_iter().map(|place| place.span).collect(),
        page: row.chunk.page,
        headings: row.chunk.headings,
        score,
        parts,
        snippet,
    }
}

/// Sentences about why passages are not found by meaning, if the profile asks for it.
fn lacking(core: &EngineCore, scope: &SearchScope, search: &Search, query: &QueryParts) -> Vec<String> {
    let (Some(_), Some(own)) = (search.profile.meaning, &query.vector) else { return Vec::new() };
    if core.vector().is_none() {
        return vec!["the database has no pgvector: hits are found by words alone".to_owned()];
    }
    let fits =
        |dimensions: Option<u32>| dimensions.is_some_and(|dimensions| dimensions as usize == own.len());
    let without =
        scope.indexes.iter().filter(|index| index.row.totals.passages > 0 && !fits(index.row.dimensions));
    without
        .map(|index| {
            let label = &index.label;
            format!("the index {label} has no vectors of this model: its hits are found by words alone; ingest it again")
        })
        .collect()
}

/// Gives each candidate of one ranking its score in the other.
async fn fill_in(
    tx: &mut EngineTransaction,
    scope: &SearchScope,
    words: &WordScores,
    meaning: &MeaningQuery<'_>,
    candidates: &mut BTreeMap<ChunkKey, ScoreParts>,
) -> Result<(), StepError> {
    let unknown = |(key, parts): (&ChunkKey, &ScoreParts)| parts.cosine.is_none().then_some(*key);
    let unknown: Vec<ChunkKey> = candidates.iter().filter_map(unknown).collect();
    let cosines = meaning.scores(tx, scope, &unknown).await?;
    for (key, parts) in candidates {
        parts.bm25 = parts.bm25.or_else(|| words.of(*key));
        parts.cosine = parts.cosine.or_else(|| cosines.get(key).copied());
    }
    Ok(())
}

/// At most so many hits of one document, the best of each.
async fn limited(
    tx: &mut EngineTransaction,
    scope: &SearchScope,
    hits: Vec<FusedHit<ChunkKey>>,
    limit: usize,
) -> Result<Vec<FusedHit<ChunkKey>>, StepError> {
    let keys: Vec<ChunkKey> = hits.iter().map(|hit| hit.key).collect();
    let documents = rows::documents(tx, scope, &keys).await?;
    let mut counts: BTreeMap<(usize, i64), usize> = BTreeMap::new();
    let mut kept = Vec::new();
    for hit in hits {
        let Some(document) = documents.get(&hit.key) else { continue };
        let count = counts.entry((hit.key.0, *document)).or_default();
        *count += 1;
        if *count <= limit.max(1) {
            kept.push(hit);
        }
    }
    Ok(kept)
}

/// The texts of hits, in their order.
pub(super) async fn stored(
    core: &EngineCore,
    tx: &mut EngineTransaction,
    hits: &[PassageHit],
    search: &Search,
) -> Result<Vec<StoredChunk>, StepError> {
    let is_needed = |index: &&IndexRef| hits.iter().any(|hit| hit.id.label == index.label);
    let indexes: Vec<IndexRef> = search.indexes.iter().filter(is_needed).cloned().collect();
    let names = version_names(core, &indexes)?;
    let scope = SearchScope::open(core, tx, &names, search).await?;
    let mut keys = Vec::new();
    for hit in hits {
        let unknown =
            || bad_request("a hit is not of the indexes of the search", "pass the hits that it gave");
        keys.push(scope.find(&hit.id).ok_or_else(unknown)?);
    }
    let passages = rows::passages(tx, &scope, &keys).await?;
    let stored = |(key, hit): (&ChunkKey, &PassageHit)| {
        let row = passages.get(key)?;
        Some(StoredChunk { hit: hit.clone(), chunk: row.chunk.clone() })
    };
    Ok(keys.iter().zip(hits).filter_map(stored).collect())
}
