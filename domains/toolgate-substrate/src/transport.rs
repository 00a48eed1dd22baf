//! The question which artifacts are missing, for many at once: importers send no others.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::{Digest, Refusal};
use toolgate_domain::{Domain, ToolContext, ToolDefinition, ToolReply};

use crate::digests;
use crate::refusal;
use crate::state::Substrate;

/// The most digests of one call.
const DIGESTS_MAX: usize = 1_000;

const MISSING: ToolDefinition = ToolDefinition::reads(
    "substrate.artifact.missing",
    "Find missing artifacts",
    "Says which of these artifacts are not there, so that only those are uploaded. Those that are there stay for a while.",
);

#[derive(Deserialize, JsonSchema)]
struct MissingArtifactsArguments {
    /// Digests of artifacts
    #[schemars(length(max = DIGESTS_MAX))]
    sha256: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct MissingArtifactsOutput {
    /// Those that are not there, in the order in which they were given
    missing: Vec<String>,
}

pub(crate) fn add(domain: Domain<Substrate>) -> Domain<Substrate> {
    domain.tool(MISSING, missing)
}

async fn missing(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: MissingArtifactsArguments,
) -> Result<ToolReply<MissingArtifactsOutput>, Refusal> {
    if arguments.sha256.len() > DIGESTS_MAX {
        return Err(refusal::too_many("digests", arguments.sha256.len(), DIGESTS_MAX));
    }
    let asked: Result<Vec<Digest>, Refusal> =
        arguments.sha256.iter().map(|one| digests::read(one, "sha256")).collect();
    let asked = asked?;
    let present = substrate.store.present_artifacts(&asked, context.now_ms).await.map_err(refusal::down)?;
    let missing = asked.iter().filter(|one| !present.contains(*one)).map(ToString::to_string).collect();
    Ok(ToolReply::new(MissingArtifactsOutput { missing }))
}
