//! Indexes as rows of a Postgres database, in a schema of their own.
//!
//! `schema.rs` says how a version is stored, `build.rs` how one is made, `search.rs` how it is searched. Scores mean the same as those
//! of the engine's own files: words by BM25 over postings that we pack ourselves, meaning by exact cosines of `pgvector`, statistics
//! of exactly the versions that a search names. Everything but meaning works on any Postgres; `abilities.rs` says what is missing.

mod abilities;
mod batch;
mod build;
mod check;
mod copy;
mod database;
mod engine;
mod explain;
mod listing;
mod meaning;
mod packing;
mod ranges;
mod retention;
mod rows;
mod schema;
mod scope;
mod search;
mod segment;
mod state;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use engine_protocol::{
    BeginBuild, EngineFault, Explain, Explanation, IndexListing, PassageHit, PostgresFacts, Search,
};

use crate::contents::Contents;
use crate::port::{Build, Engine, FoundHits, QueryParts, StoredChunk};
use build::PostgresBuild;
use database::SEARCH_LIMIT;
use engine::EngineCore;
use listing::VersionName;
use scope::{SearchScope, version_names};
use search::RankedSearch;

/// Builds and searches indexes in a database.
pub(crate) struct PostgresEngine {
    core: Arc<EngineCore>,
}

impl PostgresEngine {
    /// Connects, makes the tables that are missing, and finds out what the database can do. `model` is the digest of the model whose
    /// vectors will be put.
    pub(crate) fn connect(
        url: &str,
        contents: Arc<Contents>,
        model: Option<String>,
    ) -> Result<Self, EngineFault> {
        Ok(Self { core: Arc::new(EngineCore::open(url, contents, model)?) })
    }

    pub(crate) fn facts(&self) -> PostgresFacts {
        self.core.abilities.facts.clone()
    }
}

impl Engine for PostgresEngine {
    fn begin(&self, begin: &BeginBuild) -> Result<Box<dyn Build>, EngineFault> {
        Ok(Box::new(PostgresBuild::begin(&self.core, begin)?))
    }

    fn search(&self, search: &Search, query: &QueryParts) -> Result<FoundHits, EngineFault> {
        search::check_search(search, query)?;
        let (core, names) = (&self.core, version_names(&self.core, &search.indexes)?);
        core.database.wait(SEARCH_LIMIT, async {
            let mut tx = core.database.reading().await?;
            let scope = SearchScope::open(core, &mut tx, &names, search).await?;
            RankedSearch::new(core, &mut tx, scope, search, query).await?.found(&mut tx, search).await
        })
    }

    fn explain(&self, explain: &Explain, query: &QueryParts) -> Result<Explanation, EngineFault> {
        let search = &explain.search;
        search::check_search(search, query)?;
        let (core, names) = (&self.core, version_names(&self.core, &search.indexes)?);
        core.database.wait(SEARCH_LIMIT, async {
            let mut tx = core.database.reading().await?;
            let scope = SearchScope::open(core, &mut tx, &names, search).await?;
            let ranked = RankedSearch::new(core, &mut tx, scope, search, query).await?;
            explain::explanation(&mut tx, ranked, explain).await
        })
    }

    fn passages(&self, hits: &[PassageHit], search: &Search) -> Result<Vec<StoredChunk>, EngineFault> {
        let core = &self.core;
        core.database.wait(SEARCH_LIMIT, async {
            let mut tx = core.database.reading().await?;
            search::stored(core, &mut tx, hits, search).await
        })
    }

    fn check(&self, listing: &IndexListing) -> Result<(), EngineFault> {
        let (core, name) = (&self.core, VersionName::read(&self.core.contents, listing)?);
        core.database.wait(SEARCH_LIMIT, async {
            let mut tx = core.database.reading().await?;
            check::check(core, &mut tx, &name, listing).await
        })
    }
}
