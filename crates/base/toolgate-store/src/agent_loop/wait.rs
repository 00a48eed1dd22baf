//! A run that waits for somebody. Approvals are locked before runs, so a decision comes before the wait or ends it.

use std::collections::BTreeSet;

use toolgate_core::approval::ApprovalState;
use toolgate_core::event::Durability;
use toolgate_core::id::{ApprovalId, InputId};
use toolgate_core::run::{InputState, RequiredAction, RunState};

use super::error::LoopError;
use super::held_loop::HeldLoop;
use super::lease::LoopLease;
use crate::StoreError;
use crate::approval;
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::run::ActionStamp;

const DOING: &str = "let a run wait";
const INPUT: &str = "SELECT state FROM inputs WHERE tenant = $1 AND id = $2";
const WAIT: &str =
    "UPDATE run_loops SET action_kind = $3, action_id = $4, action_since_ms = $5, action_how = $6
    WHERE tenant = $1 AND run = $2";
const GIVE_BACK: &str = "UPDATE run_loops SET owner = NULL, lease_until_ms = 0, wake_at_ms = $3
    WHERE tenant = $1 AND run = $2";

impl Books {
    /// Pauses the run for the reason of the action, stores the action, and gives the lease back. If the approval or the question
    /// of the action is resolved meanwhile, or one of the approvals that other calls of the answer wait for, the run goes on instead.
    pub async fn wait_loop(
        &self,
        lease: &LoopLease,
        action: RequiredAction,
        besides: &[ApprovalId],
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let store = self.store();
        let mut tx = store.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let is_undecided = are_undecided(&mut tx, store.tenant, &action, besides).await?;
        let mut held = HeldLoop::take_in(self, tx, lease, act, DOING).await?;
        let is_open = is_undecided && is_unanswered(&mut held, &action).await?;
        if is_open && !held.held.run().state.is_final() {
            pause(&mut held, &action).await?;
        }
        let (failed, run) = (held.held.failed(), without_nul(held.kept.run.as_str()));
        let give_back = held.held.tx.sql(GIVE_BACK).bind(held.held.tenant).bind(run).bind(act.at_ms);
        give_back.execute().await.map_err(failed)?;
        held.commit().await.map(drop)
    }
}

/// Locks the approval of an action, if it has one, and those besides it. An approval that is gone has ended.
async fn are_undecided(
    tx: &mut Transaction,
    tenant: &'static str,
    action: &RequiredAction,
    besides: &[ApprovalId],
) -> Result<bool, StoreError> {
    let own = action.id.starts_with(ApprovalId::PREFIX).then(|| ApprovalId::new(action.id.as_str()));
    // In one order, as others lock them.
    let ids: BTreeSet<ApprovalId> = own.into_iter().chain(besides.iter().cloned()).collect();
    let mut are_undecided = true;
    for id in &ids {
        let found = approval::lock(tx, tenant, id).await.map_err(doing(DOING))?;
        are_undecided &= found.is_some_and(|found| found.approval.state == ApprovalState::Pending);
    }
    Ok(are_undecided)
}

async fn is_unanswered(held: &mut HeldLoop<'_>, action: &RequiredAction) -> Result<bool, LoopError> {
    if !action.id.starts_with(InputId::PREFIX) {
        return Ok(true);
    }
    let failed = held.held.failed();
    let read = held.held.tx.sql(INPUT).bind(held.held.tenant).bind(without_nul(&action.id));
    let state: Option<(String,)> = read.fetch_optional().await.map_err(failed)?;
    Ok(state.is_some_and(|(state,)| state == InputState::Pending.as_str()))
}

/// A run that its question or an operator has paused stays paused for that reason.
async fn pause(held: &mut HeldLoop<'_>, action: &RequiredAction) -> Result<(), LoopError> {
    if held.held.run().state == RunState::Pending {
        held.held.step(RunState::Running, "").await?;
    }
    if held.held.run().state == RunState::Running {
        held.held.pause_for(action, action.kind.as_str(), None).await?;
    }
    let (failed, run) = (held.held.failed(), without_nul(held.kept.run.as_str()));
    let wait = held.held.tx.sql(WAIT).bind(held.held.tenant).bind(run).bind(action.kind.as_str());
    let wait = wait.bind(without_nul(&action.id)).bind(action.since_ms).bind(without_nul(&action.how));
    wait.execute().await.map_err(failed)?;
    Ok(())
}
