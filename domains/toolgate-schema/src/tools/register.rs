//! `schema.register`: a definition becomes a draft.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::id::SchemaId;
use toolgate_core::schema::{CompatibilityMode, SchemaKind, SchemaState};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, NewSchema};

use super::output::{DifferenceOutput, SchemaOutput, namespace_usual, object_ref};
use crate::checks;
use crate::refusal::{changed, invalid};
use crate::review::FutureChange;
use crate::schemas::SchemaVersions;

pub(super) const REGISTER: ToolDefinition = ToolDefinition::writes(
    "schema.register",
    "Register a schema",
    "Keeps a JSON Schema as a draft, the next version of its name. The same definition again is the same version. Says what changed since the \
     active version, and whether it could be promoted.",
)
.idempotent();

#[derive(Deserialize, JsonSchema)]
pub(super) struct RegisterSchemaArguments {
    #[serde(default = "namespace_usual")]
    namespace: String,
    name: String,
    /// A JSON Schema, whole: references lead into its own $defs
    definition: Map<String, Value>,
    /// Of the name, set by its first version; usually structured_type
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["structured_type", "ontology_class", "relationship_type", "enum"]))]
    kind: Option<String>,
    /// The promise that promotions of this name keep, set by its first version; usually backward: earlier data fits the new version
    #[schemars(extend("enum" = ["none", "backward", "backward_transitive", "forward", "forward_transitive", "full",
        "full_transitive"]))]
    compatibility: Option<String>,
    description: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RegisterSchemaOutput {
    schema: SchemaOutput,
    /// True if a version with this definition was there already
    is_duplicate: bool,
    /// Since the version that it would replace
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceOutput>,
    /// Set if it does not keep the compatibility, or is not known to
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(super) async fn register(
    schemas: Arc<SchemaVersions>,
    context: ToolContext,
    arguments: RegisterSchemaArguments,
) -> Result<ToolReply<RegisterSchemaOutput>, Refusal> {
    let new = checked(&schemas, arguments).await?;
    let registered = schemas.books.register_schema(&new, &Actor::of(&context.holder)).await;
    let registered = registered.map_err(|error| changed(error, (&new.namespace, &new.name, 0), None))?;
    let schema = registered.schema;
    let FutureChange { difference, problem } = match schema.state {
        // It is registered, whatever can be said about its promotion.
        SchemaState::Draft => schemas
            .look_ahead(&schema)
            .await
            .unwrap_or_else(|refusal| FutureChange { difference: None, problem: Some(refusal.message) }),
        SchemaState::Active | SchemaState::Deprecated | SchemaState::Superseded => {
            FutureChange { difference: None, problem: None }
        }
    };
    let difference = difference.map(|(from, difference)| DifferenceOutput::of(from, difference));
    let data = RegisterSchemaOutput {
        schema: SchemaOutput::of(&schema),
        is_duplicate: registered.is_duplicate,
        difference,
        problem,
    };
    Ok(ToolReply::new(data).refs([object_ref(&schema)]))
}

async fn checked(schemas: &SchemaVersions, arguments: RegisterSchemaArguments) -> Result<NewSchema, Refusal> {
    let RegisterSchemaArguments { namespace, name, definition, kind, compatibility, description } = arguments;
    checks::name(&namespace, "namespace")?;
    checks::name(&name, "name")?;
    description.as_deref().map_or(Ok(()), checks::description)?;
    let kind = kind.map(|kind| word(&kind, "type", SchemaKind::parse)).transpose()?;
    let mode =
        compatibility.map(|mode| word(&mode, "compatibility", CompatibilityMode::parse)).transpose()?;
    let (definition, digest) = schemas.check_definition(definition).await?;
    Ok(NewSchema {
        id: SchemaId::new(schemas.clock.fresh_id(SchemaId::PREFIX)),
        namespace,
        name,
        kind,
        mode,
        digest,
        definition,
        description,
        at_ms: schemas.clock.now_ms(),
    })
}

/// One of the words that the schema lists.
pub(super) fn word<T>(
    text: &str,
    field: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, Refusal> {
    parse(text).ok_or_else(|| invalid(format!("{text:?} is no {field} of a schema"), field))
}
