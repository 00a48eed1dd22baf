//! The public data of schemas. Times are RFC 3339.

use serde::Serialize;
use toolgate_core::RawJson;
use toolgate_core::moment::rfc3339;
use toolgate_core::schema::SchemaRecord;
use utoipa::ToSchema;

use crate::schema_words::SchemaChangesView;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SchemasPage {
    pub(super) schemas: Vec<SchemaView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// A version of a schema
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Schema)]
pub(crate) struct SchemaView {
    #[schema(example = "sch_0198f5c2a4b07c3d8e1f")]
    id: String,
    namespace: String,
    name: String,
    version: u64,
    /// structured_type, ontology_class, relationship_type or enum
    #[serde(rename = "type")]
    kind: &'static str,
    /// none, backward, forward, full, or one of them with _transitive
    compatibility: &'static str,
    /// draft, active, deprecated or superseded
    status: &'static str,
    /// Of the definition with sorted members.
    digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    created_by: String,
    created_at: String,
    /// The principal that brought it into its status.
    status_by: String,
    status_since: String,
}

/// A version of a schema with its definition
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SchemaDetailView {
    pub(super) schema: SchemaView,
    #[schema(value_type = Object)]
    pub(super) definition: RawJson,
    /// Since another version, usually the one before. The first version has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<SchemaChangesView>,
    /// The definition that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(super) compared: Option<RawJson>,
}

impl From<SchemaRecord> for SchemaView {
    fn from(schema: SchemaRecord) -> Self {
        Self {
            id: schema.id.to_string(),
            version: schema.version,
            kind: schema.kind.as_str(),
            compatibility: schema.mode.as_str(),
            status: schema.state.as_str(),
            digest: schema.digest.to_string(),
            namespace: schema.namespace,
            name: schema.name,
            description: schema.description,
            created_by: schema.created_by.to_string(),
            created_at: rfc3339(schema.created_at_ms),
            status_by: schema.state_by.to_string(),
            status_since: rfc3339(schema.state_since_ms),
        }
    }
}
