//! `schema.promote`: a draft becomes the active version. People are shown the difference first, where a level of care asks them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::content::AttachedContents;
use toolgate_core::tool::ToolTrait;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, SchemaPromotion};

use super::output::{DifferenceOutput, SchemaOutput, namespace_usual, object_ref};
use crate::refusal::changed;
use crate::review::PromotionReview;
use crate::schemas::SchemaVersions;
use crate::shown;

pub(super) const PROMOTE: ToolDefinition = ToolDefinition::writes(
    "schema.promote",
    "Promote a schema",
    "Makes a draft the active version of its name and supersedes the one before. Refused unless the compatibility of the name is proved.",
)
.traits(&[ToolTrait::SchemaChange]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct PromoteSchemaArguments {
    #[serde(default = "namespace_usual")]
    namespace: String,
    name: String,
    version: u64,
    /// The version that is active now, 0 if none is; refused if it is another
    expected: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PromoteSchemaOutput {
    schema: SchemaOutput,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<SchemaOutput>,
    /// Earlier versions towards which the compatibility was proved
    compared: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceOutput>,
}

async fn reviewed(
    schemas: &SchemaVersions,
    arguments: &PromoteSchemaArguments,
) -> Result<PromotionReview, Refusal> {
    let PromoteSchemaArguments { namespace, name, version, expected } = arguments;
    let draft = schemas.version(namespace, name, Some(*version)).await?;
    schemas.review(draft, *expected).await
}

pub(super) async fn prepare(
    schemas: Arc<SchemaVersions>,
    context: ToolContext,
    arguments: PromoteSchemaArguments,
) -> Result<AttachedContents, Refusal> {
    let review = reviewed(&schemas, &arguments).await?;
    shown::attach(&schemas, &context, &review).await
}

pub(super) async fn promote(
    schemas: Arc<SchemaVersions>,
    context: ToolContext,
    arguments: PromoteSchemaArguments,
) -> Result<ToolReply<PromoteSchemaOutput>, Refusal> {
    let review = reviewed(&schemas, &arguments).await?;
    shown::check(&context, &review)?;
    let PromotionReview { active, last, compared, difference, .. } = review;
    let PromoteSchemaArguments { namespace, name, version, expected } = &arguments;
    let promotion = SchemaPromotion {
        namespace,
        name,
        version: *version,
        active: active.as_ref().map(|active| active.version),
        last,
        at_ms: schemas.clock.now_ms(),
    };
    let promoted = schemas.books.promote_schema(&promotion, &Actor::of(&context.holder)).await;
    let (schema, before) =
        promoted.map_err(|error| changed(error, (namespace, name, *version), *expected))?;
    let difference = difference.map(|(from, difference)| DifferenceOutput::of(from, difference));
    let refs: Vec<_> = [object_ref(&schema)].into_iter().chain(before.as_ref().map(object_ref)).collect();
    let data = PromoteSchemaOutput {
        schema: SchemaOutput::of(&schema),
        superseded: before.as_ref().map(SchemaOutput::of),
        compared,
        difference,
    };
    Ok(ToolReply::new(data).refs(refs))
}
