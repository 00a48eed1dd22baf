//! The leases of work: who works on which one, until when, how far it is, and its end.

use serde_json::Value;
use toolgate_core::event::Durability;
use toolgate_core::id::WorkId;

use super::row::{BY_ID, StoredWork, WorkRow, WorkState};
use crate::clock::now_ms;
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::registry::stored_count;
use crate::run::json;
use crate::{Store, StoreError};

/// Kinds follow, a place for each.
const DUE: &str = "SELECT id FROM platform_work
    WHERE tenant = $1 AND (state = 'queued' OR state = 'running') AND lease_until_ms <= $2 AND kind IN (";
const OLDEST: &str = ") ORDER BY created_at_ms, id LIMIT 1";
const CLAIM: &str =
    "UPDATE platform_work SET state = 'running', holder = $3, lease_until_ms = $4, attempts = attempts + 1,
        done = 0, updated_at_ms = $5
    WHERE tenant = $1 AND id = $2";
/// Within an attempt, progress does not go back: a renewal that nobody waits for any more may come after the last one.
const RENEW: &str =
    "UPDATE platform_work SET lease_until_ms = $4, done = CASE WHEN done > $5 THEN done ELSE $5 END,
        total = $6, updated_at_ms = $7
    WHERE tenant = $1 AND id = $2 AND holder = $3 AND state = 'running'";
const END: &str = "UPDATE platform_work SET state = $4, result = $5, lease_until_ms = 0, updated_at_ms = $6
    WHERE tenant = $1 AND id = $2 AND holder = $3 AND state = 'running'";
/// The attempt does not count.
const RELEASE: &str =
    "UPDATE platform_work SET state = 'queued', holder = NULL, lease_until_ms = $4, attempts = attempts - 1,
        updated_at_ms = $5
    WHERE tenant = $1 AND id = $2 AND holder = $3 AND state = 'running'";
const RETRY: &str =
    "UPDATE platform_work SET state = 'queued', holder = NULL, lease_until_ms = $4, updated_at_ms = $5
    WHERE tenant = $1 AND id = $2 AND holder = $3 AND state = 'running'";
const RELEASE_ALL: &str =
    "UPDATE platform_work SET state = 'queued', holder = NULL, lease_until_ms = 0, updated_at_ms = $3
    WHERE tenant = $1 AND holder = $2 AND state = 'running'";
const FORGET: &str = "DELETE FROM platform_work WHERE tenant = $1 AND id IN (
        SELECT id FROM platform_work WHERE tenant = $1 AND created_at_ms < $2 AND updated_at_ms < $2
            AND (state = 'done' OR state = 'failed')
        ORDER BY created_at_ms, id LIMIT $3)";

/// The work that a statement finds which begins with `DUE`.
async fn oldest(
    due: SqlStatement<'_>,
    tenant: &str,
    now_ms: i64,
    kinds: &[&str],
) -> Result<Option<String>, sqlx::Error> {
    let mut due = due.bind(tenant).bind(now_ms);
    for kind in kinds {
        due.push(*kind);
    }
    let found: Option<(String,)> = due.fetch_optional().await?;
    Ok(found.map(|(id,)| id))
}

impl Store {
    /// Takes the lease of the oldest work of these kinds that nobody works on. `None` if there is none.
    pub async fn claim_work(
        &self,
        kinds: &[&str],
        holder: &str,
        now_ms: i64,
        lease_until_ms: i64,
    ) -> Result<Option<WorkRow>, StoreError> {
        const DOING: &str = "take up work";
        if kinds.is_empty() {
            return Ok(None);
        }
        let places: Vec<String> = (0..kinds.len()).map(|place| format!("${}", place + 3)).collect();
        let due = format!("{DUE}{}{OLDEST}", places.join(", "));
        // Most looks find nothing: they take neither a transaction nor, on SQLite, the lock of those who write.
        let look = self.db.sql(sqlx::AssertSqlSafe(due.clone()));
        if oldest(look, self.tenant, now_ms, kinds).await.map_err(doing(DOING))?.is_none() {
            return Ok(None);
        }
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        // Another gateway may take the oldest one at this moment; it is skipped rather than waited for.
        let lock = tx.dialect().pick("", " FOR UPDATE SKIP LOCKED");
        let take = tx.sql(sqlx::AssertSqlSafe(format!("{due}{lock}")));
        let found = oldest(take, self.tenant, now_ms, kinds).await.map_err(doing(DOING))?;
        let Some(id) = found else { return Ok(None) };
        let claim = tx.sql(CLAIM).bind(self.tenant).bind(id.as_str()).bind(without_nul(holder));
        claim.bind(lease_until_ms).bind(now_ms).execute().await.map_err(doing(DOING))?;
        let read = tx.sql(BY_ID).bind(self.tenant).bind(id.as_str());
        let row: StoredWork = read.fetch_one().await.map_err(doing(DOING))?;
        let work = row.read(DOING)?;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(Some(work))
    }

    /// Keeps a lease for longer, and notes how far the work is. `false` if it is another's by now, or has ended.
    pub async fn renew_work(
        &self,
        id: &WorkId,
        holder: &str,
        lease_until_ms: i64,
        done: u64,
        total: u64,
    ) -> Result<bool, StoreError> {
        let renew = self.db.sql(RENEW).bind(self.tenant).bind(without_nul(id.as_str()));
        let renew = renew.bind(without_nul(holder)).bind(lease_until_ms);
        let renew = renew.bind(stored_count(done)).bind(stored_count(total)).bind(now_ms());
        Ok(renew.execute().await.map_err(doing("keep work"))? > 0)
    }

    /// Ends work with its result. `false` if it is another's by now, or has ended.
    pub async fn end_work(
        &self,
        id: &WorkId,
        holder: &str,
        state: WorkState,
        result: &Value,
    ) -> Result<bool, StoreError> {
        const DOING: &str = "end work";
        let mut tx = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let end = tx.sql(END).bind(self.tenant).bind(without_nul(id.as_str())).bind(without_nul(holder));
        let end = end.bind(state.as_str()).bind(json(result)).bind(now_ms());
        let is_ended = end.execute().await.map_err(doing(DOING))? > 0;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(is_ended)
    }

    /// Gives work back that was interrupted: anybody may take it up from a moment on, and the attempt does not count. `false` if it is
    /// another's by now, or has ended.
    pub async fn release_work(&self, id: &WorkId, holder: &str, due_ms: i64) -> Result<bool, StoreError> {
        self.put_back(RELEASE, id, holder, due_ms).await
    }

    /// The same for work that did not succeed: the attempt counts.
    pub async fn retry_work(&self, id: &WorkId, holder: &str, due_ms: i64) -> Result<bool, StoreError> {
        self.put_back(RETRY, id, holder, due_ms).await
    }

    async fn put_back(
        &self,
        text: &'static str,
        id: &WorkId,
        holder: &str,
        due_ms: i64,
    ) -> Result<bool, StoreError> {
        let put = self.db.sql(text).bind(self.tenant).bind(without_nul(id.as_str()));
        let put = put.bind(without_nul(holder)).bind(due_ms).bind(now_ms());
        Ok(put.execute().await.map_err(doing("give work back"))? > 0)
    }

    /// Gives back the work that an earlier process of a stream left behind, and returns how much. Only for the gateway that has claimed
    /// the stream, before its first lease.
    pub async fn release_work_of(&self, holder: &str) -> Result<u64, StoreError> {
        let release = self.db.sql(RELEASE_ALL).bind(self.tenant).bind(without_nul(holder)).bind(now_ms());
        release.execute().await.map_err(doing("give back the work of an earlier process"))
    }

    /// Removes work that ended before a moment, the oldest first, and returns how much. Its runs stay.
    pub async fn forget_work(&self, ended_before_ms: i64, limit: usize) -> Result<u64, StoreError> {
        const DOING: &str = "forget old work";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        let forget = tx.sql(FORGET).bind(self.tenant).bind(ended_before_ms).bind(limit);
        let forgotten = forget.execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(forgotten)
    }
}
