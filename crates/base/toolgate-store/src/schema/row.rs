//! The row of a version.

use toolgate_core::id::SchemaId;
use toolgate_core::schema::{CompatibilityMode, SchemaKind, SchemaRecord, SchemaState};
use toolgate_core::{Digest, PrincipalId};

use crate::StoreError;
use crate::registry::{read_count, read_raw, unreadable};
use crate::row::row;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT id, namespace, name, version, kind, mode, state, digest, definition, description, created_by, \
             created_at_ms, state_by, state_since_ms FROM schemas",
            $conditions
        )
    };
}

pub(super) use select;

/// Definitions may be long, and a list does not show them.
pub(super) const LISTED: &str =
    "SELECT id, namespace, name, version, kind, mode, state, digest, '{}' AS definition, description, created_by,
        created_at_ms, state_by, state_since_ms FROM schemas";

row! {
    pub(super) struct SchemaRow {
        id: String,
        namespace: String,
        name: String,
        version: i64,
        kind: String,
        mode: String,
        state: String,
        digest: Vec<u8>,
        definition: String,
        description: Option<String>,
        created_by: String,
        created_at_ms: i64,
        state_by: String,
        state_since_ms: i64,
    }
}

impl SchemaRow {
    pub(super) fn read(self, doing: &'static str) -> Result<SchemaRecord, StoreError> {
        let digest = self.digest.as_slice().try_into().map(Digest::from_bytes);
        Ok(SchemaRecord {
            id: SchemaId::new(self.id),
            kind: read_kind(&self.kind, doing)?,
            mode: read_mode(&self.mode, doing)?,
            state: SchemaState::parse(&self.state).ok_or_else(|| unreadable(doing, "state of a schema"))?,
            digest: digest.map_err(|_| unreadable(doing, "digest of a schema"))?,
            definition: read_raw(self.definition, doing, "definition of a schema")?,
            namespace: self.namespace,
            name: self.name,
            version: read_count(self.version),
            description: self.description,
            created_by: PrincipalId::new(&self.created_by),
            created_at_ms: self.created_at_ms,
            state_by: PrincipalId::new(&self.state_by),
            state_since_ms: self.state_since_ms,
        })
    }
}

pub(super) fn read_kind(text: &str, doing: &'static str) -> Result<SchemaKind, StoreError> {
    SchemaKind::parse(text).ok_or_else(|| unreadable(doing, "type of a schema"))
}

pub(super) fn read_mode(text: &str, doing: &'static str) -> Result<CompatibilityMode, StoreError> {
    CompatibilityMode::parse(text).ok_or_else(|| unreadable(doing, "compatibility of a schema"))
}
