//! `claim.review`: somebody else than the author takes a submitted claim up.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::Actor;

use super::output::{ClaimOutput, object_ref};
use crate::case::refuse_author;
use crate::claims::Claims;
use crate::refusal::changed;

pub(super) const REVIEW: ToolDefinition = ToolDefinition::writes(
    "claim.review",
    "Begin the review of a claim",
    "Says that the review of a submitted claim has begun. Its author cannot do that.",
)
.idempotent();

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReviewClaimArguments {
    claim_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ReviewClaimOutput {
    claim: ClaimOutput,
}

pub(super) async fn review(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: ReviewClaimArguments,
) -> Result<ToolReply<ReviewClaimOutput>, Refusal> {
    let claim = claims.claim(&arguments.claim_id).await?;
    refuse_author(&context, &claim, &claims.authors(&claim).await?)?;
    let at_ms = claims.clock.now_ms();
    let begun = claims.books.review_claim(&claim.id, at_ms, &Actor::of(&context.holder)).await;
    let claim = begun.map_err(|error| changed(error, claim.id.as_str()))?;
    Ok(ToolReply::new(ReviewClaimOutput { claim: ClaimOutput::of(&claim) }).refs([object_ref(&claim)]))
}
