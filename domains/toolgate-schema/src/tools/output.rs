//! Schemas as tools show them. Times are RFC 3339.

use schema_words::SchemaDifference;
use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::schema::SchemaRecord;

pub(super) const NAMESPACE_USUAL: &str = "default";

pub(super) fn namespace_usual() -> String {
    NAMESPACE_USUAL.to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SchemaOutput {
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
    /// Of the definition with sorted members
    sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    created_by: String,
    created_at: String,
    /// The principal that brought it into its status
    status_by: String,
    status_since: String,
}

impl SchemaOutput {
    pub(super) fn of(schema: &SchemaRecord) -> Self {
        Self {
            id: schema.id.to_string(),
            namespace: schema.namespace.clone(),
            name: schema.name.clone(),
            version: schema.version,
            kind: schema.kind.as_str(),
            compatibility: schema.mode.as_str(),
            status: schema.state.as_str(),
            sha256: schema.digest.to_string(),
            description: schema.description.clone(),
            created_by: schema.created_by.to_string(),
            created_at: rfc3339(schema.created_at_ms),
            status_by: schema.state_by.to_string(),
            status_since: rfc3339(schema.state_since_ms),
        }
    }
}

pub(super) fn object_ref(schema: &SchemaRecord) -> ObjectRef {
    ObjectRef::Schema { id: schema.id.to_string() }
}

/// The changes from one version to another.
#[derive(Serialize, JsonSchema)]
pub(super) struct DifferenceOutput {
    /// The version that it is compared with
    from: u64,
    /// All of it in one sentence
    summary: String,
    changes: Vec<ChangeOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ChangeOutput {
    /// a.b, list[]; empty for the whole
    path: String,
    words: String,
}

impl DifferenceOutput {
    pub(super) fn of(from: u64, difference: SchemaDifference) -> Self {
        let SchemaDifference { summary, changes } = difference;
        let changes =
            changes.into_iter().map(|change| ChangeOutput { path: change.path, words: change.words });
        Self { from, summary, changes: changes.collect() }
    }
}
