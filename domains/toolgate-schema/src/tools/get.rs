//! `schema.get`: a version with its definition.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_core::id::SchemaId;
use toolgate_core::schema::SchemaRecord;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::{DifferenceOutput, SchemaOutput, namespace_usual, object_ref};
use crate::refusal::{down, invalid};
use crate::review;
use crate::schemas::SchemaVersions;

pub(super) const GET: ToolDefinition = ToolDefinition::reads(
    "schema.get",
    "Show a schema",
    "Shows a version of a schema with its definition, by name or by id, and what changed since another version.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetSchemaArguments {
    #[serde(default = "namespace_usual")]
    namespace: String,
    name: Option<String>,
    /// Usually the active one
    version: Option<u64>,
    /// sch_…, in place of namespace, name and version
    schema_id: Option<String>,
    /// A version of the same name; the answer says what changed since then
    compare_to: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct GetSchemaOutput {
    schema: SchemaOutput,
    definition: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceOutput>,
}

pub(super) async fn get(
    schemas: Arc<SchemaVersions>,
    _context: ToolContext,
    arguments: GetSchemaArguments,
) -> Result<ToolReply<GetSchemaOutput>, Refusal> {
    let schema = find(&schemas, &arguments).await?;
    let difference = match arguments.compare_to {
        None => None,
        Some(other) => {
            let old = schemas.version(&schema.namespace, &schema.name, Some(other)).await?;
            Some(DifferenceOutput::of(other, review::difference(&old, &schema).await))
        }
    };
    let definition = schema.definition.decode().unwrap_or_default();
    let data = GetSchemaOutput { schema: SchemaOutput::of(&schema), definition, difference };
    Ok(ToolReply::new(data).refs([object_ref(&schema)]))
}

async fn find(schemas: &SchemaVersions, arguments: &GetSchemaArguments) -> Result<SchemaRecord, Refusal> {
    match (&arguments.schema_id, &arguments.name) {
        (Some(id), None) => {
            let found = schemas.store.schema_by_id(&SchemaId::new(id.as_str())).await;
            let unknown = || Refusal::new(&codes::UNKNOWN_SCHEMA, format!("there is no schema {id:?}"));
            found.map_err(|error| down(&error))?.ok_or_else(unknown)
        }
        (None, Some(name)) => schemas.version(&arguments.namespace, name, arguments.version).await,
        (Some(_), Some(_)) => {
            Err(invalid("both `name` and `schema_id` are given", "schema_id").hint("give one of them"))
        }
        (None, None) => {
            Err(invalid("neither `name` nor `schema_id` is given", "name").hint("give one of them"))
        }
    }
}
