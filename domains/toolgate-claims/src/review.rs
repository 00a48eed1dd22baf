//! The review of a decision: whether it can be made now, by this caller, and who else must agree.

use toolgate_core::claim::{ClaimState, ClaimType, EvidenceStanding, ResolutionOption};
use toolgate_core::decision::ApprovalRequirement;
use toolgate_core::substrate::parse_digest;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_domain::ToolContext;

use crate::case::{ClaimCase, refuse_author};
use crate::claims::Claims;
use crate::refusal::{invalid, not_open, stale, unknown_option};
use crate::requirement;

/// A decision that may be made.
pub(crate) struct DecisionReview {
    pub(crate) case: ClaimCase,
    pub(crate) kind: ClaimType,
    pub(crate) option: ResolutionOption,
    /// Of each piece of evidence, now.
    pub(crate) standings: Vec<EvidenceStanding>,
    pub(crate) requirement: Option<ApprovalRequirement>,
    pub(crate) authors: Vec<PrincipalId>,
}

impl Claims {
    pub(crate) async fn review(
        &self,
        context: &ToolContext,
        id: &str,
        option: &str,
        expected: Option<&str>,
    ) -> Result<DecisionReview, Refusal> {
        let case = self.case(id).await?;
        let (claim, authors) = (&case.claim, case.authors());
        refuse_author(context, claim, &authors)?;
        let is_open = match claim.state {
            ClaimState::Submitted | ClaimState::UnderReview => true,
            ClaimState::Decided => !claim.is_settled,
            ClaimState::Draft | ClaimState::Superseded => false,
        };
        if !is_open {
            return Err(not_open(claim));
        }
        check_expected(&case, expected)?;
        let kind = self.kind(&claim.kind).await?;
        let option = find_option(&kind, option)?;
        let requirement = requirement::of(claim, &kind, &option);
        let mut standings = Vec::with_capacity(case.evidence.len());
        for evidence in &case.evidence {
            standings.push(self.standing_now(evidence).await?);
        }
        Ok(DecisionReview { case, kind, option, standings, requirement, authors })
    }
}

fn check_expected(case: &ClaimCase, expected: Option<&str>) -> Result<(), Refusal> {
    let Some(expected) = expected else { return Ok(()) };
    let expected = parse_digest(expected).map_err(|_| {
        invalid("`expected_digest` is no digest", "expected_digest").hint("give the `digest` of claim.get")
    })?;
    match case.claim.digest == expected {
        true => Ok(()),
        false => Err(stale(case.claim.id.as_str(), case.claim.digest)),
    }
}

fn find_option(kind: &ClaimType, name: &str) -> Result<ResolutionOption, Refusal> {
    kind.option(name).cloned().ok_or_else(|| {
        let known: Vec<&str> = kind.options.iter().map(|option| option.name.as_str()).collect();
        unknown_option(&kind.name, name, &known)
    })
}
