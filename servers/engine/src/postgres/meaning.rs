//! Ranking by meaning with `pgvector`: exact, not by an approximate index.
//!
//! A scan over one bit for each number chooses passages, and the cosines with their vectors rank them. An approximate index (HNSW)
//! would be faster past some hundred thousand passages, but its results depend on every row in it, also those of other versions, and
//! on the order in which they came; and a filter would empty its lists. A scan is the same each time, and filters make it cheaper.

use std::collections::BTreeMap;

use engine_protocol::MeaningScoring;

use super::abilities::VectorSupport;
use super::database::{EngineTransaction, StepError};
use super::scope::{ChunkKey, FILTER, SearchScope, SearchedIndex};
use super::words::best;
use crate::ranking::feedback::{FEEDBACK_PASSAGES_MAX, moved};

/// Passages whose cosines are computed, for each that is wanted; and at least so many.
const RESCORED: usize = 16;
const RESCORED_MIN: usize = 4_000;
/// With more removed passages than these, the scan leaves them out by itself.
const REMOVED_MAX: u64 = 2_000;

/// A query by meaning, ready to be ranked.
pub(super) struct MeaningQuery<'a> {
    vector: &'a VectorSupport,
    own: Vec<f32>,
    /// The vector that ranks: the own one, or the one that moved towards the first passages.
    ranking: Vec<f32>,
    cosine_min: f32,
}

impl<'a> MeaningQuery<'a> {
    pub(super) async fn new(
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        vector: &'a VectorSupport,
        rule: &MeaningScoring,
        own: &[f32],
    ) -> Result<Self, StepError> {
        let cosine_min = rule.cosine_min;
        let mut query = Self { vector, own: own.to_vec(), ranking: own.to_vec(), cosine_min };
        let count = rule.feedback_passages.min(FEEDBACK_PASSAGES_MAX) as usize;
        if rule.feedback > 0.0 && count > 0 {
            let first: Vec<ChunkKey> =
                query.rank(tx, scope, count).await?.into_iter().map(|(key, _)| key).collect();
            let vectors = query.vectors(tx, scope, &first).await?;
            if !vectors.is_empty() {
                query.ranking = moved(own, &vectors, rule.feedback);
            }
        }
        Ok(query)
    }

    /// The nearest passages, the nearest first. None is below the profile's cosine with the query's own vector.
    pub(super) async fn rank(
        &self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        limit: usize,
    ) -> Result<Vec<(ChunkKey, f32)>, StepError> {
        let mut near = Vec::new();
        for (at, index) in scope.indexes.iter().enumerate().filter(|(_, index)| self.fits(index)) {
            let wanted = limit.saturating_mul(RESCORED).max(RESCORED_MIN);
            let chosen = self.chosen(tx, scope, index, wanted).await?;
            let cosines = self.cosines(tx, index, &chosen).await?;
            let passes = |(_, cosine, own): &(i64, f32, f32)| *own >= self.cosine_min && cosine.is_finite();
            near.extend(
                cosines.into_iter().filter(passes).map(|(chunk, cosine, _)| ((at, chunk as u64), cosine)),
            );
        }
        Ok(best(near, limit))
    }

    /// The cosines of passages, where they have a vector.
    pub(super) async fn scores(
        &self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        keys: &[ChunkKey],
    ) -> Result<BTreeMap<ChunkKey, f32>, StepError> {
        let mut scores = BTreeMap::new();
        for (at, chunks) in scope.by_index(keys) {
            let index = &scope.indexes[at];
            if self.fits(index) {
                let cosines = self.cosines(tx, index, &chunks).await?.into_iter();
                scores.extend(cosines.map(|(chunk, cosine, _)| ((at, chunk as u64), cosine)));
            }
        }
        Ok(scores)
    }

    /// True if an index has vectors as long as the query's.
    fn fits(&self, index: &SearchedIndex) -> bool {
        index.row.dimensions.is_some_and(|dimensions| dimensions as usize == self.own.len())
    }

    /// The passages of an index whose bits are nearest.
    async fn chosen(
        &self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        index: &SearchedIndex,
        wanted: usize,
    ) -> Result<Vec<i64>, StepError> {
        let is_whole = scope.filter.is_open && index.removed.chunks() <= REMOVED_MAX;
        let rows = match is_whole {
            // Removed ones are left out afterwards.
            true => self.nearest(tx, index, wanted + index.removed.chunks() as usize).await?,
            false => self.nearest_allowed(tx, scope, index, wanted).await?,
        };
        let seen = rows.into_iter().map(|(chunk,)| chunk).filter(|chunk| index.sees(*chunk as u64));
        Ok(seen.take(wanted).collect())
    }

    async fn nearest(
        &self,
        tx: &mut EngineTransaction,
        index: &SearchedIndex,
        limit: usize,
    ) -> Result<Vec<(i64,)>, StepError> {
        let text = format!(
            "SELECT b.chunk FROM toolgate_engine.vector_bits AS b WHERE b.line = $1 AND b.chunk < $2 \
             ORDER BY {}, b.chunk LIMIT $4",
            self.distance("$3")
        );
        let rows = sqlx::query_as(sqlx::AssertSqlSafe(text))
            .bind(index.row.line)
            .bind(index.row.end_chunk as i64)
            .bind(&self.ranking)
            .bind(limit as i64);
        Ok(rows.fetch_all(&mut **tx).await?)
    }

    /// The same among the passages of documents that the version has and the filter lets through.
    async fn nearest_allowed(
        &self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        index: &SearchedIndex,
        limit: usize,
    ) -> Result<Vec<(i64,)>, StepError> {
        let text = format!(
            "SELECT b.chunk FROM toolgate_engine.vector_bits AS b \
             JOIN toolgate_engine.documents AS d ON d.line = b.line AND d.document = b.document \
             WHERE b.line = $1 AND d.from_version <= $2 AND (d.to_version IS NULL OR d.to_version > $2) AND {FILTER} \
             ORDER BY {}, b.chunk LIMIT $7",
            self.distance("$6")
        );
        let rows = sqlx::query_as(sqlx::AssertSqlSafe(text))
            .bind(index.row.line)
            .bind(index.row.version)
            .bind(&scope.filter.path_prefix)
            .bind(&scope.filter.media_types)
            .bind(&scope.filter.metadata)
            .bind(&self.ranking)
            .bind(limit as i64);
        Ok(rows.fetch_all(&mut **tx).await?)
    }

    /// The bits in which a passage and the query differ.
    fn distance(&self, query: &str) -> String {
        let schema = &self.vector.schema;
        format!(
            "{schema}.hamming_distance(b.bits::\"bit\", {schema}.binary_quantize({query}::real[]::{schema}.vector))"
        )
    }

    /// For each passage that has a vector: its cosine with the ranking vector, and with the query's own.
    async fn cosines(
        &self,
        tx: &mut EngineTransaction,
        index: &SearchedIndex,
        chunks: &[i64],
    ) -> Result<Vec<(i64, f32, f32)>, StepError> {
        let schema = &self.vector.schema;
        let cosine = |value: &str| {
            format!("(1 - {schema}.cosine_distance(embedding, {value}::real[]::{schema}.halfvec))::real")
        };
        // A query that did not move has one cosine.
        let is_moved = self.ranking != self.own;
        let own = if is_moved { cosine("$4") } else { cosine("$3") };
        let text = format!(
            "SELECT chunk, {}, {own} FROM toolgate_engine.vectors WHERE line = $1 AND chunk = ANY($2)",
            cosine("$3")
        );
        let mut rows =
            sqlx::query_as(sqlx::AssertSqlSafe(text)).bind(index.row.line).bind(chunks).bind(&self.ranking);
        if is_moved {
            rows = rows.bind(&self.own);
        }
        Ok(rows.fetch_all(&mut **tx).await?)
    }

    async fn vectors(
        &self,
        tx: &mut EngineTransaction,
        scope: &SearchScope,
        keys: &[ChunkKey],
    ) -> Result<Vec<Vec<f32>>, StepError> {
        let text = "SELECT embedding::real[] FROM toolgate_engine.vectors WHERE line = $1 AND chunk = ANY($2) ORDER BY chunk";
        let mut vectors = Vec::new();
        for (at, chunks) in scope.by_index(keys) {
            let line = scope.indexes[at].row.line;
            let rows: Vec<(Vec<f32>,)> =
                sqlx::query_as(text).bind(line).bind(chunks).fetch_all(&mut **tx).await?;
            vectors.extend(rows.into_iter().map(|(vector,)| vector));
        }
        Ok(vectors)
    }
}
