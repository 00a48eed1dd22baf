//! Runs that wait for an approval go on when nobody decides on it any more: it was given, denied or withdrawn, or its time is
//! over. A run whose answer waits for several goes on with each of them, so that none lapses while the others are open. The caller holds the approval; approvals are locked before runs.

use toolgate_core::approval::Approval;
use toolgate_core::event::Event;
use toolgate_core::id::RunId;
use toolgate_core::run::RunState;

use super::error::RunError;
use super::held::{ActionStamp, RunStep, lock, take_step};
use crate::StoreError;
use crate::db::{Transaction, without_nul};

const DOING: &str = "resume the runs that waited for an approval";
/// Several, if their calls are the same: they share the approval. In one order, as others lock them.
const WAITING: &str = "SELECT r.root AS root, l.run AS run, l.action_kind AS kind
        FROM run_loops l JOIN runs r ON r.tenant = l.tenant AND r.id = l.run
        WHERE l.tenant = $1 AND l.action_id = $2 AND l.action_kind IS NOT NULL AND l.state = 'waiting'
    UNION SELECT r.root AS root, l.run AS run, l.action_kind AS kind
        FROM run_loops l JOIN runs r ON r.tenant = l.tenant AND r.id = l.run
        WHERE l.tenant = $1 AND l.run = $3 AND l.action_kind = 'approval' AND l.state = 'waiting'
    ORDER BY root, run";

/// Resumes them, and returns the events to tell. Runs that an operator paused stay paused.
pub(crate) async fn resume_waiting(
    tx: &mut Transaction,
    tenant: &'static str,
    approval: &Approval,
    act: ActionStamp<'_>,
) -> Result<Vec<Event>, sqlx::Error> {
    let own = approval.run.as_ref().map(|run| without_nul(run.as_str()));
    let waiting = tx.sql(WAITING).bind(tenant).bind(without_nul(approval.id.as_str())).bind(own);
    let waiting: Vec<(String, String, String)> = waiting.fetch_all().await?;
    let mut told = Vec::new();
    for (_, run, reason) in waiting {
        told.extend(resume(tx, tenant, &RunId::new(run), &reason, act).await.map_err(cause)?);
    }
    Ok(told)
}

async fn resume(
    tx: &mut Transaction,
    tenant: &'static str,
    id: &RunId,
    reason: &str,
    act: ActionStamp<'_>,
) -> Result<Option<Event>, RunError> {
    let Some(kept) = lock(tx, tenant, id, DOING).await? else { return Ok(None) };
    let is_waiting = kept.run.state == RunState::Paused && kept.run.reason.as_deref() == Some(reason);
    if !is_waiting {
        return Ok(None);
    }
    let step = RunStep { next: RunState::Running, reason: "", call: None, action: None };
    let (_, told) = take_step(tx, tenant, kept, step, act, DOING).await?;
    Ok(Some(told))
}

fn cause(error: RunError) -> sqlx::Error {
    match error {
        RunError::Store(StoreError::Query { cause, .. }) => cause,
        other => sqlx::Error::Decode(other.to_string().into()),
    }
}
