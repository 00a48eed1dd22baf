//! Claims and what belongs to them, as they are kept.

use super::words::{
    ClaimSeverity, ClaimSourceKind, ClaimState, EvidenceKind, EvidenceRelation, EvidenceStanding,
    EvidenceStrength,
};
use crate::decision::OnTimeout;
use crate::id::{ApprovalId, CallId, ClaimId, EvidenceId, RunId};
use crate::{Digest, PrincipalId, RawJson};

/// A kind of claims: the ways in which one can be resolved, and who must agree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimType {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub options: Vec<ResolutionOption>,
    pub escalation: Vec<ClaimEscalation>,
    /// 1 is the first. A type that comes with the gateway has 0.
    pub version: u64,
    pub changed_by: PrincipalId,
    pub changed_at_ms: i64,
}

impl ClaimType {
    pub fn option(&self, name: &str) -> Option<&ResolutionOption> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// A way to resolve a claim.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ResolutionOption {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// True if people must agree at every level of care.
    pub requires_approval: bool,
    /// Groups, one of which must agree. Empty means anyone with the right to approve.
    pub approval_roles: Vec<String>,
    pub quorum: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    pub on_timeout: OnTimeout,
}

/// More people for claims of this severity or a higher one.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ClaimEscalation {
    pub severity: ClaimSeverity,
    pub approval_roles: Vec<String>,
    pub quorum: u32,
}

/// The way by which a claim came up.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ClaimSource {
    #[serde(rename = "type")]
    pub kind: ClaimSourceKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// From 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// A claim with its current revision.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pub id: ClaimId,
    /// The name of its type.
    pub kind: String,
    pub state: ClaimState,
    /// Of the current revision and all evidence. A decision is bound to it.
    pub digest: Digest,
    pub revision: ClaimRevision,
    /// The number of pieces of evidence.
    pub evidence: u64,
    /// The number of decisions, stale ones included.
    pub decisions: u64,
    /// True if the last decision still holds.
    pub is_settled: bool,
    pub superseded_by: Option<ClaimId>,
    pub created_by: PrincipalId,
    pub created_at_ms: i64,
    pub state_by: PrincipalId,
    pub state_since_ms: i64,
}

/// What a claim says. A revision never changes.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimRevision {
    /// 1 is the first.
    pub number: u64,
    pub statement: String,
    pub severity: ClaimSeverity,
    pub source: ClaimSource,
    /// An object with what can be counted.
    pub quantification: Option<RawJson>,
    pub digest: Digest,
    pub by: PrincipalId,
    pub at_ms: i64,
    pub call: Option<CallId>,
}

/// The place of evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvidenceLocation {
    /// Words of a document, as JSON.
    Citation { artifact: Digest, docir: Digest, citation: RawJson },
    /// The run that calculated it.
    Run(RunId),
    /// Somebody's word.
    Word,
}

/// Evidence for or against a claim. It is never changed and never removed.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimEvidence {
    pub id: EvidenceId,
    /// 1 is the first of the claim.
    pub number: u64,
    pub kind: EvidenceKind,
    pub relation: EvidenceRelation,
    pub strength: EvidenceStrength,
    pub summary: Option<String>,
    pub location: EvidenceLocation,
    /// As it was when it was linked.
    pub standing: EvidenceStanding,
    pub digest: Digest,
    pub by: PrincipalId,
    pub at_ms: i64,
    pub call: Option<CallId>,
}

/// A decision on a claim. It is never changed; it becomes stale when the claim or its evidence changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimDecision {
    /// 1 is the first of the claim.
    pub number: u64,
    /// The option of the claim's type.
    pub option: String,
    pub rationale: String,
    pub conditions: Vec<String>,
    pub follow_ups: Vec<String>,
    /// Of the claim and the evidence that were decided on.
    pub digest: Digest,
    /// Of the claim's type.
    pub type_version: u64,
    pub by: PrincipalId,
    pub at_ms: i64,
    pub call: Option<CallId>,
    pub approval: Option<ApprovalId>,
    /// Those who agreed.
    pub approvers: Vec<PrincipalId>,
    pub stale_since_ms: Option<i64>,
}
