//! A claim whose row is locked until the end of a transaction.

use toolgate_core::Digest;
use toolgate_core::claim::{Claim, bound_digest};
use toolgate_core::event::Event;
use toolgate_core::id::ClaimId;
use toolgate_core::stop_point;

use super::error::ClaimChangeError;
use super::row::{CLAIM_BY_ID, ClaimRow, digest};
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::stored_count;

const HOLD: &str = "SELECT id FROM claims WHERE tenant = $1 AND id = $2";
const EVIDENCE_DIGESTS: &str =
    "SELECT digest FROM claim_evidence WHERE tenant = $1 AND claim = $2 ORDER BY number";
const SAVE: &str =
    "UPDATE claims SET state = $3, revision = $4, digest = $5, evidence = $6, decisions = $7, is_settled = $8,
        superseded_by = $9, state_by = $10, state_since_ms = $11
    WHERE tenant = $1 AND id = $2";
const MAKE_STALE: &str = "UPDATE claim_decisions SET stale_since_ms = $3 WHERE tenant = $1 AND claim = $2 AND stale_since_ms IS NULL";

/// The claim as it is now, and the transaction that changes it.
pub(super) struct HeldClaim {
    pub(super) tx: Transaction,
    pub(super) tenant: &'static str,
    pub(super) claim: Claim,
    pub(super) doing: &'static str,
}

impl HeldClaim {
    pub(super) async fn take(
        books: &Books,
        id: &ClaimId,
        what: &'static str,
    ) -> Result<Self, ClaimChangeError> {
        let tenant = books.store().tenant;
        let mut tx = books.begin().await.map_err(doing(what))?;
        let claim = hold(&mut tx, tenant, id, what).await?;
        Ok(Self { tx, tenant, claim, doing: what })
    }

    /// Locks another claim as well.
    pub(super) async fn hold_also(&mut self, id: &ClaimId) -> Result<Claim, ClaimChangeError> {
        hold(&mut self.tx, self.tenant, id, self.doing).await
    }

    /// Computes the digest of the current revision and all evidence again.
    pub(super) async fn bind_digest(&mut self) -> Result<(), ClaimChangeError> {
        let read = self.tx.sql(EVIDENCE_DIGESTS).bind(self.tenant).bind(self.claim.id.as_str());
        let rows: Vec<(Vec<u8>,)> = read.fetch_all().await.map_err(doing(self.doing))?;
        let evidence: Vec<Digest> =
            rows.iter().map(|(bytes,)| digest(bytes, self.doing)).collect::<Result<_, _>>()?;
        self.claim.digest = bound_digest(self.claim.revision.digest, &evidence);
        Ok(())
    }

    /// Decisions do not hold any more. True if one did until now.
    pub(super) async fn make_stale(&mut self, at_ms: i64) -> Result<bool, ClaimChangeError> {
        self.claim.is_settled = false;
        let save = self.tx.sql(MAKE_STALE).bind(self.tenant).bind(self.claim.id.as_str()).bind(at_ms);
        Ok(save.execute().await.map_err(doing(self.doing))? > 0)
    }

    /// Writes the claim as it is now, with its event.
    pub(super) async fn finish(mut self, books: &Books, event: Event) -> Result<Claim, ClaimChangeError> {
        let claim = &self.claim;
        let save = self.tx.sql(SAVE).bind(self.tenant).bind(claim.id.as_str()).bind(claim.state.as_str());
        let save = save.bind(stored_count(claim.revision.number)).bind(&claim.digest.as_bytes()[..]);
        let save = save.bind(stored_count(claim.evidence)).bind(stored_count(claim.decisions));
        let save = save.bind(i64::from(claim.is_settled));
        let save = save.bind(claim.superseded_by.as_ref().map(ClaimId::as_str));
        let save = save.bind(without_nul(claim.state_by.as_str())).bind(claim.state_since_ms);
        save.execute().await.map_err(doing(self.doing))?;
        stop_point::reach("claim written");
        books.record(self.tx, vec![event]).await.map_err(doing(self.doing))?;
        Ok(self.claim)
    }
}

async fn hold(
    tx: &mut Transaction,
    tenant: &'static str,
    id: &ClaimId,
    what: &'static str,
) -> Result<Claim, ClaimChangeError> {
    let unknown = || ClaimChangeError::Unknown(id.clone());
    let held = tx.sql_for_update(HOLD).bind(tenant).bind(without_nul(id.as_str()));
    let held: Option<(String,)> = held.fetch_optional().await.map_err(doing(what))?;
    held.ok_or_else(unknown)?;
    let read = tx.sql(CLAIM_BY_ID).bind(tenant).bind(without_nul(id.as_str()));
    let row: Option<ClaimRow> = read.fetch_optional().await.map_err(doing(what))?;
    Ok(row.ok_or_else(unknown)?.read(what)?)
}
