//! The start, pause and resumption of runs.

use toolgate_core::event::Durability;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::run::{InputRequest, Run, RunState, ended};

use super::error::RunError;
use super::held::{ActionStamp, HeldRun};
use super::row::{COUNT_OPEN, INSERT, StoredRun};
use super::{events, input, key, log};
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::read_count;

/// The maximum number of runs above one.
pub const RUN_DEPTH_MAX: u64 = 8;
/// The maximum number of open runs in one tree: they end together.
pub const RUNS_OPEN_MAX: u64 = 1_000;

const CREATING: &str = "create a run";
const MARK_DRIVEN: &str = "UPDATE runs SET is_driven = 1 WHERE tenant = $1 AND id = $2";

/// A run after a step, with its side effects.
#[derive(Clone, PartialEq, Debug)]
pub struct SteppedRun {
    /// Without its output.
    pub run: Run,
    /// The cancelled questions.
    pub cancelled: Vec<InputRequest>,
    /// Runs within it that ended with it.
    pub ended: Vec<RunId>,
}

/// The kind of a new run.
#[derive(Clone, Copy)]
enum NewRunMark<'a> {
    Plain,
    /// The gateway drives it.
    Driven,
    /// Its creator has a key for it.
    Keyed(&'a str),
}

impl Books {
    /// Stores a new run. Its budget is limited by those above it.
    pub async fn create_run(&self, run: Run, act: ActionStamp<'_>) -> Result<Run, RunError> {
        self.store_run(run, NewRunMark::Plain, act).await
    }

    /// The same under a key of its creator's, which has one run for good.
    pub async fn create_keyed_run(&self, run: Run, key: &str, act: ActionStamp<'_>) -> Result<Run, RunError> {
        self.store_run(run, NewRunMark::Keyed(key), act).await
    }

    /// The same for a run that the gateway drives itself.
    pub async fn create_driven_run(&self, run: Run, act: ActionStamp<'_>) -> Result<Run, RunError> {
        self.store_run(run, NewRunMark::Driven, act).await
    }

    async fn store_run(&self, run: Run, mark: NewRunMark<'_>, act: ActionStamp<'_>) -> Result<Run, RunError> {
        let tenant = self.store().tenant;
        let (root, depth, run, mut tx) = match run.parent.clone() {
            None => (run.id.clone(), 0, run, self.begin().await.map_err(doing(CREATING))?),
            Some(parent) => self.within(&parent, run, act).await?,
        };
        if let NewRunMark::Keyed(key) = mark {
            key::take(&mut tx, tenant, key, &run).await?;
        }
        let run = Run { events: 1, ..run };
        let kept = StoredRun { run, root, depth, output: None, ran_out_of: None, end_request: None };
        let mut insert = tx.sql(INSERT);
        kept.push_new(tenant, &mut insert);
        insert.execute().await.map_err(doing(CREATING))?;
        if matches!(mark, NewRunMark::Driven) {
            let driven = tx.sql(MARK_DRIVEN).bind(tenant).bind(without_nul(kept.run.id.as_str()));
            driven.execute().await.map_err(doing(CREATING))?;
        }
        let told = events::created(&kept.run, act);
        log::insert(&mut tx, tenant, &kept.run, &told, None).await.map_err(doing(CREATING))?;
        self.record(tx, vec![told]).await.map_err(doing(CREATING))?;
        Ok(kept.run)
    }

    /// The root, depth and budget of a run that is created within another one.
    async fn within(
        &self,
        parent: &RunId,
        mut run: Run,
        act: ActionStamp<'_>,
    ) -> Result<(RunId, u64, Run, Transaction), RunError> {
        let mut held = HeldRun::take(self, parent, act, Durability::OnDisk, CREATING).await?;
        if held.run().state.is_final() {
            return Err(ended(parent, held.run().state).into());
        }
        let depth = held.kept.depth + 1;
        if depth > RUN_DEPTH_MAX {
            return Err(RunError::TooDeep { max: RUN_DEPTH_MAX });
        }
        let root = held.kept.root.clone();
        let count = held.tx.sql(COUNT_OPEN).bind(held.tenant).bind(without_nul(root.as_str()));
        let (open,): (i64,) = count.fetch_one().await.map_err(doing(CREATING))?;
        if read_count(open) >= RUNS_OPEN_MAX {
            return Err(RunError::TooManyRuns { max: RUNS_OPEN_MAX });
        }
        let above = held.above().await?;
        for outer in std::iter::once(&held.kept).chain(&above) {
            run.budget = run.budget.within(outer.run.budget.less(outer.run.used_at(act.at_ms)));
        }
        Ok((root, depth, run, held.tx))
    }

    /// The session that the calls of a run are made in.
    pub async fn attach_run_session(
        &self,
        id: &RunId,
        session: &SessionId,
        act: ActionStamp<'_>,
    ) -> Result<Run, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "attach a session to a run").await?;
        if held.run().state.is_final() {
            return Err(ended(id, held.run().state).into());
        }
        held.kept.run.session = Some(session.clone());
        held.kept.run.row_version += 1;
        held.save_own().await?;
        held.commit().await
    }

    /// Starts a run that its agent works in by itself. Others start with their first call.
    pub async fn start_run(&self, id: &RunId, act: ActionStamp<'_>) -> Result<Run, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "start a run").await?;
        let state = held.run().state;
        if !state.is_final() && state != RunState::Pending {
            return Err(RunError::NotPending { run: id.clone(), state });
        }
        held.step(RunState::Running, "").await?;
        held.commit().await
    }

    /// Pauses a run. Calls in progress continue; no new ones start.
    pub async fn pause_run(&self, id: &RunId, reason: &str, act: ActionStamp<'_>) -> Result<Run, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "pause a run").await?;
        held.step(RunState::Paused, reason).await?;
        held.commit().await
    }

    /// Resumes a run, without the answer that it waited for.
    pub async fn resume_run(&self, id: &RunId, act: ActionStamp<'_>) -> Result<SteppedRun, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "resume a run").await?;
        let state = held.run().state;
        if !state.is_final() && state != RunState::Paused {
            return Err(RunError::NotPaused { run: id.clone(), state });
        }
        let kept = held.kept.clone();
        let cancelled = input::cancel_pending(&mut held, &kept).await?;
        held.step(RunState::Running, "").await?;
        let run = held.commit().await?;
        Ok(SteppedRun { run, cancelled: cancelled.into_iter().collect(), ended: Vec::new() })
    }
}
