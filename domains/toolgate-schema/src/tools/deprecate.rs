//! `schema.deprecate`: the active version ends, and nothing takes its place.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::tool::ToolTrait;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, SchemaDeprecation};

use super::output::{SchemaOutput, namespace_usual, object_ref};
use crate::checks;
use crate::refusal::changed;
use crate::schemas::SchemaVersions;

pub(super) const DEPRECATE: ToolDefinition = ToolDefinition::writes(
    "schema.deprecate",
    "Deprecate a schema",
    "Ends the active version of a schema, which version must name. It stays readable, and values can still be checked against it by its number.",
)
.traits(&[ToolTrait::SchemaChange]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct DeprecateSchemaArguments {
    #[serde(default = "namespace_usual")]
    namespace: String,
    name: String,
    version: u64,
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DeprecateSchemaOutput {
    schema: SchemaOutput,
}

pub(super) async fn deprecate(
    schemas: Arc<SchemaVersions>,
    context: ToolContext,
    arguments: DeprecateSchemaArguments,
) -> Result<ToolReply<DeprecateSchemaOutput>, Refusal> {
    let DeprecateSchemaArguments { namespace, name, version, reason } = &arguments;
    reason.as_deref().map_or(Ok(()), checks::reason)?;
    let deprecation = SchemaDeprecation {
        namespace,
        name,
        version: *version,
        reason: reason.as_deref(),
        at_ms: schemas.clock.now_ms(),
    };
    let ended = schemas.books.deprecate_schema(&deprecation, &Actor::of(&context.holder)).await;
    let schema = ended.map_err(|error| changed(error, (namespace, name, *version), None))?;
    let refs = [object_ref(&schema)];
    Ok(ToolReply::new(DeprecateSchemaOutput { schema: SchemaOutput::of(&schema) }).refs(refs))
}
