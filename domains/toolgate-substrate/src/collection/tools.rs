//! `substrate.collect`, for those who run the gateway, and pins for everyone.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::{Refusal, Role, codes};
use toolgate_domain::{Domain, ToolContext, ToolDefinition, ToolReply};
use toolgate_store::Actor;

use super::collecting::{CollectedRows, CollectionMode, CollectionSummary};
use super::pins;
use crate::state::Substrate;

const COLLECT: ToolDefinition = ToolDefinition::destroys(
    "substrate.collect",
    "Collect what nothing reaches",
    "Removes manifests, tree nodes and artifacts that no pointer, kept move, run or pin reaches. With dry_run it only says what would go.",
)
.for_operators()
.idempotent();

#[derive(Deserialize, JsonSchema)]
struct CollectArguments {
    /// Say what would be removed, and remove nothing
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct CollectOutput {
    dry_run: bool,
    /// False if something is left for the next collection
    is_complete: bool,
    manifests: CollectedOutput,
    nodes: CollectedOutput,
    artifacts: CollectedOutput,
}

#[derive(Serialize, JsonSchema)]
struct CollectedOutput {
    count: u64,
    bytes: u64,
    /// The first of them
    first: Vec<String>,
}

pub(crate) fn add(domain: Domain<Substrate>) -> Domain<Substrate> {
    let domain = domain.tool(COLLECT, collect).tool(pins::PIN, pins::pin).tool(pins::UNPIN, pins::unpin);
    domain.tool(pins::PINS, pins::list)
}

async fn collect(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: CollectArguments,
) -> Result<ToolReply<CollectOutput>, Refusal> {
    if !matches!(context.principal().role, Role::Admin | Role::Operator) {
        let message = "substrate.collect is for admins and operators";
        return Err(Refusal::new(&codes::OPERATORS_ONLY, message));
    }
    let mode = if arguments.dry_run { CollectionMode::DryRun } else { CollectionMode::Remove };
    let summary = substrate.collect(&Actor::of(&context.holder), mode).await?;
    Ok(ToolReply::new(CollectOutput::of(arguments.dry_run, &summary)))
}

impl CollectOutput {
    fn of(dry_run: bool, summary: &CollectionSummary) -> Self {
        Self {
            dry_run,
            is_complete: summary.is_complete,
            manifests: CollectedOutput::of(&summary.manifests),
            nodes: CollectedOutput::of(&summary.nodes),
            artifacts: CollectedOutput::of(&summary.artifacts),
        }
    }
}

impl CollectedOutput {
    fn of(rows: &CollectedRows) -> Self {
        let first = rows.first.iter().map(ToString::to_string).collect();
        Self { count: rows.count, bytes: rows.bytes, first }
    }
}
