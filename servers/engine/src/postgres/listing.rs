//! The file `postgres.json` of a version: it names the rows.

use engine_protocol::{
    ContentId, EngineErrorCode, EngineFault, EngineKind, IndexFile, IndexListing, Stemming,
};
use serde::{Deserialize, Serialize};

use super::database::{EngineTransaction, StepError};
use super::schema::POSTGRES_FORMAT;
use crate::contents::Contents;
use crate::fault::{bad_request, hinted};
use crate::ranking::bm25::{CorpusTotals, FIELDS};

pub(super) const LISTING_FILE: &str = "postgres.json";
const REBUILD: &str = "ingest the corpus again in the mode `rebuild`";

/// A version of an index in a database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct VersionName {
    pub(super) format: u32,
    /// Of [`super::schema::prepare`].
    pub(super) database: String,
    /// Of its pointer.
    pub(super) index: String,
    pub(super) line: i64,
    pub(super) version: i64,
}

/// A version as its row says it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct VersionRow {
    pub(super) line: i64,
    pub(super) version: i64,
    pub(super) stemming: Stemming,
    pub(super) dimensions: Option<u32>,
    pub(super) documents: u64,
    pub(super) end_document: u64,
    pub(super) end_chunk: u64,
    pub(super) totals: CorpusTotals,
}

impl VersionName {
    pub(super) fn read(contents: &Contents, listing: &IndexListing) -> Result<Self, EngineFault> {
        if listing.engine != EngineKind::Postgres {
            return Err(bad_request("the index is not in Postgres", "ask the engine that built it"));
        }
        if listing.format != POSTGRES_FORMAT {
            let form = listing.format;
            return Err(outdated(format!(
                "the index has form {form}; this engine reads form {POSTGRES_FORMAT}"
            )));
        }
        let file = listing.files.iter().find(|file| file.name == LISTING_FILE);
        let file = file.ok_or_else(|| damaged("it is not among the files of the index"))?;
        let bytes = contents.read(&file.content)?;
        serde_json::from_slice(&bytes).map_err(|error| damaged(&error.to_string()))
    }

    pub(super) fn write(&self, contents: &Contents) -> Result<IndexFile, EngineFault> {
        let bytes = serde_json::to_vec(self).expect("a name is plain values");
        let content: ContentId = contents.put_bytes(&bytes)?;
        Ok(IndexFile { name: LISTING_FILE.to_owned(), content, bytes: bytes.len() as u64 })
    }

    /// The version's row, unless the database has it no more.
    pub(super) async fn find(
        &self,
        tx: &mut EngineTransaction,
        database: &str,
    ) -> Result<VersionRow, StepError> {
        if self.database != database {
            return Err(damaged("it names rows of another database").into());
        }
        type Row = (String, Option<i32>, i64, i64, i64, i64, Vec<i64>);
        let text = "SELECT l.stemming, l.dimensions, v.documents, v.chunks, v.end_document, v.end_chunk, v.words \
            FROM toolgate_engine.versions AS v JOIN toolgate_engine.lines AS l ON l.id = v.line \
            WHERE v.line = $1 AND v.version = $2 AND l.name = $3";
        let row: Option<Row> = sqlx::query_as(text)
            .bind(self.line)
            .bind(self.version)
            .bind(&self.index)
            .fetch_optional(&mut **tx)
            .await?;
        let Some((stemming, dimensions, documents, chunks, end_document, end_chunk, words)) = row else {
            return Err(damaged("the database has this version no more").into());
        };
        let words: [i64; FIELDS] = words.try_into().map_err(|_| damaged("its counts are wrong"))?;
        Ok(VersionRow {
            line: self.line,
            version: self.version,
            stemming: stemming_of(&stemming)?,
            dimensions: dimensions.and_then(|dimensions| u32::try_from(dimensions).ok()),
            documents: documents as u64,
            end_document: end_document as u64,
            end_chunk: end_chunk as u64,
            totals: CorpusTotals { passages: chunks as u64, words: words.map(|words| words as u64) },
        })
    }
}

/// The name of a way of stemming in rows.
pub(super) fn stemming_name(stemming: Stemming) -> &'static str {
    match stemming {
        Stemming::None => "none",
        Stemming::English => "english",
    }
}

fn stemming_of(name: &str) -> Result<Stemming, EngineFault> {
    match name {
        "none" => Ok(Stemming::None),
        "english" => Ok(Stemming::English),
        _ => Err(outdated(format!("the words of the index are stemmed in an unknown way: {name}"))),
    }
}

/// Rows or the file that are not what they should be.
pub(super) fn damaged(why: &str) -> EngineFault {
    hinted(EngineErrorCode::Damaged, format!("the index file {LISTING_FILE} is damaged: {why}"), REBUILD)
}

/// An index that was built differently.
pub(super) fn outdated(why: impl Into<String>) -> EngineFault {
    hinted(EngineErrorCode::Outdated, why, REBUILD)
}
