//! `claim.supersede`: another claim takes the place of one. Both stay.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::tool::ToolTrait;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, ClaimSuperseding};

use super::output::{ClaimOutput, object_ref};
use crate::case::refuse_stranger;
use crate::checks;
use crate::claims::Claims;
use crate::refusal::{changed, invalid};

pub(super) const SUPERSEDE: ToolDefinition = ToolDefinition::writes(
    "claim.supersede",
    "Supersede a claim",
    "Ends a claim of your own in favour of another one. Its revisions, evidence and decisions stay, and nothing is added to them.",
)
.traits(&[ToolTrait::ClaimDecision]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct SupersedeClaimArguments {
    claim_id: String,
    /// The claim that takes its place
    superseded_by: String,
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SupersedeClaimOutput {
    claim: ClaimOutput,
    successor: ClaimOutput,
}

pub(super) async fn supersede(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: SupersedeClaimArguments,
) -> Result<ToolReply<SupersedeClaimOutput>, Refusal> {
    let SupersedeClaimArguments { claim_id, superseded_by, reason } = arguments;
    reason.as_deref().map_or(Ok(()), |reason| checks::line(reason, "reason"))?;
    let claim = claims.claim(&claim_id).await?;
    let successor = claims.claim(&superseded_by).await?;
    refuse_stranger(&context, &claim)?;
    if claim.id == successor.id {
        return Err(invalid("a claim does not take its own place", "superseded_by")
            .hint("name another claim, or use claim.revise"));
    }
    let superseding = ClaimSuperseding {
        id: claim.id.clone(),
        by: successor.id.clone(),
        reason,
        at_ms: claims.clock.now_ms(),
    };
    let superseded = claims.books.supersede_claim(&superseding, &Actor::of(&context.holder)).await;
    let claim = superseded.map_err(|error| changed(error, claim.id.as_str()))?;
    let data =
        SupersedeClaimOutput { claim: ClaimOutput::of(&claim), successor: ClaimOutput::of(&successor) };
    Ok(ToolReply::new(data).refs([object_ref(&claim), object_ref(&successor)]))
}
