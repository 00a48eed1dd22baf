//! Copying a version into a line of its own, document by document, as if they were put again.

use super::abilities::VectorSupport;
use super::batch::DocumentFacts;
use super::database::{EngineTransaction, StepError};
use super::listing::{VersionRow, damaged};
use super::state::BuildState;
use crate::chunks::Chunk;
use crate::port::EmbeddedChunk;

/// Documents that are read at a time.
const DOCUMENTS_READ: i64 = 50;

/// A document of the version, and the numbers of its passages.
type DocumentRow = (i64, String, String, String, Option<String>, Vec<String>, i64, i64);

pub(super) async fn copy(
    tx: &mut EngineTransaction,
    base: &VersionRow,
    vector: Option<&VectorSupport>,
    into: &mut BuildState,
) -> Result<(), StepError> {
    let text = "SELECT document, path, artifact, docir, media_type, metadata, first_chunk, end_chunk \
        FROM toolgate_engine.documents WHERE line = $1 AND document > $2 AND from_version <= $3 \
        AND (to_version IS NULL OR to_version > $3) ORDER BY document LIMIT $4";
    let mut after = -1;
    loop {
        let rows: Vec<DocumentRow> = sqlx::query_as(text)
            .bind(base.line)
            .bind(after)
            .bind(base.version)
            .bind(DOCUMENTS_READ)
            .fetch_all(&mut **tx)
            .await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.0;
        for (_, path, artifact, docir, media_type, metadata, first, end) in rows {
            let chunks = chunks(tx, base.line, (first, end), vector).await?;
            let facts = DocumentFacts { path, artifact, docir, media_type, metadata };
            Box::pin(into.put(tx, facts, chunks)).await?;
        }
    }
}

async fn chunks(
    tx: &mut EngineTransaction,
    line: i64,
    (first, end): (i64, i64),
    vector: Option<&VectorSupport>,
) -> Result<Vec<EmbeddedChunk>, StepError> {
    let (numbers, joined) = match vector {
        None => ("NULL", ""),
        Some(_) => (
            "v.embedding::real[]",
            "LEFT JOIN toolgate_engine.vectors AS v ON v.line = p.line AND v.chunk = p.chunk",
        ),
    };
    let text = format!(
        "SELECT p.passage, {numbers}::real[] FROM toolgate_engine.passages AS p {joined} \
         WHERE p.line = $1 AND p.chunk >= $2 AND p.chunk < $3 ORDER BY p.chunk"
    );
    let rows: Vec<(String, Option<Vec<f32>>)> = sqlx::query_as(sqlx::AssertSqlSafe(text))
        .bind(line)
        .bind(first)
        .bind(end)
        .fetch_all(&mut **tx)
        .await?;
    if rows.len() as i64 != end - first {
        return Err(damaged("passages are missing").into());
    }
    let chunk = |(passage, vector): (String, Option<Vec<f32>>)| {
        let chunk: Chunk = serde_json::from_str(&passage).map_err(|error| damaged(&error.to_string()))?;
        Ok(EmbeddedChunk { chunk, vector })
    };
    rows.into_iter().map(chunk).collect()
}
