//! The engines that this program has: its own files always, Postgres if its address is given.

use std::path::PathBuf;
use std::sync::Arc;

use engine_protocol::{EngineFault, EngineKind, IndexListing, PostgresFacts};
use parking_lot::Mutex;

use crate::contents::Contents;
use crate::fault::{bad_request, unsupported};
use crate::inside::InsideEngine;
use crate::model::ModelSlot;
use crate::options::POSTGRES_VARIABLE;
use crate::port::Engine;
use crate::postgres::PostgresEngine;

pub(crate) struct Engines {
    inside: Arc<InsideEngine>,
    contents: Arc<Contents>,
    model: Arc<ModelSlot>,
    postgres_url: Option<String>,
    /// Connected by the first request that needs it, and again after a failure.
    postgres: Mutex<Option<Arc<PostgresEngine>>>,
}

impl Engines {
    /// `scratch` is there and the engine's own.
    pub(crate) fn new(
        contents: Arc<Contents>,
        model: Arc<ModelSlot>,
        scratch: PathBuf,
        postgres_url: Option<String>,
    ) -> Self {
        let inside = Arc::new(InsideEngine::new(Arc::clone(&contents), scratch));
        Self { inside, contents, model, postgres_url, postgres: Mutex::new(None) }
    }

    pub(crate) fn of(&self, kind: EngineKind) -> Result<Arc<dyn Engine>, EngineFault> {
        match kind {
            EngineKind::Inside => Ok(Arc::clone(&self.inside) as Arc<dyn Engine>),
            EngineKind::Postgres => Ok(self.postgres()? as Arc<dyn Engine>),
        }
    }

    /// The one that has all of these. Scores of two engines cannot be compared.
    pub(crate) fn of_all<'a>(
        &self,
        listings: impl IntoIterator<Item = &'a IndexListing>,
    ) -> Result<Arc<dyn Engine>, EngineFault> {
        let mut kinds = listings.into_iter().map(|listing| listing.engine);
        let Some(first) = kinds.next() else {
            return Err(bad_request("no index is named", "name at least one index to search"));
        };
        if kinds.any(|kind| kind != first) {
            return Err(bad_request(
                "the indexes are of different engines",
                "search those of each engine by themselves",
            ));
        }
        self.of(first)
    }

    /// The abilities of the database; a sentence about its absence if it cannot be reached.
    pub(crate) fn postgres_facts(&self) -> Option<PostgresFacts> {
        self.postgres_url.as_ref()?;
        Some(match self.postgres() {
            Ok(engine) => engine.facts(),
            Err(fault) => PostgresFacts {
                version: String::new(),
                vector: None,
                bm25: None,
                lacking: vec![format!("the database cannot be used now: {}", fault.message)],
            },
        })
    }

    fn postgres(&self) -> Result<Arc<PostgresEngine>, EngineFault> {
        let Some(url) = &self.postgres_url else {
            return Err(unsupported(
                "this engine has no Postgres database",
                &format!("its address is given in the environment variable {POSTGRES_VARIABLE}"),
            ));
        };
        let mut slot = self.postgres.lock();
        if let Some(engine) = &*slot {
            return Ok(Arc::clone(engine));
        }
        let model = self.model.digest()?;
        let engine = Arc::new(PostgresEngine::connect(url, Arc::clone(&self.contents), model)?);
        *slot = Some(Arc::clone(&engine));
        Ok(engine)
    }
}
