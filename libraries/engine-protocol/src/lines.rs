//! The lines themselves.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::build::{
    AbandonBuild, BeginBuild, DropDocuments, FinishBuild, FinishedBuild, IndexListing, PutDocuments,
    PutSummary, StartedBuild,
};
use crate::content::ContentId;
use crate::document::{Classified, Classify, PagePicture, Parse, Parsed, RenderedPicture};
use crate::search::{Explain, Explanation, Passage, Passages, Search, SearchAnswer};

/// The version of these lines. A gateway and an engine that differ in it refuse each other.
pub const PROTOCOL: u32 = 1;

/// `{"id": 7, "method": "parse", "params": {…}}`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RequestLine {
    pub id: u64,
    #[serde(flatten)]
    pub request: EngineRequest,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "snake_case")]
pub enum EngineRequest {
    Hello,
    Parse(Parse),
    PagePicture(PagePicture),
    Classify(Classify),
    BeginBuild(Box<BeginBuild>),
    PutDocuments(PutDocuments),
    DropDocuments(DropDocuments),
    FinishBuild(FinishBuild),
    AbandonBuild(AbandonBuild),
    Search(Box<Search>),
    Explain(Box<Explain>),
    Passages(Box<Passages>),
    /// Opens the files of a version and answers with what is wrong, if anything: a fault `damaged` names the file.
    Check(Box<IndexListing>),
    /// The request with this number is no longer wanted. It is answered as cancelled; this one has no answer.
    Cancel(u64),
}

/// One line of the engine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineLine {
    Result { id: u64, result: Value },
    Error { id: u64, error: EngineFault },
    Progress { id: u64, done: u64, total: u64 },
}

/// The type of the answer to a request.
pub trait EngineAnswer: serde::de::DeserializeOwned + Serialize {}

impl EngineAnswer for EngineGreeting {}
impl EngineAnswer for Parsed {}
impl EngineAnswer for RenderedPicture {}
impl EngineAnswer for Classified {}
impl EngineAnswer for StartedBuild {}
impl EngineAnswer for PutSummary {}
impl EngineAnswer for FinishedBuild {}
impl EngineAnswer for SearchAnswer {}
impl EngineAnswer for Explanation {}
impl EngineAnswer for Vec<Passage> {}
/// Of `drop_documents`, `abandon_build` and `check`.
impl EngineAnswer for () {}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineGreeting {
    pub protocol: u32,
    /// Of the program.
    pub version: String,
    /// Part of the key of a parse: changes when the same bytes would be parsed differently.
    pub parser: String,
    /// The form of index files that it writes.
    pub format: u32,
    pub model: Option<ModelFacts>,
    /// True if OCR is there.
    pub reads_pictures: bool,
    pub postgres: Option<PostgresFacts>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModelFacts {
    pub name: String,
    pub digest: String,
    pub dimensions: u32,
}

/// The abilities of the database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PostgresFacts {
    pub version: String,
    /// The version of pgvector, if it is there.
    pub vector: Option<String>,
    /// The extension that scores by BM25, if there is one: `pg_textsearch` or `pg_search`. Else Postgres' own ranking.
    pub bm25: Option<String>,
    /// Sentences about what is missing and what works all the same.
    pub lacking: Vec<String>,
}

/// A failed request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct EngineFault {
    pub code: EngineErrorCode,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Of `missing_contents`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<ContentId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineErrorCode {
    /// Put them in the folder and ask again.
    MissingContents,
    /// The document cannot be read: damaged, encrypted, of no known format, past a limit.
    Unreadable,
    /// A file of an index is not what it should be.
    Damaged,
    /// The profile, the model or the form differs from the index: it has to be built anew.
    Outdated,
    UnknownBuild,
    BadRequest,
    TooLarge,
    /// Nothing is configured that could do it, such as Postgres or a model.
    Unsupported,
    TimedOut,
    Cancelled,
    Internal,
}
