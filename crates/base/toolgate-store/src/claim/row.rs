//! The rows of claims.

use serde::de::DeserializeOwned;
use toolgate_core::claim::{
    Claim, ClaimDecision, ClaimEvidence, ClaimRevision, ClaimSeverity, ClaimSource, ClaimState, ClaimType,
    EvidenceKind, EvidenceLocation, EvidenceRelation, EvidenceStanding, EvidenceStrength,
};
use toolgate_core::id::{ApprovalId, CallId, ClaimId, EvidenceId, RunId};
use toolgate_core::{Digest, PrincipalId};

use crate::StoreError;
use crate::registry::{read_count, read_raw, unreadable};
use crate::row::row;

macro_rules! listed {
    ($conditions:literal) => {
        concat!(
            "SELECT id, kind, state, revision, digest, evidence, decisions, is_settled, superseded_by, created_by, \
             created_at_ms, state_by, state_since_ms, statement, severity, source, quantification, revision_digest, \
             revised_by, revised_at_ms, revised_in_call FROM (SELECT claims.*, claim_revisions.statement, \
             claim_revisions.severity, claim_revisions.source, claim_revisions.quantification, \
             claim_revisions.revision_digest, claim_revisions.revised_by, claim_revisions.revised_at_ms, \
             claim_revisions.revised_in_call FROM claims JOIN claim_revisions ON claim_revisions.tenant = claims.tenant \
             AND claim_revisions.claim = claims.id AND claim_revisions.number = claims.revision) AS current_claims",
            $conditions
        )
    };
}

/// Pages add their conditions.
pub(super) const LISTED: &str = listed!("");
pub(super) const CLAIM_BY_ID: &str = listed!(" WHERE tenant = $1 AND id = $2");
pub(super) const REVISIONS: &str =
    "SELECT number, statement, severity, source, quantification, revision_digest, revised_by, revised_at_ms, revised_in_call
    FROM claim_revisions WHERE tenant = $1 AND claim = $2 ORDER BY number";
pub(super) const EVIDENCE: &str =
    "SELECT number, id, kind, relation, strength, summary, artifact, docir, citation, run, standing, digest, linked_by,
        linked_at_ms, linked_in_call
    FROM claim_evidence WHERE tenant = $1 AND claim = $2 ORDER BY number";
pub(super) const DECISIONS: &str =
    "SELECT number, option_name, rationale, conditions, follow_ups, digest, type_version, decided_by, decided_at_ms,
        decided_in_call, approval, approvers, stale_since_ms
    FROM claim_decisions WHERE tenant = $1 AND claim = $2 ORDER BY number";

row! {
    pub(super) struct ClaimRow {
        id: String,
        kind: String,
        state: String,
        revision: i64,
        digest: Vec<u8>,
        evidence: i64,
        decisions: i64,
        is_settled: i64,
        superseded_by: Option<String>,
        created_by: String,
        created_at_ms: i64,
        state_by: String,
        state_since_ms: i64,
        statement: String,
        severity: String,
        source: String,
        quantification: Option<String>,
        revision_digest: Vec<u8>,
        revised_by: String,
        revised_at_ms: i64,
        revised_in_call: Option<String>,
    }
}

row! {
    pub(super) struct ClaimRevisionRow {
        number: i64,
        statement: String,
        severity: String,
        source: String,
        quantification: Option<String>,
        revision_digest: Vec<u8>,
        revised_by: String,
        revised_at_ms: i64,
        revised_in_call: Option<String>,
    }
}

row! {
    pub(super) struct ClaimEvidenceRow {
        number: i64,
        id: String,
        kind: String,
        relation: String,
        strength: String,
        summary: Option<String>,
        artifact: Option<Vec<u8>>,
        docir: Option<Vec<u8>>,
        citation: Option<String>,
        run: Option<String>,
        standing: String,
        digest: Vec<u8>,
        linked_by: String,
        linked_at_ms: i64,
        linked_in_call: Option<String>,
    }
}

row! {
    pub(super) struct ClaimDecisionRow {
        number: i64,
        option_name: String,
        rationale: String,
        conditions: String,
        follow_ups: String,
        digest: Vec<u8>,
        type_version: i64,
        decided_by: String,
        decided_at_ms: i64,
        decided_in_call: Option<String>,
        approval: Option<String>,
        approvers: String,
        stale_since_ms: Option<i64>,
    }
}

row! {
    pub(super) struct ClaimTypeRow {
        name: String,
        title: Option<String>,
        description: Option<String>,
        options: String,
        escalation: String,
        version: i64,
        changed_by: String,
        changed_at_ms: i64,
    }
}

impl ClaimRow {
    pub(super) fn read(self, doing: &'static str) -> Result<Claim, StoreError> {
        let revision = ClaimRevisionRow {
            number: self.revision,
            statement: self.statement,
            severity: self.severity,
            source: self.source,
            quantification: self.quantification,
            revision_digest: self.revision_digest,
            revised_by: self.revised_by,
            revised_at_ms: self.revised_at_ms,
            revised_in_call: self.revised_in_call,
        };
        Ok(Claim {
            id: ClaimId::new(self.id),
            kind: self.kind,
            state: word(&self.state, ClaimState::parse, doing)?,
            digest: digest(&self.digest, doing)?,
            revision: revision.read(doing)?,
            evidence: read_count(self.evidence),
            decisions: read_count(self.decisions),
            is_settled: self.is_settled != 0,
            superseded_by: self.superseded_by.map(ClaimId::new),
            created_by: PrincipalId::new(&self.created_by),
            created_at_ms: self.created_at_ms,
            state_by: PrincipalId::new(&self.state_by),
            state_since_ms: self.state_since_ms,
        })
    }
}

impl ClaimRevisionRow {
    pub(super) fn read(self, doing: &'static str) -> Result<ClaimRevision, StoreError> {
        let quantification = self.quantification.map(|text| read_raw(text, doing, "quantification"));
        let source: ClaimSource = from_json(&self.source, doing)?;
        Ok(ClaimRevision {
            number: read_count(self.number),
            statement: self.statement,
            severity: word(&self.severity, ClaimSeverity::parse, doing)?,
            source,
            quantification: quantification.transpose()?,
            digest: digest(&self.revision_digest, doing)?,
            by: PrincipalId::new(&self.revised_by),
            at_ms: self.revised_at_ms,
            call: self.revised_in_call.map(CallId::new),
        })
    }
}

impl ClaimEvidenceRow {
    pub(super) fn read(self, doing: &'static str) -> Result<ClaimEvidence, StoreError> {
        let location = match (self.artifact, self.docir, self.citation, self.run) {
            (Some(artifact), Some(docir), Some(citation), None) => EvidenceLocation::Citation {
                artifact: digest(&artifact, doing)?,
                docir: digest(&docir, doing)?,
                citation: read_raw(citation, doing, "citation")?,
            },
            (None, None, None, Some(run)) => EvidenceLocation::Run(RunId::new(run)),
            (None, None, None, None) => EvidenceLocation::Word,
            _ => return Err(unreadable(doing, "place of evidence")),
        };
        Ok(ClaimEvidence {
            id: EvidenceId::new(self.id),
            number: read_count(self.number),
            kind: word(&self.kind, EvidenceKind::parse, doing)?,
            relation: word(&self.relation, EvidenceRelation::parse, doing)?,
            strength: word(&self.strength, EvidenceStrength::parse, doing)?,
            summary: self.summary,
            location,
            standing: word(&self.standing, EvidenceStanding::parse, doing)?,
            digest: digest(&self.digest, doing)?,
            by: PrincipalId::new(&self.linked_by),
            at_ms: self.linked_at_ms,
            call: self.linked_in_call.map(CallId::new),
        })
    }
}

impl ClaimDecisionRow {
    pub(super) fn read(self, doing: &'static str) -> Result<ClaimDecision, StoreError> {
        Ok(ClaimDecision {
            number: read_count(self.number),
            option: self.option_name,
            rationale: self.rationale,
            conditions: from_json(&self.conditions, doing)?,
            follow_ups: from_json(&self.follow_ups, doing)?,
            digest: digest(&self.digest, doing)?,
            type_version: read_count(self.type_version),
            by: PrincipalId::new(&self.decided_by),
            at_ms: self.decided_at_ms,
            call: self.decided_in_call.map(CallId::new),
            approval: self.approval.map(ApprovalId::new),
            approvers: from_json(&self.approvers, doing)?,
            stale_since_ms: self.stale_since_ms,
        })
    }
}

impl ClaimTypeRow {
    pub(super) fn read(self, doing: &'static str) -> Result<ClaimType, StoreError> {
        Ok(ClaimType {
            options: from_json(&self.options, doing)?,
            escalation: from_json(&self.escalation, doing)?,
            name: self.name,
            title: self.title,
            description: self.description,
            version: read_count(self.version),
            changed_by: PrincipalId::new(&self.changed_by),
            changed_at_ms: self.changed_at_ms,
        })
    }
}

fn word<T>(text: &str, parse: impl Fn(&str) -> Option<T>, doing: &'static str) -> Result<T, StoreError> {
    parse(text).ok_or_else(|| unreadable(doing, "word of a claim"))
}

pub(super) fn digest(bytes: &[u8], doing: &'static str) -> Result<Digest, StoreError> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable(doing, "digest of a claim"))
}

fn from_json<T: DeserializeOwned>(text: &str, doing: &'static str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|_| unreadable(doing, "list of a claim"))
}
