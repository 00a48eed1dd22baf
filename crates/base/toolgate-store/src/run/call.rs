//! The calls in a run: admission, use of the budget, and end.

use toolgate_core::event::Durability;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::{BudgetUsage, CallKind, RunCall, RunCallEnd, RunState, ended};
use toolgate_core::{CanonicalName, PrincipalId};

use super::error::RunError;
use super::held::{ActionStamp, HeldRun};
use super::stored_call::{RunCallState, StoredRunCall};
use super::{budget, input};
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::{stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

/// The maximum number of calls of a run that are shown, the latest ones.
pub const RUN_CALLS_MAX: usize = 1_000;

const FIND: &str = "SELECT state FROM run_calls WHERE tenant = $1 AND run = $2 AND call = $3";
const INSERT: &str =
    "INSERT INTO run_calls (tenant, run, call, tool, kind, state, bytes, stream, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, 'open', $6, $7, $8)";
const REOPEN: &str =
    "UPDATE run_calls SET state = 'open', bytes = bytes + $4, stream = $5, ended_at_ms = NULL
    WHERE tenant = $1 AND run = $2 AND call = $3";
const FINISH: &str = "UPDATE run_calls SET state = $4, bytes = bytes + $5, ended_at_ms = $6
    WHERE tenant = $1 AND run = $2 AND call = $3 AND state = 'open' RETURNING kind";
const OPEN: &str = "SELECT call, tool, kind, state, created_at_ms, ended_at_ms FROM run_calls
    WHERE tenant = $1 AND run = $2 AND state = 'open' ORDER BY created_at_ms, call";
const COMPLETED: &str = "SELECT call, tool, kind, state, created_at_ms, ended_at_ms FROM run_calls
    WHERE tenant = $1 AND run = $2 AND kind = 'data' AND state = 'completed' ORDER BY ended_at_ms, call LIMIT $3";
const LATEST: &str = "SELECT call, tool, kind, state, created_at_ms, ended_at_ms FROM run_calls
    WHERE tenant = $1 AND run = $2 ORDER BY created_at_ms DESC, call DESC LIMIT $3";
const FORGET: &str = "UPDATE run_calls SET state = 'unknown', ended_at_ms = $3
    WHERE tenant = $1 AND stream = $2 AND state = 'open'";

impl Books {
    /// Admits a call into a run, if the run is active and has budget left; a pending run starts with it. A
    /// call that was admitted before, and continues, counts once.
    pub async fn admit_run_call(&self, run: &RunId, call: &RunCall, at_ms: i64) -> Result<(), RunError> {
        const DOING: &str = "let a call into a run";
        let act = ActionStamp { by: &PrincipalId::gateway(), at_ms };
        // The ledger is responsible for keeping the start of a call through a power cut.
        let mut held = HeldRun::take(self, run, act, Durability::Written, DOING).await?;
        let may_attach = call.kind == CallKind::Ask && input::is_waited_for(held.run());
        match held.run().state {
            state if state.is_final() => return Err(ended(run, state).into()),
            // Only the request itself shows whether it is the question that the run waits for.
            RunState::Paused if !may_attach => return Err(input::paused(&mut held).await?),
            RunState::Pending => start(&mut held, call).await?,
            _ => {}
        }
        self.let_in(held, call).await
    }

    async fn let_in(&self, mut held: HeldRun<'_>, call: &RunCall) -> Result<(), RunError> {
        let mut above = held.above().await?;
        if is_known(&mut held, call).await? {
            budget::charge(&mut held, &mut above, call, 0).await?;
            self.reopen(&mut held, call).await?;
        } else {
            if let Some(exhausted) = budget::exhausted(&held, &above, call) {
                return budget::refuse(held, exhausted).await;
            }
            budget::charge(&mut held, &mut above, call, 1).await?;
            self.insert(&mut held, call).await?;
        }
        held.commit().await.map(drop)
    }

    async fn insert(&self, held: &mut HeldRun<'_>, call: &RunCall) -> Result<(), StoreError> {
        let (failed, at_ms) = (held.failed(), held.act().at_ms);
        let run = without_nul(held.run().id.as_str());
        let insert = held.tx.sql(INSERT).bind(held.tenant).bind(run).bind(without_nul(call.call.as_str()));
        let insert = insert.bind(without_nul(call.tool.as_str())).bind(call.kind.as_str());
        let insert = insert.bind(stored_count(call.bytes)).bind(self.writer().stream()).bind(at_ms);
        insert.execute().await.map(drop).map_err(failed)
    }

    async fn reopen(&self, held: &mut HeldRun<'_>, call: &RunCall) -> Result<(), StoreError> {
        let failed = held.failed();
        let run = without_nul(held.run().id.as_str());
        let reopen = held.tx.sql(REOPEN).bind(held.tenant).bind(run).bind(without_nul(call.call.as_str()));
        let reopen = reopen.bind(stored_count(call.bytes)).bind(self.writer().stream());
        reopen.execute().await.map(drop).map_err(failed)
    }

    /// A call that was let in has ended. Nothing if it was not, or has ended before.
    pub async fn finish_run_call(
        &self,
        run: &RunId,
        call: &CallId,
        end: RunCallEnd,
        at_ms: i64,
    ) -> Result<(), RunError> {
        let act = ActionStamp { by: &PrincipalId::gateway(), at_ms };
        let mut held = HeldRun::take(self, run, act, Durability::Written, "note the end of a call").await?;
        let state = if end.completed { RunCallState::Completed } else { RunCallState::Failed };
        let failed = held.failed();
        let finish = held.tx.sql(FINISH).bind(held.tenant).bind(without_nul(run.as_str()));
        let finish = finish.bind(without_nul(call.as_str())).bind(state.as_str());
        let finish = finish.bind(stored_count(end.bytes)).bind(at_ms);
        let kind: Option<(String,)> = finish.fetch_optional().await.map_err(failed)?;
        let Some((kind,)) = kind else { return Ok(()) };
        if kind == CallKind::Data.as_str() && end.bytes > 0 {
            let mut above = held.above().await?;
            let used = BudgetUsage { bytes: end.bytes, ..BudgetUsage::default() };
            budget::add(&mut held, &mut above, used).await?;
        }
        held.commit().await.map(drop)
    }
}

impl Store {
    /// The admitted calls of a run, oldest first: the latest of them, if there are too many.
    pub async fn run_calls(&self, run: &RunId) -> Result<Vec<StoredRunCall>, StoreError> {
        const DOING: &str = "read the calls of a run";
        let limit = i64::try_from(RUN_CALLS_MAX).expect("a page is limited");
        let read = self.db.sql(LATEST).bind(self.tenant).bind(without_nul(run.as_str())).bind(limit);
        let rows: Vec<CallRow> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().rev().map(|row| row.read(DOING)).collect()
    }

    /// Marks the calls that went through a dead gateway of this stream as unknown. Must be called before the
    /// gateway admits any of its own. Returns how many.
    pub async fn forget_run_calls(&self, stream: &str, now_ms: i64) -> Result<u64, StoreError> {
        let forget = self.db.sql(FORGET).bind(self.tenant).bind(stream).bind(now_ms);
        forget.execute().await.map_err(doing("close the calls that a crash left open in runs"))
    }
}

/// The calls of the run that have not ended, except `own` and others of its kind: two calls that end a run do
/// not wait for each other.
pub(super) async fn in_flight(
    held: &mut HeldRun<'_>,
    own: Option<&CallId>,
) -> Result<Vec<StoredRunCall>, StoreError> {
    let (failed, doing) = (held.failed(), held.doing);
    let run = without_nul(held.run().id.as_str());
    let open = held.tx.sql(OPEN).bind(held.tenant).bind(run);
    let rows: Vec<CallRow> = open.fetch_all().await.map_err(failed)?;
    let open = rows.into_iter().map(|row| row.read(doing));
    let open: Vec<StoredRunCall> = open.collect::<Result<_, _>>()?;
    let own = open.iter().find(|one| own == Some(&one.call)).map(|own| own.tool.clone());
    Ok(open.into_iter().filter(|one| own.as_ref() != Some(&one.tool)).collect())
}

/// The completed calls of data tools in the run: the first ones, if there are more.
pub(super) async fn completed(
    held: &mut HeldRun<'_>,
    limit: usize,
) -> Result<Vec<StoredRunCall>, StoreError> {
    let (failed, doing) = (held.failed(), held.doing);
    let run = without_nul(held.run().id.as_str());
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let completed = held.tx.sql(COMPLETED).bind(held.tenant).bind(run).bind(limit);
    let rows: Vec<CallRow> = completed.fetch_all().await.map_err(failed)?;
    rows.into_iter().map(|row| row.read(doing)).collect()
}

/// The first call starts a run.
async fn start(held: &mut HeldRun<'_>, call: &RunCall) -> Result<(), RunError> {
    held.act_as(held.run().principal.clone());
    let kept = held.kept.clone();
    held.kept = held.step_one(kept, RunState::Running, "", Some(&call.call)).await?;
    Ok(())
}

async fn is_known(held: &mut HeldRun<'_>, call: &RunCall) -> Result<bool, StoreError> {
    let failed = held.failed();
    let run = without_nul(held.run().id.as_str());
    let find = held.tx.sql(FIND).bind(held.tenant).bind(run).bind(without_nul(call.call.as_str()));
    let found: Option<(String,)> = find.fetch_optional().await.map_err(failed)?;
    Ok(found.is_some())
}

row! {
    struct CallRow {
        call: String,
        tool: String,
        kind: String,
        state: String,
        created_at_ms: i64,
        ended_at_ms: Option<i64>,
    }
}

impl CallRow {
    fn read(self, doing: &'static str) -> Result<StoredRunCall, StoreError> {
        let mut states = RunCallState::ALL.into_iter();
        let state = states.find(|state| state.as_str() == self.state);
        Ok(StoredRunCall {
            call: CallId::new(self.call),
            tool: CanonicalName::recorded(&self.tool),
            kind: CallKind::parse(&self.kind).ok_or(unreadable(doing, "kind of a call"))?,
            state: state.ok_or(unreadable(doing, "state of a call"))?,
            created_at_ms: self.created_at_ms,
            ended_at_ms: self.ended_at_ms,
        })
    }
}
