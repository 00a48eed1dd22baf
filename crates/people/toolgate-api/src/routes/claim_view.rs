//! The public data of claims. Times are RFC 3339.

use serde::Serialize;
use toolgate_core::claim::{Claim, ClaimDecision, ClaimEvidence, ClaimRevision, EvidenceLocation};
use toolgate_core::moment::rfc3339;
use toolgate_core::{PrincipalId, RawJson};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClaimsPage {
    pub(super) claims: Vec<ClaimView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// A claim with its current revision
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Claim)]
pub(crate) struct ClaimView {
    #[schema(example = "clm_0198f5c2a4b07c3d8e1f")]
    id: String,
    /// The name of its type.
    #[serde(rename = "type")]
    kind: String,
    /// draft, submitted, under_review, decided or superseded
    state: &'static str,
    revision: u64,
    statement: String,
    /// low, medium, high or critical
    severity: &'static str,
    /// ai_detected, human_identified, external_report or rule_triggered
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    quantification: Option<RawJson>,
    /// Of the revision and all evidence; decisions are bound to it.
    digest: String,
    evidence_count: u64,
    decision_count: u64,
    /// True if the last decision still holds.
    settled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    created_by: String,
    created_at: String,
    state_by: String,
    state_since: String,
}

/// A claim with its revisions, evidence and decisions
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClaimCase)]
pub(crate) struct ClaimCaseView {
    pub(super) claim: ClaimView,
    /// The first one first, like the others.
    pub(super) revisions: Vec<ClaimRevisionView>,
    pub(super) evidence: Vec<ClaimEvidenceView>,
    pub(super) decisions: Vec<ClaimDecisionView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClaimRevision)]
pub(crate) struct ClaimRevisionView {
    number: u64,
    statement: String,
    severity: &'static str,
    digest: String,
    by: String,
    at: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClaimEvidence)]
pub(crate) struct ClaimEvidenceView {
    id: String,
    number: u64,
    /// extraction, document, calculation, external_data or expert_opinion
    #[serde(rename = "type")]
    kind: &'static str,
    /// supports, refutes or context
    relationship: &'static str,
    /// weak, moderate or strong
    strength: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// When it was linked: verified, moved or stated
    standing: &'static str,
    /// The document that it cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<String>,
    /// The place in the document with the quoted words; auditors do not read documents, and get none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    citation: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    digest: String,
    by: String,
    at: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClaimDecision)]
pub(crate) struct ClaimDecisionView {
    number: u64,
    option: String,
    rationale: String,
    conditions: Vec<String>,
    follow_ups: Vec<String>,
    /// current or stale
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_since: Option<String>,
    digest: String,
    by: String,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<String>,
    approvers: Vec<String>,
}

impl From<Claim> for ClaimView {
    fn from(claim: Claim) -> Self {
        let revision = claim.revision;
        Self {
            id: claim.id.to_string(),
            kind: claim.kind,
            state: claim.state.as_str(),
            revision: revision.number,
            statement: revision.statement,
            severity: revision.severity.as_str(),
            source: revision.source.kind.as_str(),
            quantification: revision.quantification,
            digest: claim.digest.to_string(),
            evidence_count: claim.evidence,
            decision_count: claim.decisions,
            settled: claim.is_settled,
            superseded_by: claim.superseded_by.map(|other| other.to_string()),
            created_by: claim.created_by.to_string(),
            created_at: rfc3339(claim.created_at_ms),
            state_by: claim.state_by.to_string(),
            state_since: rfc3339(claim.state_since_ms),
        }
    }
}

impl From<ClaimRevision> for ClaimRevisionView {
    fn from(revision: ClaimRevision) -> Self {
        Self {
            number: revision.number,
            statement: revision.statement,
            severity: revision.severity.as_str(),
            digest: revision.digest.to_string(),
            by: revision.by.to_string(),
            at: rfc3339(revision.at_ms),
        }
    }
}

impl ClaimEvidenceView {
    /// With the quoted words, for those who may read documents.
    pub(super) fn of(evidence: ClaimEvidence, reads_documents: bool) -> Self {
        let (artifact, citation, run) = match evidence.location {
            EvidenceLocation::Citation { artifact, citation, .. } => {
                (Some(artifact.to_string()), Some(citation).filter(|_| reads_documents), None)
            }
            EvidenceLocation::Run(run) => (None, None, Some(run.to_string())),
            EvidenceLocation::Word => (None, None, None),
        };
        Self {
            id: evidence.id.to_string(),
            number: evidence.number,
            kind: evidence.kind.as_str(),
            relationship: evidence.relation.as_str(),
            strength: evidence.strength.as_str(),
            summary: evidence.summary,
            standing: evidence.standing.as_str(),
            artifact,
            citation,
            run,
            digest: evidence.digest.to_string(),
            by: evidence.by.to_string(),
            at: rfc3339(evidence.at_ms),
        }
    }
}

impl From<ClaimDecision> for ClaimDecisionView {
    fn from(decision: ClaimDecision) -> Self {
        Self {
            number: decision.number,
            option: decision.option,
            rationale: decision.rationale,
            conditions: decision.conditions,
            follow_ups: decision.follow_ups,
            state: if decision.stale_since_ms.is_some() { "stale" } else { "current" },
            stale_since: decision.stale_since_ms.map(rfc3339),
            digest: decision.digest.to_string(),
            by: decision.by.to_string(),
            at: rfc3339(decision.at_ms),
            approval: decision.approval.map(|approval| approval.to_string()),
            approvers: decision.approvers.iter().map(PrincipalId::to_string).collect(),
        }
    }
}
