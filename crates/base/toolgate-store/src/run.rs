//! Tasks, runs, their calls and their questions, as rows. The `Store` reads them; changes that the ledger
//! records are methods of the `Books`, which write both in one transaction.
//!
//! Runs form trees, and an event in one may concern those above it (budgets) and below it (their end). Every
//! change in a tree first locks the row of its root (`held.rs`), so concurrent changes have one order.

mod batch;
mod budget;
mod call;
mod checkpoint;
mod end;
mod error;
mod events;
mod held;
mod input;
mod key;
mod log;
mod loops;
mod note;
mod output;
mod report;
mod resume;
mod row;
mod step;
mod stored_call;
mod task;
mod task_version;

use toolgate_core::PrincipalId;
use toolgate_core::id::{RunId, SessionId, TaskId};
use toolgate_core::run::{Run, RunState};

pub use batch::BatchCall;
pub use call::RUN_CALLS_MAX;
pub use checkpoint::CHECKPOINTS_KEPT_MAX;
pub use end::{EndRequest, LeftOutput, RunCompletion, RunEnding};
pub use error::{BudgetExhausted, RunError};
pub use held::ActionStamp;
pub use input::{InputAnswer, InputFilter};
pub use log::{NumberedEvent, RUN_EVENTS_PAGE_MAX};
pub use note::RUN_EVENTS_MAX;
pub use report::{NewCheckpoint, NotePhase, NoteSubject, RunCheckpoint, RunNote, SavedCheckpoint};
pub use step::{RUN_DEPTH_MAX, RUNS_OPEN_MAX, SteppedRun};
pub use stored_call::{RunCallState, StoredRunCall};
pub use task::TaskVersion;
pub use task_version::{StoredTaskVersion, TASK_VERSIONS_MAX, TaskWords};

pub(crate) use budget::add as charge;
pub(crate) use events::of_loop as loop_event;
pub(crate) use held::HeldRun;
pub(crate) use resume::resume_waiting;
pub(crate) use row::json;

use crate::cursor::PageCursor;
use crate::db::without_nul;
use crate::error::doing;
use crate::page::{PageQuery, RUN_PAGE_MAX};
use crate::registry::read_count;
use crate::{Store, StoreError};
use row::{READ, RunRow, SELECT};

/// The time that a driven run has for its closing turn after its time is over.
const CLOSING_MS_MAX: i64 = 120_000;

const COUNT_CHILDREN: &str = "SELECT COUNT(*) FROM runs WHERE tenant = $1 AND parent = $2";

/// A filter for runs. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunFilter {
    pub state: Option<RunState>,
    pub task: Option<TaskId>,
    pub principal: Option<PrincipalId>,
    pub parent: Option<RunId>,
    /// The session in which a tool created it.
    pub made_in: Option<SessionId>,
    pub run_type: Option<String>,
}

impl Store {
    pub async fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        const DOING: &str = "read a run";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<RunRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        let runs = self.with_output(row.into_iter().collect(), DOING).await?;
        Ok(runs.into_iter().next())
    }

    /// One page, newest first, and the cursor of the next one. A cursor stays valid while rows come and go.
    pub async fn runs(
        &self,
        filter: &RunFilter,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<Run>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the runs";
        let page = PageQuery::new(cursor, limit, RUN_PAGE_MAX)
            .text(" AND state = ?", filter.state.map(RunState::as_str))
            .text(" AND task = ?", filter.task.as_ref().map(TaskId::as_str))
            .text(" AND principal = ?", filter.principal.as_ref().map(PrincipalId::as_str))
            .text(" AND parent = ?", filter.parent.as_ref().map(RunId::as_str))
            .text(" AND made_in = ?", filter.made_in.as_ref().map(SessionId::as_str))
            .text(" AND run_type = ?", filter.run_type.as_deref());
        let (rows, more) = page.fetch::<RunRow>(self, SELECT).await.map_err(doing(DOING))?;
        let runs = self.with_output(rows, DOING).await?;
        let next = runs.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((runs, next))
    }

    /// The number of runs that were created within one.
    pub async fn count_child_runs(&self, id: &RunId) -> Result<u64, StoreError> {
        let count = self.db.sql(COUNT_CHILDREN).bind(self.tenant).bind(without_nul(id.as_str()));
        let (count,): (i64,) = count.fetch_one().await.map_err(doing("count the runs within one"))?;
        Ok(read_count(count))
    }

    /// The oldest of those that have been running for as long as they may. A run that the gateway drives closes itself by one
    /// more turn; it is among them if that takes too long.
    pub async fn due_runs(&self, now_ms: i64, limit: usize) -> Result<Vec<RunId>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let due = self.db.sql(row::DUE).bind(self.tenant).bind(now_ms).bind(limit).bind(CLOSING_MS_MAX);
        let ids: Vec<(String,)> = due.fetch_all().await.map_err(doing("find runs whose time is over"))?;
        Ok(ids.into_iter().map(|(id,)| RunId::new(id)).collect())
    }

    /// The oldest of the driven runs that were created until then and have no loop: nobody works on them.
    pub async fn unled_runs(&self, until_ms: i64, limit: usize) -> Result<Vec<RunId>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let unled = self.db.sql(row::UNLED).bind(self.tenant).bind(until_ms).bind(limit);
        let ids: Vec<(String,)> = unled.fetch_all().await.map_err(doing("find runs that nobody drives"))?;
        Ok(ids.into_iter().map(|(id,)| RunId::new(id)).collect())
    }
}
