//! The digests of claims and evidence. What a decision is bound to is a digest over both, so neither changes unnoticed.

use serde::Serialize;

use super::record::{ClaimSource, EvidenceLocation};
use super::words::{ClaimSeverity, EvidenceKind, EvidenceRelation, EvidenceStanding, EvidenceStrength};
use crate::id::ClaimId;
use crate::{Digest, RawJson};

/// Change it together with the members.
const REVISION_FORM: &str = "toolgate-claim-revision/1";
const EVIDENCE_FORM: &str = "toolgate-claim-evidence/1";
const BOUND_FORM: &str = "toolgate-claim-bound/1";

/// The words of a revision.
#[derive(Clone, PartialEq, Debug)]
pub struct RevisionWords {
    pub statement: String,
    pub severity: ClaimSeverity,
    pub source: ClaimSource,
    pub quantification: Option<RawJson>,
}

impl RevisionWords {
    /// The digest of these words as a revision of a claim.
    pub fn digest(&self, claim: &ClaimId, kind: &str, number: u64) -> Digest {
        let quantification = self.quantification.as_ref().map(RawJson::as_str);
        let Self { statement, severity, source, .. } = self;
        hashed(&(REVISION_FORM, claim, kind, number, statement, severity, source, quantification))
    }
}

/// The digest of evidence.
pub fn evidence_digest(
    claim: &ClaimId,
    (kind, relation, strength): (EvidenceKind, EvidenceRelation, EvidenceStrength),
    summary: Option<&str>,
    location: &EvidenceLocation,
    standing: EvidenceStanding,
) -> Digest {
    let place = match location {
        EvidenceLocation::Citation { citation, .. } => citation.as_str(),
        EvidenceLocation::Run(run) => run.as_str(),
        EvidenceLocation::Word => "",
    };
    hashed(&(EVIDENCE_FORM, claim, kind, relation, strength, summary, place, standing))
}

/// The digest of a revision with all evidence, in the order in which it was linked.
pub fn bound_digest(revision: Digest, evidence: &[Digest]) -> Digest {
    hashed(&(BOUND_FORM, revision, evidence))
}

fn hashed(members: &impl Serialize) -> Digest {
    Digest::of(serde_json::to_vec(members).expect("texts and numbers are plain data"))
}

#[cfg(test)]
mod tests {
    use super::super::words::ClaimSourceKind;
    use super::*;

    fn words(statement: &str) -> RevisionWords {
        let source = ClaimSource { kind: ClaimSourceKind::AiDetected, model: None, confidence: Some(0.5) };
        let (statement, severity) = (statement.to_owned(), ClaimSeverity::High);
        RevisionWords { statement, severity, source, quantification: None }
    }

    #[test]
    fn any_change_is_another_digest() {
        let claim = ClaimId::new("clm_1");
        let first = words("a").digest(&claim, "general", 1);
        assert_eq!(first, words("a").digest(&claim, "general", 1));
        for other in [
            words("b").digest(&claim, "general", 1),
            words("a").digest(&claim, "general", 2),
            words("a").digest(&claim, "other", 1),
            words("a").digest(&ClaimId::new("clm_2"), "general", 1),
        ] {
            assert_ne!(first, other);
        }
        let one = Digest::of("one");
        assert_ne!(bound_digest(first, &[]), bound_digest(first, &[one]));
        assert_ne!(bound_digest(first, &[one]), bound_digest(first, &[one, Digest::of("two")]));
    }
}
