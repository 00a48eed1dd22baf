//! The number of calls per day of those with a daily limit.

use toolgate_core::event::Durability;

use crate::error::doing;
use crate::{Store, StoreError};

const ADD: &str = "INSERT INTO call_counts (tenant, day, holder, calls) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (tenant, day, holder) DO UPDATE SET calls = call_counts.calls + excluded.calls";
const READ: &str = "SELECT calls FROM call_counts WHERE tenant = $1 AND day = $2 AND holder = $3";
const FORGET: &str = "DELETE FROM call_counts WHERE tenant = $1 AND day < $2";

/// The number of days for which counts are kept.
const DAYS_KEPT: i64 = 31;

impl Store {
    /// Adds to the counts of a day (since 1970), and returns the new counts in the same order.
    pub async fn add_calls(&self, day: i64, counts: &[(String, u64)]) -> Result<Vec<u64>, StoreError> {
        let failed = doing("count calls");
        let mut known = Vec::with_capacity(counts.len());
        let mut tx = self.db.begin(Durability::Written).await.map_err(&failed)?;
        for (holder, calls) in counts {
            if *calls > 0 {
                let calls = i64::try_from(*calls).unwrap_or(i64::MAX);
                let add = tx.sql(ADD).bind(self.tenant).bind(day).bind(holder.as_str()).bind(calls);
                add.execute().await.map_err(&failed)?;
            }
            let read = tx.sql(READ).bind(self.tenant).bind(day).bind(holder.as_str());
            let row: Option<(i64,)> = read.fetch_optional().await.map_err(&failed)?;
            known.push(row.map_or(0, |(calls,)| calls.unsigned_abs()));
        }
        tx.sql(FORGET).bind(self.tenant).bind(day - DAYS_KEPT).execute().await.map_err(&failed)?;
        tx.commit().await.map_err(&failed)?;
        Ok(known)
    }
}
