//! The number of items that wait for people.

use toolgate_core::PrincipalId;
use toolgate_core::approval::ApprovalState;
use toolgate_core::registry::ToolStatus;
use toolgate_core::run::InputState;

use crate::db::without_nul;
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

const WAITING: &str = "SELECT (SELECT COUNT(*) FROM approvals WHERE tenant = $1 AND state = $2) AS approvals, \
     (SELECT COUNT(*) FROM inputs WHERE tenant = $1 AND state = $3) AS inputs, \
     (SELECT COUNT(*) FROM registry_tools WHERE tenant = $1 AND status IN ($4, $5)) AS reviews";

const PENDING: &str = "SELECT COUNT(*) FROM approvals WHERE tenant = $1 AND state = $2 AND principal = $3";

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WaitingCounts {
    pub approvals: u64,
    pub inputs: u64,
    /// Tools that wait for a review.
    pub reviews: u64,
}

impl Store {
    /// The number of a principal's calls that wait for people.
    pub async fn count_pending_approvals(&self, principal: &PrincipalId) -> Result<u64, StoreError> {
        let principal = without_nul(principal.as_str());
        let count = self.db.sql(PENDING).bind(self.tenant).bind(ApprovalState::Pending.as_str());
        let counted = count.bind(principal.as_str()).fetch_one::<(i64,)>().await;
        counted.map(|(count,)| count.unsigned_abs()).map_err(doing("count what waits for people"))
    }

    pub async fn count_waiting(&self) -> Result<WaitingCounts, StoreError> {
        let count = self.db.sql(WAITING).bind(self.tenant);
        let count = count.bind(ApprovalState::Pending.as_str()).bind(InputState::Pending.as_str());
        let count = count.bind(ToolStatus::Drifted.as_str()).bind(ToolStatus::Quarantined.as_str());
        let counted: WaitingRow = count.fetch_one().await.map_err(doing("count what waits for people"))?;
        Ok(WaitingCounts {
            approvals: counted.approvals.unsigned_abs(),
            inputs: counted.inputs.unsigned_abs(),
            reviews: counted.reviews.unsigned_abs(),
        })
    }
}

row! {
    struct WaitingRow {
        approvals: i64,
        inputs: i64,
        reviews: i64,
    }
}
