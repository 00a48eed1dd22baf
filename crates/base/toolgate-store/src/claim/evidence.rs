//! Linking evidence. It was checked before; here it is kept, for good.

use toolgate_core::claim::{
    Claim, ClaimEvidence, ClaimState, EvidenceKind, EvidenceLocation, EvidenceRelation, EvidenceStanding,
    EvidenceStrength, evidence_digest,
};
use toolgate_core::id::{ClaimId, EvidenceId};

use super::error::ClaimChangeError;
use super::events;
use super::held::HeldClaim;
use super::row::ClaimEvidenceRow;
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::file::Actor;
use crate::registry::stored_count;

/// The maximum number of pieces of evidence of a claim.
pub const CLAIM_EVIDENCE_MAX: u64 = 200;

const SAME: &str =
    "SELECT number, id, kind, relation, strength, summary, artifact, docir, citation, run, standing, digest, linked_by,
        linked_at_ms, linked_in_call
    FROM claim_evidence WHERE tenant = $1 AND claim = $2 AND digest = $3";
/// Whoever collects what nothing reaches leaves bytes alone that were touched. If they came first, the artifact is gone.
const TOUCH: &str = "UPDATE blobs SET touched_at_ms = $3 WHERE tenant = $1 AND digest = $2 AND touched_at_ms < $3 AND deleting = 0";
const ARTIFACTS: &str = "SELECT digest FROM artifacts WHERE tenant = $1 AND digest = $2 LIMIT 1";
const INSERT: &str =
    "INSERT INTO claim_evidence (tenant, claim, number, id, kind, relation, strength, summary, artifact, docir, citation, run,
        standing, digest, linked_by, linked_at_ms, linked_in_call)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";

#[derive(Clone, PartialEq, Debug)]
pub struct NewEvidence {
    pub id: EvidenceId,
    pub claim: ClaimId,
    pub kind: EvidenceKind,
    pub relation: EvidenceRelation,
    pub strength: EvidenceStrength,
    pub summary: Option<String>,
    pub location: EvidenceLocation,
    pub standing: EvidenceStanding,
    pub at_ms: i64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct LinkedEvidence {
    pub claim: Claim,
    pub evidence: ClaimEvidence,
    /// True if it was there already, just like this.
    pub is_duplicate: bool,
    /// True if a decision held until now.
    pub made_stale: bool,
}

impl Books {
    /// Links evidence to a claim. A decision that held becomes stale.
    pub async fn link_evidence(
        &self,
        new: &NewEvidence,
        by: &Actor,
    ) -> Result<LinkedEvidence, ClaimChangeError> {
        let mut held = HeldClaim::take(self, &new.claim, "link evidence").await?;
        if held.claim.state == ClaimState::Superseded {
            return Err(ClaimChangeError::State { state: held.claim.state });
        }
        let evidence = linked(new, held.claim.evidence + 1, by);
        if let Some(same) = find_same(&mut held, &evidence).await? {
            let claim = held.claim;
            return Ok(LinkedEvidence { claim, evidence: same, is_duplicate: true, made_stale: false });
        }
        if evidence.number > CLAIM_EVIDENCE_MAX {
            return Err(ClaimChangeError::TooMany { what: "pieces of evidence", max: CLAIM_EVIDENCE_MAX });
        }
        hold_artifact(&mut held, &evidence).await?;
        insert(&mut held, &evidence).await?;
        held.claim.evidence = evidence.number;
        held.bind_digest().await?;
        let made_stale = held.make_stale(new.at_ms).await?;
        let event = events::linked(&held.claim, &evidence, made_stale, by);
        let claim = held.finish(self, event).await?;
        Ok(LinkedEvidence { claim, evidence, is_duplicate: false, made_stale })
    }
}

fn linked(new: &NewEvidence, number: u64, by: &Actor) -> ClaimEvidence {
    let summary = new.summary.as_deref().map(without_nul);
    let words = (new.kind, new.relation, new.strength);
    ClaimEvidence {
        id: new.id.clone(),
        number,
        kind: new.kind,
        relation: new.relation,
        strength: new.strength,
        digest: evidence_digest(&new.claim, words, summary.as_deref(), &new.location, new.standing),
        summary,
        location: new.location.clone(),
        standing: new.standing,
        by: by.principal.clone(),
        at_ms: new.at_ms,
        call: by.call.clone(),
    }
}

async fn find_same(
    held: &mut HeldClaim,
    evidence: &ClaimEvidence,
) -> Result<Option<ClaimEvidence>, ClaimChangeError> {
    let same = held.tx.sql(SAME).bind(held.tenant).bind(held.claim.id.as_str());
    let same = same.bind(&evidence.digest.as_bytes()[..]).fetch_optional().await;
    let same: Option<ClaimEvidenceRow> = same.map_err(doing(held.doing))?;
    Ok(same.map(|row| row.read(held.doing)).transpose()?)
}

/// The document must be there when the evidence is, and from then on it is kept.
async fn hold_artifact(held: &mut HeldClaim, evidence: &ClaimEvidence) -> Result<(), ClaimChangeError> {
    let EvidenceLocation::Citation { artifact, .. } = &evidence.location else { return Ok(()) };
    let touch = held.tx.sql(TOUCH).bind(held.tenant).bind(&artifact.as_bytes()[..]).bind(evidence.at_ms);
    touch.execute().await.map_err(doing(held.doing))?;
    let there = held.tx.sql(ARTIFACTS).bind(held.tenant).bind(&artifact.as_bytes()[..]);
    let there: Option<(Vec<u8>,)> = there.fetch_optional().await.map_err(doing(held.doing))?;
    if there.is_none() { Err(ClaimChangeError::ArtifactGone(*artifact)) } else { Ok(()) }
}

async fn insert(held: &mut HeldClaim, evidence: &ClaimEvidence) -> Result<(), ClaimChangeError> {
    let (artifact, docir, citation, run) = match &evidence.location {
        EvidenceLocation::Citation { artifact, docir, citation } => {
            (Some(&artifact.as_bytes()[..]), Some(&docir.as_bytes()[..]), Some(citation.as_str()), None)
        }
        EvidenceLocation::Run(run) => (None, None, None, Some(run.as_str())),
        EvidenceLocation::Word => (None, None, None, None),
    };
    let insert = held.tx.sql(INSERT).bind(held.tenant).bind(held.claim.id.as_str());
    let insert = insert.bind(stored_count(evidence.number)).bind(evidence.id.as_str());
    let insert = insert.bind(evidence.kind.as_str()).bind(evidence.relation.as_str());
    let insert = insert.bind(evidence.strength.as_str()).bind(evidence.summary.as_deref());
    let insert = insert.bind(artifact).bind(docir).bind(citation).bind(run);
    let insert = insert.bind(evidence.standing.as_str()).bind(&evidence.digest.as_bytes()[..]);
    let insert = insert.bind(without_nul(evidence.by.as_str())).bind(evidence.at_ms);
    let insert = insert.bind(evidence.call.as_ref().map(|call| call.as_str()));
    insert.execute().await.map_err(doing(held.doing))?;
    Ok(())
}
