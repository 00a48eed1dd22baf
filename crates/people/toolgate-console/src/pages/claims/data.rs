//! The API's data about claims.

use maud::Markup;
use serde::Deserialize;
use serde_json::Value;

use crate::parts::{self, BadgeTone};

#[derive(Deserialize)]
pub(super) struct ClaimData {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) state: String,
    pub(super) revision: u64,
    pub(super) statement: String,
    pub(super) severity: String,
    pub(super) source: String,
    #[serde(default)]
    pub(super) quantification: Option<Value>,
    pub(super) digest: String,
    pub(super) evidence_count: u64,
    pub(super) settled: bool,
    #[serde(default)]
    pub(super) superseded_by: Option<String>,
    pub(super) created_by: String,
    pub(super) created_at: String,
}

#[derive(Deserialize)]
pub(super) struct ClaimCaseData {
    pub(super) claim: ClaimData,
    pub(super) revisions: Vec<ClaimRevisionData>,
    pub(super) evidence: Vec<ClaimEvidenceData>,
    pub(super) decisions: Vec<ClaimDecisionData>,
}

#[derive(Deserialize)]
pub(super) struct ClaimRevisionData {
    pub(super) number: u64,
    pub(super) statement: String,
    pub(super) severity: String,
    pub(super) by: String,
    pub(super) at: String,
}

#[derive(Deserialize)]
pub(super) struct ClaimEvidenceData {
    pub(super) id: String,
    pub(super) number: u64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) relationship: String,
    pub(super) strength: String,
    #[serde(default)]
    pub(super) summary: Option<String>,
    pub(super) standing: String,
    #[serde(default)]
    pub(super) artifact: Option<String>,
    #[serde(default)]
    pub(super) citation: Option<EvidencePlaceData>,
    #[serde(default)]
    pub(super) run: Option<String>,
    pub(super) by: String,
    pub(super) at: String,
}

/// The place of quoted words.
#[derive(Deserialize)]
pub(super) struct EvidencePlaceData {
    pub(super) artifact: String,
    pub(super) docir: String,
    pub(super) item: String,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) quote: EvidenceQuoteData,
}

#[derive(Deserialize)]
pub(super) struct EvidenceQuoteData {
    pub(super) exact: String,
}

#[derive(Deserialize)]
pub(super) struct ClaimDecisionData {
    pub(super) number: u64,
    pub(super) option: String,
    pub(super) rationale: String,
    pub(super) conditions: Vec<String>,
    pub(super) follow_ups: Vec<String>,
    pub(super) state: String,
    pub(super) by: String,
    pub(super) at: String,
    #[serde(default)]
    pub(super) approval: Option<String>,
    pub(super) approvers: Vec<String>,
}

impl ClaimData {
    /// The state. A decision that does not hold any more is said so.
    pub(super) fn badge(&self) -> Markup {
        match (self.state.as_str(), self.settled) {
            ("decided", false) => parts::badge("decision stale", BadgeTone::Waiting),
            ("decided", true) => parts::badge("decided", BadgeTone::Good),
            (state, _) => parts::state(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stale_decision_is_not_shown_as_one_that_holds() {
        let claim = |settled: bool| -> ClaimData {
            let data = json!({ "id": "clm_1", "type": "general", "state": "decided", "revision": 1, "statement": "a",
                "severity": "low", "source": "ai_detected", "digest": "sha256:0", "evidence_count": 0, "settled": settled,
                "created_by": "bot", "created_at": "2026-01-01T00:00:00Z" });
            serde_json::from_value(data).expect("a claim")
        };
        assert!(claim(false).badge().into_string().contains("decision stale"));
        assert!(!claim(true).badge().into_string().contains("stale"));
    }
}
