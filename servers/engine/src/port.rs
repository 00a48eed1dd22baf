//! The port behind which indexes are built and searched: files of the engine itself (`inside`), or rows of Postgres (`postgres`).
//!
//! Every function blocks. The program calls them on a bounded number of threads.

use engine_protocol::{
    BeginBuild, EngineFault, Explain, Explanation, IndexListing, IngestDocument, PassageHit, Search,
};

use crate::chunks::Chunk;

/// Builds and searches indexes.
pub(crate) trait Engine: Send + Sync {
    fn begin(&self, begin: &BeginBuild) -> Result<Box<dyn Build>, EngineFault>;

    fn search(&self, search: &Search, query: &QueryParts) -> Result<FoundHits, EngineFault>;

    fn explain(&self, explain: &Explain, query: &QueryParts) -> Result<Explanation, EngineFault>;

    /// The texts of hits, in their order.
    fn passages(&self, hits: &[PassageHit], search: &Search) -> Result<Vec<StoredChunk>, EngineFault>;

    /// Opens a version and reads what can be wrong in it.
    fn check(&self, listing: &IndexListing) -> Result<(), EngineFault>;
}

/// A version of an index in the making. One that is dropped leaves nothing behind.
pub(crate) trait Build: Send {
    /// Replaces a document of the same path.
    fn put(&mut self, document: &IngestDocument, chunks: Vec<EmbeddedChunk>) -> Result<(), EngineFault>;

    fn drop_document(&mut self, path: &str) -> Result<(), EngineFault>;

    /// The files lie in the folder of contents afterwards.
    fn finish(self: Box<Self>) -> Result<IndexListing, EngineFault>;
}

/// A passage with its vector, if its profile asks for one and there is a model.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct EmbeddedChunk {
    pub(crate) chunk: Chunk,
    /// Of length 1.
    pub(crate) vector: Option<Vec<f32>>,
}

/// A query as the engines take it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct QueryParts {
    /// At most [`QUERY_BYTES_MAX`](crate::searches::QUERY_BYTES_MAX) of what the caller wrote, and not empty.
    pub(crate) text: String,
    /// Of length 1; none if words alone are searched.
    pub(crate) vector: Option<Vec<f32>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FoundHits {
    pub(crate) hits: Vec<PassageHit>,
    /// True if vectors took part.
    pub(crate) by_meaning: bool,
    pub(crate) warnings: Vec<String>,
}

/// A hit with the passage that it stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StoredChunk {
    pub(crate) hit: PassageHit,
    pub(crate) chunk: Chunk,
}
