//! Claims, as rows: revisions and evidence that never change, and decisions that become stale. The `Store` reads them; changes are methods of
//! the `Books`, which write the ledger's event in the same transaction and hold the row of the claim meanwhile.

mod deciding;
mod error;
mod events;
mod evidence;
mod held;
mod kinds;
mod row;
mod write;

use toolgate_core::claim::{Claim, ClaimDecision, ClaimEvidence, ClaimRevision, ClaimState, ClaimType};
use toolgate_core::id::ClaimId;

pub use deciding::{CLAIM_DECISIONS_MAX, NewDecision};
pub use error::{ClaimChangeError, ClaimTypeError};
pub use evidence::{CLAIM_EVIDENCE_MAX, LinkedEvidence, NewEvidence};
pub use kinds::{CLAIM_TYPES_MAX, ClaimTypeWrite};
pub use write::{CLAIM_REVISIONS_MAX, ClaimRevising, ClaimSuperseding, NewClaim};

use crate::cursor::PageCursor;
use crate::db::{DbRow, without_nul};
use crate::error::doing;
use crate::page::PageQuery;
use crate::{Store, StoreError};
use kinds::{ALL_KINDS, BY_NAME};
use row::{
    CLAIM_BY_ID, ClaimDecisionRow, ClaimEvidenceRow, ClaimRevisionRow, ClaimRow, ClaimTypeRow, DECISIONS,
    EVIDENCE, LISTED, REVISIONS,
};

/// The maximum number of claims on a page.
pub const CLAIMS_PAGE_MAX: usize = 200;

/// A filter for claims. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClaimFilter {
    pub kind: Option<String>,
    pub state: Option<ClaimState>,
}

impl Store {
    pub async fn claim(&self, id: &ClaimId) -> Result<Option<Claim>, StoreError> {
        const DOING: &str = "read a claim";
        let read = self.db.sql(CLAIM_BY_ID).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<ClaimRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// One page, newest first, and the cursor of the next one.
    pub async fn claims(
        &self,
        filter: &ClaimFilter,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<Claim>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the claims";
        let page = PageQuery::new(cursor, limit, CLAIMS_PAGE_MAX)
            .text(" AND kind = ?", filter.kind.as_deref())
            .text(" AND state = ?", filter.state.map(ClaimState::as_str));
        let (rows, more) = page.fetch::<ClaimRow>(self, LISTED).await.map_err(doing(DOING))?;
        let claims: Vec<Claim> = rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = claims.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((claims, next))
    }

    /// All revisions of a claim, the first one first.
    pub async fn claim_revisions(&self, id: &ClaimId) -> Result<Vec<ClaimRevision>, StoreError> {
        const DOING: &str = "read the revisions of a claim";
        let rows: Vec<ClaimRevisionRow> = self.of_claim(REVISIONS, id, DOING).await?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// All evidence of a claim, the first one first.
    pub async fn claim_evidence(&self, id: &ClaimId) -> Result<Vec<ClaimEvidence>, StoreError> {
        const DOING: &str = "read the evidence of a claim";
        let rows: Vec<ClaimEvidenceRow> = self.of_claim(EVIDENCE, id, DOING).await?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// All decisions on a claim, the first one first.
    pub async fn claim_decisions(&self, id: &ClaimId) -> Result<Vec<ClaimDecision>, StoreError> {
        const DOING: &str = "read the decisions on a claim";
        let rows: Vec<ClaimDecisionRow> = self.of_claim(DECISIONS, id, DOING).await?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    pub async fn claim_type(&self, name: &str) -> Result<Option<ClaimType>, StoreError> {
        const DOING: &str = "read a type of claims";
        let read = self.db.sql(BY_NAME).bind(self.tenant).bind(without_nul(name));
        let row: Option<ClaimTypeRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// All types, by name. There are [`CLAIM_TYPES_MAX`] at most.
    pub async fn claim_types(&self) -> Result<Vec<ClaimType>, StoreError> {
        const DOING: &str = "list the types of claims";
        let rows = self.db.sql(ALL_KINDS).bind(self.tenant).fetch_all().await;
        let rows: Vec<ClaimTypeRow> = rows.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    async fn of_claim<T: DbRow>(
        &self,
        text: &'static str,
        id: &ClaimId,
        what: &'static str,
    ) -> Result<Vec<T>, StoreError> {
        let read = self.db.sql(text).bind(self.tenant).bind(without_nul(id.as_str()));
        read.fetch_all().await.map_err(doing(what))
    }
}
