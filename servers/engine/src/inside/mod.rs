//! The engine's own indexes: words with `tantivy`, meaning by vectors, both in immutable files.
//!
//! A build (`build/`) makes the files of a version from those of the version before; a version (`version.rs`) is opened once and kept
//! (`versions.rs`). A search ranks passages by words (`words/`) and by meaning (`meaning/`), makes one order of both and reads the
//! passages (`search/`).
//!
//! Scores are our own: `tantivy` writes and reads postings, but has fixed constants of BM25 and counts removed passages. Statistics
//! are summed over exactly the indexes of a search, so that several of them score as one would.

mod behind;
mod bits;
mod build;
mod corpus;
mod facts;
mod faults;
mod files;
mod filter;
mod meaning;
mod record;
mod schema;
mod search;
#[cfg(test)]
mod tests;
mod tokens;
mod vectors;
mod verified;
mod version;
mod versions;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

use engine_protocol::{BeginBuild, EngineFault, Explain, Explanation, IndexListing, PassageHit, Search};

use crate::contents::Contents;
use crate::port::{Build, Engine, FoundHits, QueryParts, StoredChunk};
use build::InsideBuild;
use search::OpenedSearch;
use versions::OpenVersions;

pub(crate) use facts::FORMAT;

/// Builds and searches indexes of the engine's own files.
pub(crate) struct InsideEngine {
    contents: Arc<Contents>,
    versions: OpenVersions,
    /// Unfinished builds and the files of open versions by name; emptied at the start.
    folder: PathBuf,
}

impl InsideEngine {
    pub(crate) fn new(contents: Arc<Contents>, folder: PathBuf) -> Self {
        files::remove_leftovers(&folder);
        let versions = OpenVersions::new(Arc::clone(&contents), folder.clone());
        Self { contents, versions, folder }
    }
}

impl Engine for InsideEngine {
    fn begin(&self, begin: &BeginBuild) -> Result<Box<dyn Build>, EngineFault> {
        let base = begin.base.as_ref().map(|base| self.versions.open(base)).transpose()?;
        Ok(Box::new(InsideBuild::begin(&self.contents, &self.folder, begin, base)?))
    }

    fn search(&self, search: &Search, query: &QueryParts) -> Result<FoundHits, EngineFault> {
        OpenedSearch::open(&self.versions, search, query)?.hits()
    }

    fn explain(&self, explain: &Explain, query: &QueryParts) -> Result<Explanation, EngineFault> {
        OpenedSearch::open(&self.versions, &explain.search, query)?.explain(&explain.hit)
    }

    fn passages(&self, hits: &[PassageHit], search: &Search) -> Result<Vec<StoredChunk>, EngineFault> {
        search::passages(&self.versions, hits, search)
    }

    fn check(&self, listing: &IndexListing) -> Result<(), EngineFault> {
        self.versions.open_anew(listing).map(drop)
    }
}
