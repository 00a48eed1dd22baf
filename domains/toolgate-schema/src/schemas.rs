//! The schemas of one gateway process: what the tools work on.

use std::sync::Arc;

use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_core::schema::{SchemaRecord, SchemaValidator};
use toolgate_files::Files;
use toolgate_store::{Books, Store};

use crate::refusal::{down, unknown, unknown_version};

pub struct SchemaSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub files: Arc<Files>,
    pub clock: Arc<dyn Clock>,
    pub validator: Arc<dyn SchemaValidator>,
}

/// The state of the tools `schema.*`.
pub struct SchemaVersions {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) files: Arc<Files>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) validator: Arc<dyn SchemaValidator>,
}

impl SchemaVersions {
    pub fn new(setup: SchemaSetup) -> Arc<Self> {
        let SchemaSetup { store, books, files, clock, validator } = setup;
        Arc::new(Self { store, books, files, clock, validator })
    }

    /// A version of a schema; without a number the active one.
    pub(crate) async fn version(
        &self,
        namespace: &str,
        name: &str,
        version: Option<u64>,
    ) -> Result<SchemaRecord, Refusal> {
        let found = match version {
            Some(version) => self.store.schema_version(namespace, name, version).await,
            None => self.store.active_schema(namespace, name).await,
        };
        found.map_err(|error| down(&error))?.ok_or_else(|| match version {
            Some(version) => unknown_version(namespace, name, version),
            None => unknown(namespace, name),
        })
    }
}
