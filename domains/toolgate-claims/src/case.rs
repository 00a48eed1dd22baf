//! A claim with everything that belongs to it.

use std::collections::BTreeSet;

use toolgate_core::claim::{Claim, ClaimDecision, ClaimEvidence, ClaimRevision};
use toolgate_core::id::CallId;
use toolgate_core::{PrincipalId, Refusal, Role};
use toolgate_domain::ToolContext;

use crate::claims::Claims;
use crate::refusal::{down, not_yours, own};

pub(crate) struct ClaimCase {
    pub(crate) claim: Claim,
    /// In the order in which they were made, like the others.
    pub(crate) revisions: Vec<ClaimRevision>,
    pub(crate) evidence: Vec<ClaimEvidence>,
    pub(crate) decisions: Vec<ClaimDecision>,
}

impl Claims {
    pub(crate) async fn case(&self, id: &str) -> Result<ClaimCase, Refusal> {
        let claim = self.claim(id).await?;
        let revisions = self.store.claim_revisions(&claim.id).await.map_err(|error| down(&error))?;
        let evidence = self.store.claim_evidence(&claim.id).await.map_err(|error| down(&error))?;
        let decisions = self.store.claim_decisions(&claim.id).await.map_err(|error| down(&error))?;
        Ok(ClaimCase { claim, revisions, evidence, decisions })
    }

    /// Everyone who wrote a revision.
    pub(crate) async fn authors(&self, claim: &Claim) -> Result<Vec<PrincipalId>, Refusal> {
        let revisions = self.store.claim_revisions(&claim.id).await.map_err(|error| down(&error))?;
        Ok(authors(claim, &revisions))
    }
}

impl ClaimCase {
    pub(crate) fn authors(&self) -> Vec<PrincipalId> {
        authors(&self.claim, &self.revisions)
    }

    /// The calls that made it what it is, each once.
    pub(crate) fn calls(&self) -> Vec<CallId> {
        let revised = self.revisions.iter().filter_map(|one| one.call.clone());
        let linked = self.evidence.iter().filter_map(|one| one.call.clone());
        let decided = self.decisions.iter().filter_map(|one| one.call.clone());
        let calls: BTreeSet<CallId> = revised.chain(linked).chain(decided).collect();
        calls.into_iter().collect()
    }
}

fn authors(claim: &Claim, revisions: &[ClaimRevision]) -> Vec<PrincipalId> {
    let all: BTreeSet<&PrincipalId> =
        revisions.iter().map(|revision| &revision.by).chain([&claim.created_by]).collect();
    all.into_iter().cloned().collect()
}

/// Refuses a caller that would judge its own work.
pub(crate) fn refuse_author(
    context: &ToolContext,
    claim: &Claim,
    authors: &[PrincipalId],
) -> Result<(), Refusal> {
    let caller = &context.principal().id;
    match authors.contains(caller) {
        true => Err(own(claim, caller.as_str())),
        false => Ok(()),
    }
}

/// Refuses a caller that neither wrote the claim nor runs the gateway.
pub(crate) fn refuse_stranger(context: &ToolContext, claim: &Claim) -> Result<(), Refusal> {
    let caller = context.principal();
    match caller.id == claim.created_by || matches!(caller.role, Role::Admin | Role::Operator) {
        true => Ok(()),
        false => Err(not_yours(claim)),
    }
}
