//! Deciding on a claim: bound to the digest that the deciders saw.

use toolgate_core::claim::{Claim, ClaimDecision, ClaimState};
use toolgate_core::id::{ApprovalId, ClaimId};
use toolgate_core::{Digest, PrincipalId};

use super::error::ClaimChangeError;
use super::events;
use super::held::HeldClaim;
use super::write::enter;
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::file::Actor;
use crate::registry::stored_count;
use crate::run::json;

/// The maximum number of decisions on a claim.
pub const CLAIM_DECISIONS_MAX: u64 = 100;

const INSERT: &str =
    "INSERT INTO claim_decisions (tenant, claim, number, option_name, rationale, conditions, follow_ups, digest, type_version,
        decided_by, decided_at_ms, decided_in_call, approval, approvers)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewDecision {
    pub claim: ClaimId,
    pub option: String,
    pub rationale: String,
    pub conditions: Vec<String>,
    pub follow_ups: Vec<String>,
    /// Of the claim and the evidence that were seen.
    pub digest: Digest,
    pub type_version: u64,
    pub approval: Option<ApprovalId>,
    pub approvers: Vec<PrincipalId>,
    pub at_ms: i64,
}

impl Books {
    /// Decides on a submitted claim, or on one whose decision is stale.
    pub async fn decide_claim(
        &self,
        new: &NewDecision,
        by: &Actor,
    ) -> Result<(Claim, ClaimDecision), ClaimChangeError> {
        let mut held = HeldClaim::take(self, &new.claim, "decide on a claim").await?;
        let claim = &held.claim;
        let is_open = match claim.state {
            ClaimState::Submitted | ClaimState::UnderReview => true,
            ClaimState::Decided => !claim.is_settled,
            ClaimState::Draft | ClaimState::Superseded => false,
        };
        if !is_open {
            return Err(ClaimChangeError::State { state: claim.state });
        }
        if claim.digest != new.digest {
            return Err(ClaimChangeError::Stale { digest: claim.digest });
        }
        let decision = decided(new, claim.decisions + 1, by);
        if decision.number > CLAIM_DECISIONS_MAX {
            return Err(ClaimChangeError::TooMany { what: "decisions", max: CLAIM_DECISIONS_MAX });
        }
        insert(&mut held, &decision).await?;
        held.claim.decisions = decision.number;
        held.claim.is_settled = true;
        enter(&mut held.claim, ClaimState::Decided, new.at_ms, by);
        let event = events::decided(&held.claim, &decision, by);
        let claim = held.finish(self, event).await?;
        Ok((claim, decision))
    }
}

fn decided(new: &NewDecision, number: u64, by: &Actor) -> ClaimDecision {
    let clean = |texts: &[String]| texts.iter().map(|text| without_nul(text)).collect();
    ClaimDecision {
        number,
        option: new.option.clone(),
        rationale: without_nul(&new.rationale),
        conditions: clean(&new.conditions),
        follow_ups: clean(&new.follow_ups),
        digest: new.digest,
        type_version: new.type_version,
        by: by.principal.clone(),
        at_ms: new.at_ms,
        call: by.call.clone(),
        approval: new.approval.clone(),
        approvers: new.approvers.clone(),
        stale_since_ms: None,
    }
}

async fn insert(held: &mut HeldClaim, decision: &ClaimDecision) -> Result<(), ClaimChangeError> {
    let insert = held.tx.sql(INSERT).bind(held.tenant).bind(held.claim.id.as_str());
    let insert = insert.bind(stored_count(decision.number)).bind(&*decision.option);
    let insert = insert.bind(&*decision.rationale).bind(json(&decision.conditions));
    let insert = insert.bind(json(&decision.follow_ups)).bind(&decision.digest.as_bytes()[..]);
    let insert = insert.bind(stored_count(decision.type_version));
    let insert = insert.bind(without_nul(decision.by.as_str())).bind(decision.at_ms);
    let insert = insert.bind(decision.call.as_ref().map(|call| call.as_str()));
    let insert = insert.bind(decision.approval.as_ref().map(|approval| approval.as_str()));
    insert.bind(json(&decision.approvers)).execute().await.map_err(doing(held.doing))?;
    Ok(())
}
