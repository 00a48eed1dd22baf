//! `claim.revise`: another revision of a claim, or its submission.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::claim::{Claim, ClaimSeverity, RevisionWords};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, ClaimRevising};

use super::create::ClaimSourceArgument;
use super::output::{ClaimOutput, object_ref};
use crate::case::refuse_stranger;
use crate::checks;
use crate::claims::Claims;
use crate::refusal::{changed, invalid};

pub(super) const REVISE: ToolDefinition = ToolDefinition::writes(
    "claim.revise",
    "Revise or submit a claim",
    "Adds a revision to a claim of your own, submits a draft for review, or both. Earlier revisions stay. A decision on the claim becomes stale.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReviseClaimArguments {
    claim_id: String,
    /// The number of the revision that this follows
    #[schemars(range(min = 1))]
    expected_revision: u64,
    statement: Option<String>,
    #[schemars(extend("enum" = ["low", "medium", "high", "critical"]))]
    severity: Option<String>,
    source: Option<ClaimSourceArgument>,
    quantification: Option<Map<String, Value>>,
    /// Submit a draft for review
    #[serde(default)]
    submit: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ReviseClaimOutput {
    claim: ClaimOutput,
}

pub(super) async fn revise(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: ReviseClaimArguments,
) -> Result<ToolReply<ReviseClaimOutput>, Refusal> {
    let claim = claims.claim(&arguments.claim_id).await?;
    refuse_stranger(&context, &claim)?;
    let (seen, is_submitted) = (arguments.expected_revision, arguments.submit);
    let words = revised(&claim, arguments)?;
    if words.is_none() && !is_submitted {
        return Err(invalid("nothing is to be changed", "statement")
            .hint("give what changes, or `submit`, which hands a draft in"));
    }
    let revising =
        ClaimRevising { id: claim.id.clone(), seen, words, is_submitted, at_ms: claims.clock.now_ms() };
    let revised = claims.books.revise_claim(&revising, &Actor::of(&context.holder)).await;
    let claim = revised.map_err(|error| changed(error, claim.id.as_str()))?;
    Ok(ToolReply::new(ReviseClaimOutput { claim: ClaimOutput::of(&claim) }).refs([object_ref(&claim)]))
}

/// The words of the claim with those that change, if any do.
fn revised(claim: &Claim, arguments: ReviseClaimArguments) -> Result<Option<RevisionWords>, Refusal> {
    let ReviseClaimArguments { statement, severity, source, quantification, .. } = arguments;
    if statement.is_none() && severity.is_none() && source.is_none() && quantification.is_none() {
        return Ok(None);
    }
    let now = &claim.revision;
    statement.as_deref().map_or(Ok(()), checks::statement)?;
    let severity = severity.map(|text| checks::word(&text, "severity", ClaimSeverity::parse)).transpose()?;
    let source = source.map(ClaimSourceArgument::read).transpose()?;
    let quantification = quantification.map(checks::quantification).transpose()?;
    Ok(Some(RevisionWords {
        statement: statement.unwrap_or_else(|| now.statement.clone()),
        severity: severity.unwrap_or(now.severity),
        source: source.unwrap_or_else(|| now.source.clone()),
        quantification: quantification.or_else(|| now.quantification.clone()),
    }))
}
