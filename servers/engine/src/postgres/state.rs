//! The documents of a build on their way: words are counted, rows gathered and written, totals kept.

use std::sync::Arc;

use engine_protocol::{BeginBuild, EngineFault, EngineKind, IndexListing, Profile};

use super::batch::{DocumentBatch, DocumentFacts, EndedDocuments};
use super::database::{EngineTransaction, StepError};
use super::engine::EngineCore;
use super::listing::{VersionName, VersionRow, outdated, stemming_name};
use super::retention;
use super::schema::POSTGRES_FORMAT;
use super::segment::{self, PassageWords, SegmentBuffer};
use crate::chunks::Chunk;
use crate::fault::{bad_request, internal, too_large};
use crate::port::EmbeddedChunk;
use crate::ranking::bm25::{CorpusTotals, FIELDS};
use crate::ranking::tokens::WordCutter;

/// A search has a number in memory for each passage of a line.
const LINE_CHUNKS_MAX: u64 = 50_000_000;
/// After so many new passages the planner looks at the tables anew.
const ANALYZE_CHUNKS_MIN: u64 = 10_000;

/// All of a build but its transaction.
pub(super) struct BuildState {
    core: Arc<EngineCore>,
    name: String,
    profile: String,
    /// True if the profile wants vectors, and they can be stored.
    by_meaning: bool,
    line: i64,
    version: i64,
    /// Of the vectors, once there is one.
    dimensions: Option<u32>,
    next_document: u64,
    next_chunk: u64,
    begun_at: u64,
    documents: u64,
    totals: CorpusTotals,
    cutter: WordCutter,
    batch: DocumentBatch,
    segment: SegmentBuffer,
}

pub(super) fn profile_name(profile: &Profile) -> String {
    format!("{}@{}", profile.name, profile.version)
}

impl BuildState {
    pub(super) async fn new_line(
        core: &Arc<EngineCore>,
        tx: &mut EngineTransaction,
        begin: &BeginBuild,
    ) -> Result<Self, StepError> {
        if begin.name.contains('\0') {
            return Err(
                bad_request("the name of the index has the character of number 0", "rename it").into()
            );
        }
        let stemming = begin.profile.words.stemming;
        let text =
            "INSERT INTO toolgate_engine.lines (name, profile, stemming) VALUES ($1, $2, $3) RETURNING id";
        let line: (i64,) = sqlx::query_as(text)
            .bind(&begin.name)
            .bind(profile_name(&begin.profile))
            .bind(stemming_name(stemming))
            .fetch_one(&mut **tx)
            .await?;
        let empty = VersionRow {
            line: line.0,
            version: 0,
            stemming,
            dimensions: None,
            documents: 0,
            end_document: 0,
            end_chunk: 0,
            totals: CorpusTotals::default(),
        };
        Ok(Self::of(core, begin, line.0, 1, &empty))
    }

    pub(super) fn of(
        core: &Arc<EngineCore>,
        begin: &BeginBuild,
        line: i64,
        version: i64,
        base: &VersionRow,
    ) -> Self {
        Self {
            core: Arc::clone(core),
            name: begin.name.clone(),
            profile: profile_name(&begin.profile),
            by_meaning: core.model_of(&begin.profile).is_some(),
            line,
            version,
            dimensions: base.dimensions,
            next_document: base.end_document,
            next_chunk: base.end_chunk,
            begun_at: base.end_chunk,
            documents: base.documents,
            totals: base.totals,
            cutter: WordCutter::new(begin.profile.words.stemming),
            batch: DocumentBatch::default(),
            segment: SegmentBuffer::default(),
        }
    }

    pub(super) async fn put(
        &mut self,
        tx: &mut EngineTransaction,
        facts: DocumentFacts,
        chunks: Vec<EmbeddedChunk>,
    ) -> Result<(), StepError> {
        self.drop_document(tx, &facts.path).await?;
        if self.next_chunk + chunks.len() as u64 > LINE_CHUNKS_MAX {
            let message = format!("the index has more than {LINE_CHUNKS_MAX} passages");
            return Err(too_large(message, "divide the corpus among several pointers").into());
        }
        let (document, first) = (self.next_document, self.next_chunk);
        let mut words = [0; FIELDS];
        for EmbeddedChunk { chunk, vector } in chunks {
            let counted = self.count(&facts.path, &chunk);
            for (sum, length) in words.iter_mut().zip(counted.lengths) {
                *sum += u64::from(length);
            }
            let vector = self.checked(vector)?;
            let passage =
                serde_json::to_string(&chunk).map_err(|error| internal("writing a passage", error))?;
            self.batch.add_passage(document, self.next_chunk, passage, vector.as_deref());
            self.segment.add(self.next_chunk, counted);
            self.next_chunk += 1;
        }
        self.batch.add_document(document, facts, (first, self.next_chunk), words);
        self.next_document += 1;
        self.documents += 1;
        self.totals.add(&CorpusTotals { passages: self.next_chunk - first, words });
        if self.batch.is_full() {
            self.flush(tx).await?;
        }
        if self.segment.is_full() {
            segment::write(tx, self.line, &mut self.segment).await?;
        }
        Ok(())
    }

    pub(super) async fn drop_document(
        &mut self,
        tx: &mut EngineTransaction,
        path: &str,
    ) -> Result<(), StepError> {
        // No document has such a path.
        if path.contains('\0') {
            return Ok(());
        }
        if self.batch.has_path(path) || self.batch.is_full() {
            self.flush(tx).await?;
        }
        self.batch.end_path(path);
        Ok(())
    }

    fn count(&mut self, path: &str, chunk: &Chunk) -> PassageWords {
        let headings = chunk.headings.join("\n");
        let mut words = PassageWords::default();
        for (field, text) in [&chunk.title, &headings, &chunk.text, path].into_iter().enumerate() {
            words.add(field, self.cutter.terms(text));
        }
        words
    }

    /// The vector, if vectors are stored. All of a line have the same length.
    fn checked(&mut self, vector: Option<Vec<f32>>) -> Result<Option<Vec<f32>>, EngineFault> {
        let Some(vector) = vector.filter(|_| self.by_meaning) else { return Ok(None) };
        let numbers = u32::try_from(vector.len()).unwrap_or(u32::MAX);
        let wanted = *self.dimensions.get_or_insert(numbers);
        match wanted == numbers && vector.iter().all(|number| number.is_finite()) {
            true => Ok(Some(vector)),
            false => {
                Err(outdated(format!("a vector has {numbers} numbers; those of the index have {wanted}")))
            }
        }
    }

    async fn flush(&mut self, tx: &mut EngineTransaction) -> Result<(), StepError> {
        let batch = std::mem::take(&mut self.batch);
        let vector = self.core.vector();
        let EndedDocuments { documents, chunks, words } =
            batch.write(tx, (self.line, self.version), vector).await?;
        self.documents -= documents;
        self.totals.passages -= chunks;
        for (sum, words) in self.totals.words.iter_mut().zip(words) {
            *sum -= words;
        }
        Ok(())
    }

    pub(super) async fn finish(&mut self, tx: &mut EngineTransaction) -> Result<IndexListing, StepError> {
        self.flush(tx).await?;
        segment::write(tx, self.line, &mut self.segment).await?;
        segment::join(tx, self.line).await?;
        self.write_version(tx).await?;
        if self.next_chunk - self.begun_at >= ANALYZE_CHUNKS_MIN {
            sqlx::raw_sql(
                "ANALYZE toolgate_engine.documents, toolgate_engine.passages, toolgate_engine.postings",
            )
            .execute(&mut **tx)
            .await?;
        }
        retention::forget_old_versions(tx, &self.name, self.line, self.core.vector()).await?;
        Ok(self.listing()?)
    }

    async fn write_version(&self, tx: &mut EngineTransaction) -> Result<(), StepError> {
        let text = "INSERT INTO toolgate_engine.versions \
            (line, version, documents, chunks, end_document, end_chunk, words) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        sqlx::query(text)
            .bind(self.line)
            .bind(self.version)
            .bind(self.documents as i64)
            .bind(self.totals.passages as i64)
            .bind(self.next_document as i64)
            .bind(self.next_chunk as i64)
            .bind(self.totals.words.map(|words| words as i64).to_vec())
            .execute(&mut **tx)
            .await?;
        sqlx::query("UPDATE toolgate_engine.lines SET dimensions = $2 WHERE id = $1")
            .bind(self.line)
            .bind(self.dimensions.map(|dimensions| dimensions as i32))
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    fn listing(&self) -> Result<IndexListing, EngineFault> {
        let name = VersionName {
            format: POSTGRES_FORMAT,
            database: self.core.name.clone(),
            index: self.name.clone(),
            line: self.line,
            version: self.version,
        };
        Ok(IndexListing {
            engine: EngineKind::Postgres,
            format: POSTGRES_FORMAT,
            files: vec![name.write(&self.core.contents)?],
            documents: self.documents,
            chunks: self.totals.passages,
            model: self.by_meaning.then(|| self.core.model.clone()).flatten(),
            profile: self.profile.clone(),
        })
    }
}
