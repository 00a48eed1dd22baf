//! Claims as tools show them. Times are RFC 3339.

use docir::Citation;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use toolgate_core::claim::{
    Claim, ClaimDecision, ClaimEvidence, ClaimRevision, ClaimSource, EvidenceLocation, EvidenceStanding,
};
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::{Digest, PrincipalId};
use toolgate_documents::CitationOutput;

#[derive(Serialize, JsonSchema)]
pub(super) struct ClaimOutput {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    /// draft, submitted, under_review, decided or superseded
    state: &'static str,
    revision: u64,
    statement: String,
    /// low, medium, high or critical
    severity: &'static str,
    source: ClaimSourceOutput,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantification: Option<Map<String, Value>>,
    /// Of the revision and all evidence; a decision is bound to it
    digest: String,
    evidence_count: u64,
    decision_count: u64,
    /// True if the last decision still holds
    settled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    created_by: String,
    created_at: String,
    /// The principal that brought it into its state
    state_by: String,
    state_since: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ClaimSourceOutput {
    /// ai_detected, human_identified, external_report or rule_triggered
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// From 0 to 1
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ClaimRevisionOutput {
    number: u64,
    statement: String,
    severity: &'static str,
    digest: String,
    by: String,
    at: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ClaimEvidenceOutput {
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
    /// When it was linked: verified, moved (the words stood at one other place, which it cites) or stated (nothing to check)
    standing: &'static str,
    /// Now, if that was asked for: verified, moved, absent or stated
    #[serde(skip_serializing_if = "Option::is_none")]
    standing_now: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    citation: Option<CitationOutput>,
    /// The page that shows it, at the gateway
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// True if it cites a document that the session may not read
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    digest: String,
    by: String,
    at: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ClaimDecisionOutput {
    number: u64,
    option: String,
    rationale: String,
    conditions: Vec<String>,
    follow_ups: Vec<String>,
    /// current, or stale since the claim or its evidence changed
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_since: Option<String>,
    /// Of the claim and the evidence that were decided on
    digest: String,
    type_version: u64,
    by: String,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<String>,
    /// Those who agreed
    approvers: Vec<String>,
}

impl ClaimOutput {
    pub(super) fn of(claim: &Claim) -> Self {
        let revision = &claim.revision;
        let counted = revision.quantification.as_ref().and_then(|raw| raw.decode().ok());
        Self {
            id: claim.id.to_string(),
            kind: claim.kind.clone(),
            state: claim.state.as_str(),
            revision: revision.number,
            statement: revision.statement.clone(),
            severity: revision.severity.as_str(),
            source: ClaimSourceOutput::of(&revision.source),
            quantification: counted,
            digest: claim.digest.to_string(),
            evidence_count: claim.evidence,
            decision_count: claim.decisions,
            settled: claim.is_settled,
            superseded_by: claim.superseded_by.as_ref().map(ToString::to_string),
            created_by: claim.created_by.to_string(),
            created_at: rfc3339(claim.created_at_ms),
            state_by: claim.state_by.to_string(),
            state_since: rfc3339(claim.state_since_ms),
        }
    }
}

impl ClaimSourceOutput {
    fn of(source: &ClaimSource) -> Self {
        Self { kind: source.kind.as_str(), model: source.model.clone(), confidence: source.confidence }
    }
}

impl ClaimRevisionOutput {
    pub(super) fn of(revision: &ClaimRevision) -> Self {
        Self {
            number: revision.number,
            statement: revision.statement.clone(),
            severity: revision.severity.as_str(),
            digest: revision.digest.to_string(),
            by: revision.by.to_string(),
            at: rfc3339(revision.at_ms),
        }
    }
}

impl ClaimEvidenceOutput {
    pub(super) fn of(evidence: &ClaimEvidence, now: Option<EvidenceStanding>, is_hidden: bool) -> Self {
        let citation = cited(evidence).filter(|_| !is_hidden);
        let run = match &evidence.location {
            EvidenceLocation::Run(run) => Some(run.to_string()),
            EvidenceLocation::Citation { .. } | EvidenceLocation::Word => None,
        };
        Self {
            id: evidence.id.to_string(),
            number: evidence.number,
            kind: evidence.kind.as_str(),
            relationship: evidence.relation.as_str(),
            strength: evidence.strength.as_str(),
            summary: evidence.summary.clone(),
            standing: evidence.standing.as_str(),
            standing_now: now.map(EvidenceStanding::as_str),
            address: citation.as_ref().map(page_of),
            citation: citation.map(CitationOutput::from),
            is_hidden,
            run,
            digest: evidence.digest.to_string(),
            by: evidence.by.to_string(),
            at: rfc3339(evidence.at_ms),
        }
    }
}

impl ClaimDecisionOutput {
    pub(super) fn of(decision: &ClaimDecision) -> Self {
        Self {
            number: decision.number,
            option: decision.option.clone(),
            rationale: decision.rationale.clone(),
            conditions: decision.conditions.clone(),
            follow_ups: decision.follow_ups.clone(),
            state: if decision.stale_since_ms.is_some() { "stale" } else { "current" },
            stale_since: decision.stale_since_ms.map(rfc3339),
            digest: decision.digest.to_string(),
            type_version: decision.type_version,
            by: decision.by.to_string(),
            at: rfc3339(decision.at_ms),
            approval: decision.approval.as_ref().map(ToString::to_string),
            approvers: decision.approvers.iter().map(PrincipalId::to_string).collect(),
        }
    }
}

pub(super) fn object_ref(claim: &Claim) -> ObjectRef {
    ObjectRef::Claim { id: claim.id.clone() }
}

/// The place that evidence cites, for links.
pub(super) fn citation_ref(evidence: &ClaimEvidence) -> Option<ObjectRef> {
    let EvidenceLocation::Citation { artifact, docir, .. } = evidence.location else { return None };
    let cited = cited(evidence)?;
    let at = |place: usize| u64::try_from(place).unwrap_or(u64::MAX);
    let (start, end) = (at(cited.start), at(cited.end));
    Some(ObjectRef::Citation { artifact, docir, item: cited.item, start, end })
}

/// The document that evidence cites.
pub(super) fn artifact_of(evidence: &ClaimEvidence) -> Option<Digest> {
    match evidence.location {
        EvidenceLocation::Citation { artifact, .. } => Some(artifact),
        EvidenceLocation::Run(_) | EvidenceLocation::Word => None,
    }
}

fn cited(evidence: &ClaimEvidence) -> Option<Citation> {
    match &evidence.location {
        EvidenceLocation::Citation { citation, .. } => citation.decode().ok(),
        EvidenceLocation::Run(_) | EvidenceLocation::Word => None,
    }
}

/// The page of the console. A pointer into a DocIR has no other letters that an address would misread.
fn page_of(citation: &Citation) -> String {
    let Citation { artifact, docir, item, start, end, .. } = citation;
    let item = item.replace('#', "%23").replace('/', "%2F");
    format!("/console/citations?artifact={artifact}&docir={docir}&item={item}&start={start}&end={end}")
}
