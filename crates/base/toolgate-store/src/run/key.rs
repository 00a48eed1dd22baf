//! Keys under which creators find their runs again. A key has one run for good, also when that has ended.

use toolgate_core::PrincipalId;
use toolgate_core::id::RunId;
use toolgate_core::run::Run;

use super::error::RunError;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::{Store, StoreError};

/// Two who take a key at the same moment wait for each other here.
const TAKE: &str = "INSERT INTO run_keys (tenant, created_by, run_key, run, created_at_ms)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
const READ: &str = "SELECT run FROM run_keys WHERE tenant = $1 AND created_by = $2 AND run_key = $3";

impl Store {
    /// The run that this principal made under the key.
    pub async fn keyed_run(&self, creator: &PrincipalId, key: &str) -> Result<Option<RunId>, StoreError> {
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(creator.as_str()));
        let row: Option<(String,)> =
            read.bind(without_nul(key)).fetch_optional().await.map_err(doing("find a run by its key"))?;
        Ok(row.map(|(run,)| RunId::new(run)))
    }
}

/// Gives the key to a new run, unless another has it.
pub(super) async fn take(
    tx: &mut Transaction,
    tenant: &'static str,
    key: &str,
    run: &Run,
) -> Result<(), RunError> {
    const DOING: &str = "take the key of a run";
    let creator = run.created_by.as_str();
    let take = tx.sql(TAKE).bind(tenant).bind(without_nul(creator)).bind(without_nul(key));
    let take = take.bind(without_nul(run.id.as_str())).bind(run.created_at_ms);
    if take.execute().await.map_err(doing(DOING))? > 0 {
        return Ok(());
    }
    let read = tx.sql(READ).bind(tenant).bind(without_nul(creator)).bind(without_nul(key));
    let (run,): (String,) = read.fetch_one().await.map_err(doing(DOING))?;
    Err(RunError::KeyTaken { run: RunId::new(run) })
}
