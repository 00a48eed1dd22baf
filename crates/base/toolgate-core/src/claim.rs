//! Claims: statements that stand or fall with their evidence, and the decisions on them.

mod digests;
mod record;
mod words;

pub use digests::{RevisionWords, bound_digest, evidence_digest};
pub use record::{
    Claim, ClaimDecision, ClaimEscalation, ClaimEvidence, ClaimRevision, ClaimSource, ClaimType,
    EvidenceLocation, ResolutionOption,
};
pub use words::{
    ClaimSeverity, ClaimSourceKind, ClaimState, EvidenceKind, EvidenceRelation, EvidenceStanding,
    EvidenceStrength,
};
