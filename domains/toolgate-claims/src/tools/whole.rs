//! A claim with everything that belongs to it, as tools show it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::claim::EvidenceStanding;
use toolgate_core::{Digest, Refusal, RefusalKind};
use toolgate_domain::ToolContext;

use super::output::{
    ClaimDecisionOutput, ClaimEvidenceOutput, ClaimOutput, ClaimRevisionOutput, artifact_of,
};
use crate::case::ClaimCase;
use crate::claims::Claims;

#[derive(Serialize, JsonSchema)]
pub(super) struct WholeClaimOutput {
    claim: ClaimOutput,
    /// The first one first, like the others
    revisions: Vec<ClaimRevisionOutput>,
    evidence: Vec<ClaimEvidenceOutput>,
    decisions: Vec<ClaimDecisionOutput>,
}

/// The evidence is checked again if that is asked for. Quotations of documents that the session may not read are left out.
pub(super) async fn whole(
    claims: &Claims,
    context: &ToolContext,
    case: &ClaimCase,
    is_checked: bool,
) -> Result<WholeClaimOutput, Refusal> {
    let mut readable: BTreeMap<Digest, bool> = BTreeMap::new();
    let mut evidence = Vec::with_capacity(case.evidence.len());
    for one in &case.evidence {
        let is_hidden = match artifact_of(one) {
            Some(artifact) => !may_read(claims, context, artifact, &mut readable).await?,
            None => false,
        };
        let now: Option<EvidenceStanding> = match is_checked {
            true => Some(claims.standing_now(one).await?),
            false => None,
        };
        evidence.push(ClaimEvidenceOutput::of(one, now, is_hidden));
    }
    Ok(WholeClaimOutput {
        claim: ClaimOutput::of(&case.claim),
        revisions: case.revisions.iter().map(ClaimRevisionOutput::of).collect(),
        evidence,
        decisions: case.decisions.iter().map(ClaimDecisionOutput::of).collect(),
    })
}

/// Each document is looked up once.
async fn may_read(
    claims: &Claims,
    context: &ToolContext,
    artifact: Digest,
    readable: &mut BTreeMap<Digest, bool>,
) -> Result<bool, Refusal> {
    if let Some(known) = readable.get(&artifact) {
        return Ok(*known);
    }
    let found = match claims.files.find(&context.holder, &artifact.to_string()).await {
        Ok(_) => true,
        Err(refusal) if matches!(refusal.kind, RefusalKind::Down | RefusalKind::TooMany) => {
            return Err(refusal);
        }
        Err(_) => false,
    };
    readable.insert(artifact, found);
    Ok(found)
}
