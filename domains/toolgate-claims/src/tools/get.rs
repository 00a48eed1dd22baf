//! `claim.get`: a claim with its revisions, its evidence and its decisions.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_core::Refusal;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::{citation_ref, object_ref};
use super::whole::{WholeClaimOutput, whole};
use crate::claims::Claims;

/// Citations that an answer names beside its data, for links.
const CITATION_REFS_MAX: usize = 50;

pub(super) const GET: ToolDefinition = ToolDefinition::reads(
    "claim.get",
    "Show a claim",
    "Shows a claim with its revisions, the evidence for and against it, and its decisions. With check, each piece of evidence is checked again.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetClaimArguments {
    claim_id: String,
    /// Check the evidence again
    #[serde(default)]
    check: bool,
}

pub(super) async fn get(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: GetClaimArguments,
) -> Result<ToolReply<WholeClaimOutput>, Refusal> {
    let case = claims.case(&arguments.claim_id).await?;
    let data = whole(&claims, &context, &case, arguments.check).await?;
    let cited = case.evidence.iter().filter_map(citation_ref).take(CITATION_REFS_MAX);
    let refs: Vec<_> = [object_ref(&case.claim)].into_iter().chain(cited).collect();
    Ok(ToolReply::new(data).refs(refs))
}
