//! Creating, revising, submitting, reviewing and superseding claims.

use toolgate_core::claim::{Claim, ClaimRevision, ClaimState, RevisionWords, bound_digest};
use toolgate_core::id::ClaimId;
use toolgate_core::{RawJson, stop_point};

use super::error::ClaimChangeError;
use super::events::{self, ClaimStep};
use super::held::HeldClaim;
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::file::Actor;
use crate::registry::stored_count;
use crate::run::json;

/// The maximum number of revisions of a claim.
pub const CLAIM_REVISIONS_MAX: u64 = 200;

const INSERT: &str =
    "INSERT INTO claims (tenant, id, kind, state, revision, digest, evidence, decisions, is_settled, created_by, created_at_ms,
        state_by, state_since_ms)
    VALUES ($1, $2, $3, $4, 1, $5, 0, 0, 0, $6, $7, $6, $7)";
const INSERT_REVISION: &str =
    "INSERT INTO claim_revisions (tenant, claim, number, statement, severity, source, quantification, revision_digest,
        revised_by, revised_at_ms, revised_in_call)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

#[derive(Clone, PartialEq, Debug)]
pub struct NewClaim {
    pub id: ClaimId,
    pub kind: String,
    pub words: RevisionWords,
    pub is_submitted: bool,
    pub at_ms: i64,
}

/// Another revision of a claim, or its submission, or both.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimRevising {
    pub id: ClaimId,
    /// The number of the revision that the caller saw.
    pub seen: u64,
    pub words: Option<RevisionWords>,
    pub is_submitted: bool,
    pub at_ms: i64,
}

/// Another claim takes the place of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimSuperseding {
    pub id: ClaimId,
    pub by: ClaimId,
    pub reason: Option<String>,
    pub at_ms: i64,
}

impl Books {
    pub async fn create_claim(&self, new: &NewClaim, by: &Actor) -> Result<Claim, ClaimChangeError> {
        const DOING: &str = "create a claim";
        let tenant = self.store().tenant;
        let claim = created(new, by);
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let insert = tx.sql(INSERT).bind(tenant).bind(claim.id.as_str()).bind(&*claim.kind);
        let insert = insert.bind(claim.state.as_str()).bind(&claim.digest.as_bytes()[..]);
        let insert = insert.bind(without_nul(claim.created_by.as_str())).bind(claim.created_at_ms);
        insert.execute().await.map_err(doing(DOING))?;
        insert_revision(&mut tx, tenant, &claim.id, &claim.revision).await.map_err(doing(DOING))?;
        stop_point::reach("claim written");
        self.record(tx, vec![events::created(&claim, by)]).await.map_err(doing(DOING))?;
        Ok(claim)
    }

    /// Adds a revision, submits a draft, or both. A decision that held becomes stale.
    pub async fn revise_claim(
        &self,
        revising: &ClaimRevising,
        by: &Actor,
    ) -> Result<Claim, ClaimChangeError> {
        let mut held = HeldClaim::take(self, &revising.id, "revise a claim").await?;
        let (state, number) = (held.claim.state, held.claim.revision.number);
        if state == ClaimState::Superseded {
            return Err(ClaimChangeError::State { state });
        }
        if number != revising.seen {
            return Err(ClaimChangeError::OtherRevision { revision: number });
        }
        let made_stale = match &revising.words {
            Some(words) => add_revision(&mut held, words, revising.at_ms, by).await?,
            None => false,
        };
        if revising.is_submitted {
            if state != ClaimState::Draft {
                return Err(ClaimChangeError::State { state });
            }
            enter(&mut held.claim, ClaimState::Submitted, revising.at_ms, by);
        }
        let step = if revising.words.is_some() { ClaimStep::Revised } else { ClaimStep::Submitted };
        let event = events::changed(&held.claim, step, made_stale, revising.at_ms, by);
        held.finish(self, event).await
    }

    /// Begins the review of a submitted claim. A review that has begun goes on.
    pub async fn review_claim(
        &self,
        id: &ClaimId,
        at_ms: i64,
        by: &Actor,
    ) -> Result<Claim, ClaimChangeError> {
        let mut held = HeldClaim::take(self, id, "review a claim").await?;
        match held.claim.state {
            ClaimState::UnderReview => return Ok(held.claim),
            ClaimState::Submitted => {}
            state => return Err(ClaimChangeError::State { state }),
        }
        enter(&mut held.claim, ClaimState::UnderReview, at_ms, by);
        let event = events::changed(&held.claim, ClaimStep::ReviewBegun, false, at_ms, by);
        held.finish(self, event).await
    }

    /// Ends a claim in favour of another one, which must not be superseded itself.
    pub async fn supersede_claim(
        &self,
        superseding: &ClaimSuperseding,
        by: &Actor,
    ) -> Result<Claim, ClaimChangeError> {
        let ClaimSuperseding { id, by: other, reason, at_ms } = superseding;
        // Locks are taken in one order, so that two that supersede each other do not wait for each other.
        let mut held = HeldClaim::take(self, id.min(other), "supersede a claim").await?;
        let second = held.hold_also(id.max(other)).await?;
        let (claim, successor) =
            if held.claim.id == *id { (held.claim.clone(), second) } else { (second, held.claim.clone()) };
        for state in [claim.state, successor.state] {
            if state == ClaimState::Superseded {
                return Err(ClaimChangeError::State { state });
            }
        }
        held.claim = claim;
        held.claim.superseded_by = Some(other.clone());
        enter(&mut held.claim, ClaimState::Superseded, *at_ms, by);
        let event = events::superseded(&held.claim, reason.as_deref(), by);
        held.finish(self, event).await
    }
}

fn created(new: &NewClaim, by: &Actor) -> Claim {
    let revision = revision(&new.id, &new.kind, 1, &new.words, new.at_ms, by);
    Claim {
        id: new.id.clone(),
        kind: new.kind.clone(),
        state: if new.is_submitted { ClaimState::Submitted } else { ClaimState::Draft },
        digest: bound_digest(revision.digest, &[]),
        revision,
        evidence: 0,
        decisions: 0,
        is_settled: false,
        superseded_by: None,
        created_by: by.principal.clone(),
        created_at_ms: new.at_ms,
        state_by: by.principal.clone(),
        state_since_ms: new.at_ms,
    }
}

async fn add_revision(
    held: &mut HeldClaim,
    words: &RevisionWords,
    at_ms: i64,
    by: &Actor,
) -> Result<bool, ClaimChangeError> {
    let number = held.claim.revision.number + 1;
    if number > CLAIM_REVISIONS_MAX {
        return Err(ClaimChangeError::TooMany { what: "revisions", max: CLAIM_REVISIONS_MAX });
    }
    let revision = revision(&held.claim.id, &held.claim.kind, number, words, at_ms, by);
    let inserted = insert_revision(&mut held.tx, held.tenant, &held.claim.id, &revision).await;
    inserted.map_err(doing(held.doing))?;
    held.claim.revision = revision;
    held.bind_digest().await?;
    held.make_stale(at_ms).await
}

fn revision(
    id: &ClaimId,
    kind: &str,
    number: u64,
    words: &RevisionWords,
    at_ms: i64,
    by: &Actor,
) -> ClaimRevision {
    let words = RevisionWords { statement: without_nul(&words.statement), ..words.clone() };
    let digest = words.digest(id, kind, number);
    let RevisionWords { statement, severity, source, quantification } = words;
    ClaimRevision {
        number,
        statement,
        severity,
        source,
        quantification,
        digest,
        by: by.principal.clone(),
        at_ms,
        call: by.call.clone(),
    }
}

async fn insert_revision(
    tx: &mut Transaction,
    tenant: &'static str,
    claim: &ClaimId,
    revision: &ClaimRevision,
) -> Result<(), sqlx::Error> {
    let insert = tx.sql(INSERT_REVISION).bind(tenant).bind(claim.as_str());
    let insert = insert.bind(stored_count(revision.number)).bind(&*revision.statement);
    let insert = insert.bind(revision.severity.as_str()).bind(json(&revision.source));
    let insert = insert.bind(revision.quantification.as_ref().map(RawJson::as_str));
    let insert = insert.bind(&revision.digest.as_bytes()[..]).bind(without_nul(revision.by.as_str()));
    let insert = insert.bind(revision.at_ms).bind(revision.call.as_ref().map(|call| call.as_str()));
    insert.execute().await.map(drop)
}

/// Brings a claim into another state.
pub(super) fn enter(claim: &mut Claim, state: ClaimState, at_ms: i64, by: &Actor) {
    claim.state = state;
    claim.state_by = by.principal.clone();
    claim.state_since_ms = at_ms;
}
