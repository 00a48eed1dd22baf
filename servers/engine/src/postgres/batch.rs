//! Documents of a build on their way into rows: many in one statement.

use std::collections::BTreeSet;

use engine_protocol::{EngineFault, IngestDocument};

use super::abilities::VectorSupport;
use super::database::{EngineTransaction, StepError};
use crate::fault::bad_request;
use crate::ranking::bm25::FIELDS;
use crate::ranking::filters::{metadata_terms, plain_media_type};

/// A batch with so many passages or bytes is written.
const BATCH_CHUNKS_MAX: usize = 1_000;
const BATCH_BYTES_MAX: usize = 8 << 20;

/// A document as its row has it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct DocumentFacts {
    pub(super) path: String,
    pub(super) artifact: String,
    pub(super) docir: String,
    pub(super) media_type: Option<String>,
    pub(super) metadata: Vec<String>,
}

impl DocumentFacts {
    pub(super) fn of(document: &IngestDocument) -> Result<Self, EngineFault> {
        let facts = Self {
            path: document.path.clone(),
            artifact: document.artifact.as_str().to_owned(),
            docir: document.docir.as_str().to_owned(),
            media_type: document.media_type.as_deref().map(plain_media_type),
            metadata: metadata_terms(&document.metadata),
        };
        check_text(&facts.path)?;
        facts.media_type.as_deref().map_or(Ok(()), check_text)?;
        Ok(facts)
    }
}

/// Texts of Postgres cannot have the character of number 0. In metadata it is escaped.
fn check_text(text: &str) -> Result<(), EngineFault> {
    match text.contains('\0') {
        false => Ok(()),
        true => Err(bad_request(
            "a path or media type has the character of number 0, which Postgres cannot store",
            "rename the file",
        )),
    }
}

/// Passages and words that a transaction has taken away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct EndedDocuments {
    pub(super) documents: u64,
    pub(super) chunks: u64,
    pub(super) words: [u64; FIELDS],
}

/// Each column of the rows to come.
#[derive(Default)]
pub(super) struct DocumentBatch {
    /// Paths whose present documents end. None of them is twice in a batch.
    ended: BTreeSet<String>,
    documents: Vec<i64>,
    facts: Vec<DocumentFacts>,
    firsts: Vec<i64>,
    ends: Vec<i64>,
    words: Vec<[u64; FIELDS]>,
    chunks: Vec<i64>,
    chunk_documents: Vec<i64>,
    passages: Vec<String>,
    bytes: usize,
    vector_chunks: Vec<i64>,
    vector_documents: Vec<i64>,
    /// One vector after the other.
    numbers: Vec<f32>,
}

impl DocumentBatch {
    pub(super) fn has_path(&self, path: &str) -> bool {
        self.ended.contains(path)
    }

    pub(super) fn is_full(&self) -> bool {
        self.chunks.len() >= BATCH_CHUNKS_MAX
            || self.bytes >= BATCH_BYTES_MAX
            || self.ended.len() >= BATCH_CHUNKS_MAX
    }

    pub(super) fn end_path(&mut self, path: &str) {
        self.ended.insert(path.to_owned());
    }

    pub(super) fn add_passage(&mut self, document: u64, chunk: u64, passage: String, vector: Option<&[f32]>) {
        self.bytes += passage.len();
        self.chunks.push(chunk as i64);
        self.chunk_documents.push(document as i64);
        self.passages.push(passage);
        if let Some(vector) = vector {
            self.bytes += size_of_val(vector);
            self.vector_chunks.push(chunk as i64);
            self.vector_documents.push(document as i64);
            self.numbers.extend(vector);
        }
    }

    /// After its passages, which have the numbers from `first` to before `end`.
    pub(super) fn add_document(
        &mut self,
        document: u64,
        facts: DocumentFacts,
        (first, end): (u64, u64),
        words: [u64; FIELDS],
    ) {
        self.documents.push(document as i64);
        self.facts.push(facts);
        self.firsts.push(first as i64);
        self.ends.push(end as i64);
        self.words.push(words);
    }

    /// Writes all of it as part of a version; says what ended.
    pub(super) async fn write(
        self,
        tx: &mut EngineTransaction,
        (line, version): (i64, i64),
        vector: Option<&VectorSupport>,
    ) -> Result<EndedDocuments, StepError> {
        let ended = end_documents(tx, (line, version), self.ended.iter().cloned().collect()).await?;
        if !self.documents.is_empty() {
            self.write_documents(tx, (line, version)).await?;
        }
        if let Some(vector) = vector {
            self.write_vectors(tx, line, vector).await?;
        }
        if self.chunks.is_empty() {
            return Ok(ended);
        }
        let text = "INSERT INTO toolgate_engine.passages (line, chunk, document, passage) \
            SELECT $1, n.chunk, n.document, n.passage FROM unnest($2::bigint[], $3::bigint[], $4::text[]) \
            AS n (chunk, document, passage)";
        let rows =
            sqlx::query(text).bind(line).bind(self.chunks).bind(self.chunk_documents).bind(self.passages);
        rows.execute(&mut **tx).await?;
        Ok(ended)
    }

    async fn write_documents(
        &self,
        tx: &mut EngineTransaction,
        (line, version): (i64, i64),
    ) -> Result<(), StepError> {
        let column = |of: fn(&DocumentFacts) -> String| self.facts.iter().map(of).collect::<Vec<String>>();
        let media_types: Vec<Option<String>> =
            self.facts.iter().map(|facts| facts.media_type.clone()).collect();
        // Lists of different lengths cannot be the rows of one array, so that they are JSON on their way.
        let metadata = column(|facts| serde_json::to_string(&facts.metadata).expect("terms are plain texts"));
        let words: Vec<i64> = self.words.iter().flatten().map(|words| *words as i64).collect();
        let text = "INSERT INTO toolgate_engine.documents (line, document, path, artifact, docir, media_type, metadata, \
                first_chunk, end_chunk, words, from_version) \
            SELECT $1, n.document, n.path, n.artifact, n.docir, n.media_type, \
                ARRAY(SELECT json_array_elements_text(n.metadata::json)), n.first_chunk, n.end_chunk, \
                ($10::bigint[])[(n.place - 1) * $11 + 1 : n.place * $11], $2 \
            FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $12::bigint[]) \
                WITH ORDINALITY AS n (document, path, artifact, docir, media_type, metadata, first_chunk, end_chunk, place)";
        sqlx::query(text)
            .bind(line)
            .bind(version)
            .bind(&self.documents)
            .bind(column(|facts| facts.path.clone()))
            .bind(column(|facts| facts.artifact.clone()))
            .bind(column(|facts| facts.docir.clone()))
            .bind(media_types)
            .bind(metadata)
            .bind(&self.firsts)
            .bind(words)
            .bind(FIELDS as i64)
            .bind(&self.ends)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    async fn write_vectors(
        &self,
        tx: &mut EngineTransaction,
        line: i64,
        vector: &VectorSupport,
    ) -> Result<(), StepError> {
        if self.vector_chunks.is_empty() {
            return Ok(());
        }
        let schema = &vector.schema;
        let text = format!(
            "WITH n AS (SELECT n.chunk, n.document, \
                    ($4::real[])[(n.place - 1) * $5 + 1 : n.place * $5]::{schema}.vector AS numbers \
                FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS n (chunk, document, place)), \
             bits AS (INSERT INTO toolgate_engine.vector_bits (line, chunk, document, bits) \
                SELECT $1, chunk, document, {schema}.binary_quantize(numbers) FROM n) \
             INSERT INTO toolgate_engine.vectors (line, chunk, embedding) \
                SELECT $1, chunk, numbers::{schema}.halfvec FROM n"
        );
        let dimensions = (self.numbers.len() / self.vector_chunks.len()) as i64;
        sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(line)
            .bind(&self.vector_chunks)
            .bind(&self.vector_documents)
            .bind(&self.numbers)
            .bind(dimensions)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }
}

async fn end_documents(
    tx: &mut EngineTransaction,
    (line, version): (i64, i64),
    paths: Vec<String>,
) -> Result<EndedDocuments, StepError> {
    if paths.is_empty() {
        return Ok(EndedDocuments::default());
    }
    let text = "UPDATE toolgate_engine.documents SET to_version = $2 \
        WHERE line = $1 AND path = ANY($3) AND to_version IS NULL RETURNING end_chunk - first_chunk, words";
    let rows: Vec<(i64, Vec<i64>)> =
        sqlx::query_as(text).bind(line).bind(version).bind(paths).fetch_all(&mut **tx).await?;
    let mut ended = EndedDocuments::default();
    for (chunks, words) in rows {
        ended.documents += 1;
        ended.chunks += chunks as u64;
        for (sum, words) in ended.words.iter_mut().zip(words) {
            *sum += words as u64;
        }
    }
    Ok(ended)
}
