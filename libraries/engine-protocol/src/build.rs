//! Building an index: begin from the one before, put and drop documents, finish.
//!
//! A build lives in the engine's memory and folder alone. One that is lost with its engine is begun again; embeddings are kept apart,
//! so that the second try is cheap.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::ContentId;
use crate::profile::Profile;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// Files of the engine itself.
    #[default]
    Inside,
    /// Rows of a Postgres database.
    Postgres,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BuildId(pub u64);

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BeginBuild {
    pub engine: EngineKind,
    /// Unique per index, stable over its versions: the namespace and name of its pointer.
    pub name: String,
    /// The version to go on from. Its profile and model must be those of now.
    pub base: Option<IndexListing>,
    pub profile: Profile,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StartedBuild {
    pub build: BuildId,
}

/// A document of the index. One with the same path replaces the one before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct IngestDocument {
    pub path: String,
    pub artifact: ContentId,
    /// Its DocIR, which lies in the folder.
    pub docir: ContentId,
    pub media_type: Option<String>,
    /// Of its entry in the manifest: what filters compare.
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PutDocuments {
    pub build: BuildId,
    pub documents: Vec<IngestDocument>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PutSummary {
    pub documents: u64,
    pub chunks: u64,
    /// Vectors that were computed, and those that were known.
    pub embedded: u64,
    pub reused: u64,
    pub refused: Vec<RefusedDocument>,
}

/// A document that cannot be indexed; the others are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RefusedDocument {
    pub path: String,
    pub why: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DropDocuments {
    pub build: BuildId,
    pub paths: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FinishBuild {
    pub build: BuildId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AbandonBuild {
    pub build: BuildId,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FinishedBuild {
    pub listing: IndexListing,
}

/// One version of an index: immutable files, which lie in the folder. It is all that an engine needs to search it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexListing {
    pub engine: EngineKind,
    /// Changes with the form of the files.
    pub format: u32,
    /// Sorted by name.
    pub files: Vec<IndexFile>,
    pub documents: u64,
    pub chunks: u64,
    /// The digest of the model whose vectors it has, if any.
    pub model: Option<String>,
    /// `name@version`.
    pub profile: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexFile {
    pub name: String,
    pub content: ContentId,
    pub bytes: u64,
}
