//! Passages as they are stored.

use std::collections::BTreeMap;

use engine_protocol::ContentId;

use super::database::{EngineTransaction, StepError};
use super::listing::damaged;
use super::scope::{ChunkKey, SearchScope};
use crate::chunks::Chunk;

pub(super) struct PassageRow {
    pub(super) path: String,
    pub(super) artifact: ContentId,
    pub(super) docir: ContentId,
    pub(super) media_type: Option<String>,
    pub(super) metadata: Vec<String>,
    pub(super) chunk: Chunk,
}

/// All of these passages. One that is not there is a damage.
pub(super) async fn passages(
    tx: &mut EngineTransaction,
    scope: &SearchScope,
    keys: &[ChunkKey],
) -> Result<BTreeMap<ChunkKey, PassageRow>, StepError> {
    type Row = (i64, String, String, String, String, Option<String>, Vec<String>);
    let text = "SELECT p.chunk, p.passage, d.path, d.artifact, d.docir, d.media_type, d.metadata \
        FROM toolgate_engine.passages AS p \
        JOIN toolgate_engine.documents AS d ON d.line = p.line AND d.document = p.document \
        WHERE p.line = $1 AND p.chunk = ANY($2)";
    let mut found = BTreeMap::new();
    for (at, chunks) in scope.by_index(keys) {
        let line = scope.indexes[at].row.line;
        let rows: Vec<Row> = sqlx::query_as(text).bind(line).bind(chunks).fetch_all(&mut **tx).await?;
        for (number, passage, path, artifact, docir, media_type, metadata) in rows {
            let content =
                |digest: String| ContentId::try_from(digest).map_err(|error| damaged(&error.to_string()));
            let chunk = serde_json::from_str(&passage).map_err(|error| damaged(&error.to_string()))?;
            let (artifact, docir) = (content(artifact)?, content(docir)?);
            let row = PassageRow { path, artifact, docir, media_type, metadata, chunk };
            found.insert((at, number as u64), row);
        }
    }
    match keys.iter().all(|key| found.contains_key(key)) {
        true => Ok(found),
        false => Err(damaged("passages are missing").into()),
    }
}

/// The document of each of these passages.
pub(super) async fn documents(
    tx: &mut EngineTransaction,
    scope: &SearchScope,
    keys: &[ChunkKey],
) -> Result<BTreeMap<ChunkKey, i64>, StepError> {
    let text = "SELECT chunk, document FROM toolgate_engine.passages WHERE line = $1 AND chunk = ANY($2)";
    let mut documents = BTreeMap::new();
    for (at, chunks) in scope.by_index(keys) {
        let line = scope.indexes[at].row.line;
        let rows: Vec<(i64, i64)> = sqlx::query_as(text).bind(line).bind(chunks).fetch_all(&mut **tx).await?;
        documents.extend(rows.into_iter().map(|(chunk, document)| ((at, chunk as u64), document)));
    }
    Ok(documents)
}
