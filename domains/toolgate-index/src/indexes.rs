//! The indexes of one gateway process: what the tools work on.

use std::path::PathBuf;
use std::sync::Arc;

use engine_protocol::EngineKind;
use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_documents::Documents;
use toolgate_engine::EngineLink;
use toolgate_files::Files;
use toolgate_store::{Books, Store};
use toolgate_substrate::Substrate;
use toolgate_work::WorkDesk;

use crate::listing::KeptListings;
use crate::profiles::{KnownProfile, ProfileShelf};
use crate::refusal::down;

/// `[index]` of the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexSettings {
    /// A folder with more profiles, or more versions of the built-in ones.
    pub profiles: Option<PathBuf>,
    pub engine: EngineKind,
    /// Pointers that move are ingested by themselves, if their profile says so.
    pub follow: bool,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self { profiles: None, engine: EngineKind::Inside, follow: true }
    }
}

pub struct IndexSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub files: Arc<Files>,
    pub clock: Arc<dyn Clock>,
    pub substrate: Arc<Substrate>,
    pub engine: Arc<EngineLink>,
    pub documents: Arc<Documents>,
    pub work: Arc<WorkDesk>,
    pub settings: IndexSettings,
}

/// The state of the tools `index.*`.
pub struct Indexes {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) files: Arc<Files>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) substrate: Arc<Substrate>,
    pub(crate) engine: Arc<EngineLink>,
    pub(crate) documents: Arc<Documents>,
    pub(crate) work: Arc<WorkDesk>,
    pub(crate) settings: IndexSettings,
    pub(crate) shelf: ProfileShelf,
    pub(crate) listings: KeptListings,
}

impl Indexes {
    /// Refused if a file of the folder of profiles cannot be used.
    pub(crate) fn new(setup: IndexSetup) -> Result<Arc<Self>, Refusal> {
        let IndexSetup { store, books, files, clock, substrate, engine, documents, work, settings } = setup;
        let shelf = ProfileShelf::open(settings.profiles.as_deref())?;
        let listings = KeptListings::default();
        Ok(Arc::new(Self {
            store,
            books,
            files,
            clock,
            substrate,
            engine,
            documents,
            work,
            settings,
            shelf,
            listings,
        }))
    }

    /// The version of a profile that counts: the one that was promoted last, else the first. A promoted version whose file is gone is
    /// refused by its number, rather than replaced by another one without a word.
    pub(crate) async fn active_profile(&self, name: &str) -> Result<Arc<KnownProfile>, Refusal> {
        let first = self.shelf.first(name)?;
        let promoted = self.store.active_profile(name).await.map_err(|error| down(&error))?;
        match promoted {
            None => Ok(Arc::clone(first)),
            Some(active) => {
                self.shelf.version(name, u32::try_from(active.version).unwrap_or(u32::MAX)).map(Arc::clone)
            }
        }
    }

    /// The engine's name in rows.
    pub(crate) fn engine_name(&self) -> &'static str {
        engine_name(self.settings.engine)
    }
}

pub(crate) fn engine_name(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Inside => "inside",
        EngineKind::Postgres => "postgres",
    }
}
