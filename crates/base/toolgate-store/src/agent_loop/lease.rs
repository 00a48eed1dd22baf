//! The leases of loops: who works on which one, and until when.

use toolgate_core::event::Durability;
use toolgate_core::id::RunId;
use toolgate_core::run::AgentLoop;

use super::row::{LoopRow, READ};
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::stored_count;
use crate::{Store, StoreError};

/// Those with a lease that is not over are in the index too, and they are few: a gateway works on a limited number.
const DUE: &str = "SELECT run FROM run_loops
    WHERE tenant = $1 AND (state = 'ready' OR unclosed = 1) AND wake_at_ms <= $2
        AND (owner IS NULL OR lease_until_ms <= $2)
    ORDER BY wake_at_ms, run LIMIT $3";
/// A run that completes does so by a call of its own loop, which comes to its end by itself.
const HALTED: &str = "SELECT l.run FROM run_loops l JOIN runs r ON r.tenant = l.tenant AND r.id = l.run
    WHERE l.tenant = $1 AND l.owner = $2 AND r.state IN ('paused', 'cancelled', 'failed')";
const OWNED: &str = "SELECT run FROM run_loops WHERE tenant = $1 AND owner = $2 ORDER BY run";
const GIVE_UP: &str =
    "UPDATE run_loops SET owner = NULL, lease_until_ms = 0 WHERE tenant = $1 AND owner = $2";
const OWNER: &str = "SELECT owner FROM run_loops WHERE tenant = $1 AND run = $2";
const CLAIM: &str = "UPDATE run_loops SET owner = $3, fence = fence + 1, lease_until_ms = $5
    WHERE tenant = $1 AND run = $2 AND (state = 'ready' OR unclosed = 1) AND wake_at_ms <= $4
        AND (owner IS NULL OR lease_until_ms <= $4)";
/// They belong to no gateway from now on: whoever plays them gives them up, unless their results come first.
const ORPHAN_BATCH: &str = "UPDATE batch_calls SET stream = '' WHERE tenant = $1 AND run = $2 AND stream = $3
    AND state = 'running'";
const ORPHAN_CALLS: &str = "UPDATE run_calls SET state = 'unknown', ended_at_ms = $4
    WHERE tenant = $1 AND run = $2 AND stream = $3 AND state = 'open'";
const RENEW: &str = "UPDATE run_loops SET lease_until_ms = $5
    WHERE tenant = $1 AND run = $2 AND owner = $3 AND fence = $4";
const RELEASE: &str = "UPDATE run_loops SET owner = NULL, lease_until_ms = 0, wake_at_ms = $5
    WHERE tenant = $1 AND run = $2 AND owner = $3 AND fence = $4";

/// The right of a gateway to work on a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopLease {
    pub run: RunId,
    /// The ledger stream of the gateway.
    pub stream: String,
    /// The number of the lease. Later ones have larger numbers.
    pub fence: u64,
}

impl Store {
    /// The loops that any gateway may work on now, the longest waiting first. Those of ended runs are among them, if the results of
    /// their last calls are not written down.
    pub async fn due_loops(&self, now_ms: i64, limit: usize) -> Result<Vec<RunId>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let due = self.db.sql(DUE).bind(self.tenant).bind(now_ms).bind(limit);
        let ids: Vec<(String,)> = due.fetch_all().await.map_err(doing("find runs to go on with"))?;
        Ok(ids.into_iter().map(|(id,)| RunId::new(id)).collect())
    }

    /// Takes the lease of a loop that is due. `None` if it is not, or if another was faster. If the lease of another gateway ran
    /// out, that one is taken for dead: the calls that it has under way in the run are orphans.
    pub async fn claim_loop(
        &self,
        run: &RunId,
        stream: &str,
        now_ms: i64,
        until_ms: i64,
    ) -> Result<Option<(LoopLease, AgentLoop)>, StoreError> {
        const DOING: &str = "take up a run";
        // A number that was given is never given again, also after a crash of the machine.
        let mut tx = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let owner = tx.sql_for_update(OWNER).bind(self.tenant).bind(without_nul(run.as_str()));
        let before: Option<(Option<String>,)> = owner.fetch_optional().await.map_err(doing(DOING))?;
        let claim = tx.sql(CLAIM).bind(self.tenant).bind(without_nul(run.as_str())).bind(stream);
        if claim.bind(now_ms).bind(until_ms).execute().await.map_err(doing(DOING))? == 0 {
            return Ok(None);
        }
        let before = before.and_then(|(owner,)| owner).filter(|owner| owner != stream);
        if let Some(before) = before {
            self.orphan(&mut tx, run, &before, now_ms).await.map_err(doing(DOING))?;
        }
        let read = tx.sql(READ).bind(self.tenant).bind(without_nul(run.as_str()));
        let row: LoopRow = read.fetch_one().await.map_err(doing(DOING))?;
        let claimed = row.read(DOING)?;
        tx.commit().await.map_err(doing(DOING))?;
        let lease = LoopLease { run: run.clone(), stream: stream.to_owned(), fence: claimed.fence };
        Ok(Some((lease, claimed)))
    }

    /// Gives up the leases that an earlier process of a stream left behind, as if they had run out, and returns how many. Only for the
    /// gateway that has claimed the stream, before its first lease.
    pub async fn give_up_leases(&self, stream: &str, now_ms: i64) -> Result<usize, StoreError> {
        const DOING: &str = "give up the leases of an earlier process";
        let mut tx = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let owned = tx.sql_for_update(OWNED).bind(self.tenant).bind(stream);
        let owned: Vec<(String,)> = owned.fetch_all().await.map_err(doing(DOING))?;
        for (run,) in &owned {
            self.orphan(&mut tx, &RunId::new(run.as_str()), stream, now_ms).await.map_err(doing(DOING))?;
        }
        let give_up = tx.sql(GIVE_UP).bind(self.tenant).bind(stream);
        give_up.execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(owned.len())
    }

    /// The runs that a gateway works on although they were paused, cancelled or failed meanwhile.
    pub async fn halted_loops(&self, stream: &str) -> Result<Vec<RunId>, StoreError> {
        let halted = self.db.sql(HALTED).bind(self.tenant).bind(stream);
        let ids: Vec<(String,)> =
            halted.fetch_all().await.map_err(doing("look for runs that were halted"))?;
        Ok(ids.into_iter().map(|(id,)| RunId::new(id)).collect())
    }

    /// Takes the calls of a run from a gateway that lost its lease. The loop is locked.
    async fn orphan(
        &self,
        tx: &mut Transaction,
        run: &RunId,
        stream: &str,
        now_ms: i64,
    ) -> Result<(), sqlx::Error> {
        let batch = tx.sql(ORPHAN_BATCH).bind(self.tenant).bind(without_nul(run.as_str()));
        batch.bind(stream).execute().await?;
        let calls = tx.sql(ORPHAN_CALLS).bind(self.tenant).bind(without_nul(run.as_str()));
        calls.bind(stream).bind(now_ms).execute().await.map(drop)
    }

    /// Keeps a lease for longer. `false` if it is another's by now.
    pub async fn renew_loop(&self, lease: &LoopLease, until_ms: i64) -> Result<bool, StoreError> {
        self.change_lease(RENEW, lease, until_ms, "keep a run").await
    }

    /// Gives a lease back: the loop is due again at a moment, if its run is not paused. `false` if it is another's by now.
    pub async fn release_loop(&self, lease: &LoopLease, wake_at_ms: i64) -> Result<bool, StoreError> {
        self.change_lease(RELEASE, lease, wake_at_ms, "give a run back").await
    }

    async fn change_lease(
        &self,
        text: &'static str,
        lease: &LoopLease,
        at_ms: i64,
        what: &'static str,
    ) -> Result<bool, StoreError> {
        let change = self.db.sql(text).bind(self.tenant).bind(without_nul(lease.run.as_str()));
        let change = change.bind(&*lease.stream).bind(stored_count(lease.fence)).bind(at_ms);
        Ok(change.execute().await.map_err(doing(what))? > 0)
    }
}
