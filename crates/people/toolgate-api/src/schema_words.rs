//! Versions of schemas, from the view of the API: what changed between two of them, in words.

use serde::Serialize;
use toolgate_core::port::BoxFuture;
use toolgate_core::schema::SchemaRecord;
use utoipa::ToSchema;

/// The changes from one version of a schema to another
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct SchemaChangesView {
    /// The version that it is compared with.
    pub from: u64,
    /// All of it in one sentence, without a full stop.
    pub summary: String,
    pub changes: Vec<SchemaChangeView>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct SchemaChangeView {
    /// a.b, list[]; empty for the whole.
    pub path: String,
    pub words: String,
}

/// The port to the comparison of schemas.
pub trait SchemaPort: Send + Sync {
    fn changes(&self, old: SchemaRecord, new: SchemaRecord) -> BoxFuture<'static, SchemaChangesView>;
}
