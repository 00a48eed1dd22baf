//! The schemas of one gateway process: what the tools work on.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate_core::governance::Clock;
use toolgate_core::schema::{SchemaRecord, SchemaValidator, ValueVerdict};
use toolgate_core::{Digest, RawJson, Refusal};
use toolgate_files::Files;
use toolgate_store::{Books, Store};

use crate::checks;
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

    /// Holds a value against a version. That takes processor time, so it does not hold up other calls.
    pub(crate) async fn verdict(&self, schema: &SchemaRecord, value: Value) -> ValueVerdict {
        let (validator, definition) = (Arc::clone(&self.validator), schema.definition.clone());
        let validate = move || validator.validate(&definition, &value);
        tokio::task::spawn_blocking(validate).await.expect("validating does not panic")
    }

    /// The same for a definition on its way in.
    pub(crate) async fn check_definition(
        &self,
        definition: Map<String, Value>,
    ) -> Result<(RawJson, Digest), Refusal> {
        let validator = Arc::clone(&self.validator);
        let check = move || checks::definition(&*validator, definition);
        tokio::task::spawn_blocking(check).await.expect("checking a definition does not panic")
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
