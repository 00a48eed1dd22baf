//! `claim.decide`: a claim is resolved. People are shown the claim and its evidence first, where its type or a level of care asks them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::approval::BallotKind;
use toolgate_core::content::AttachedContents;
use toolgate_core::tool::ToolTrait;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, NewDecision};

use super::output::{ClaimDecisionOutput, ClaimOutput, object_ref};
use crate::checks;
use crate::claims::Claims;
use crate::refusal::{changed, down, not_approved};
use crate::review::DecisionReview;
use crate::shown::{self, DecisionWords};

pub(super) const DECIDE: ToolDefinition = ToolDefinition::writes(
    "claim.decide",
    "Decide on a claim",
    "Resolves a submitted claim as one of the options of its type. The decision is bound to the claim and its evidence as they are: it becomes stale when \
     either changes. The author of a claim cannot decide on it.",
)
.traits(&[ToolTrait::ClaimDecision]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct DecideClaimArguments {
    claim_id: String,
    /// Of those that claim.type.list shows for the claim's type
    option: String,
    /// Why, for those who read it later
    rationale: String,
    #[serde(default)]
    conditions: Vec<String>,
    /// What must be done next
    #[serde(default)]
    follow_ups: Vec<String>,
    /// The digest of the claim that was looked at; refused if it is another one
    expected_digest: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DecideClaimOutput {
    claim: ClaimOutput,
    decision: ClaimDecisionOutput,
}

impl DecideClaimArguments {
    fn words(&self) -> DecisionWords<'_> {
        let Self { rationale, conditions, follow_ups, .. } = self;
        DecisionWords { rationale, conditions, follow_ups }
    }
}

async fn reviewed(
    claims: &Claims,
    context: &ToolContext,
    arguments: &DecideClaimArguments,
) -> Result<DecisionReview, Refusal> {
    checks::rationale(&arguments.rationale)?;
    checks::lines(&arguments.conditions, "conditions")?;
    checks::lines(&arguments.follow_ups, "follow_ups")?;
    let expected = arguments.expected_digest.as_deref();
    claims.review(context, &arguments.claim_id, &arguments.option, expected).await
}

pub(super) async fn prepare(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: DecideClaimArguments,
) -> Result<AttachedContents, Refusal> {
    let review = reviewed(&claims, &context, &arguments).await?;
    shown::attach(&claims, &context, review, arguments.words()).await
}

pub(super) async fn decide(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: DecideClaimArguments,
) -> Result<ToolReply<DecideClaimOutput>, Refusal> {
    let review = reviewed(&claims, &context, &arguments).await?;
    shown::check(&context, &review, &arguments.words())?;
    let DecisionReview { case, kind, option, requirement, .. } = review;
    let id = case.claim.id;
    if requirement.is_some() && context.approval.is_none() {
        return Err(not_approved(id.as_str(), &option.name));
    }
    let approvers = approvers(&claims, &context).await?;
    let DecideClaimArguments { rationale, conditions, follow_ups, .. } = arguments;
    let new = NewDecision {
        claim: id.clone(),
        option: option.name,
        rationale,
        conditions,
        follow_ups,
        digest: case.claim.digest,
        type_version: kind.version,
        approval: context.approval.as_ref().map(|approval| approval.id.clone()),
        approvers,
        at_ms: claims.clock.now_ms(),
    };
    let decided = claims.books.decide_claim(&new, &Actor::of(&context.holder)).await;
    let (claim, decision) = decided.map_err(|error| changed(error, id.as_str()))?;
    let data =
        DecideClaimOutput { claim: ClaimOutput::of(&claim), decision: ClaimDecisionOutput::of(&decision) };
    Ok(ToolReply::new(data).refs([object_ref(&claim)]))
}

/// Those who agreed to this very call.
async fn approvers(claims: &Claims, context: &ToolContext) -> Result<Vec<PrincipalId>, Refusal> {
    let Some(used) = &context.approval else { return Ok(Vec::new()) };
    let approval = claims.store.get_approval(&used.id).await.map_err(|error| down(&error))?;
    let votes = approval.map(|approval| approval.votes).unwrap_or_default();
    let agreed =
        votes.into_iter().filter(|vote| matches!(vote.ballot, BallotKind::Approve | BallotKind::Edit));
    Ok(agreed.map(|vote| vote.person).collect())
}
