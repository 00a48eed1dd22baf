//! Looking at work, and waiting for its end.

use std::time::Duration;

use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::id::{RunId, WorkId};
use toolgate_store::{WorkRow, WorkState};

use crate::desk::WorkDesk;
use crate::outcome::{WorkFault, WorkOutcome};
use crate::refusal::{down, unknown_work};

/// The interval between looks while somebody waits.
const LOOK: Duration = Duration::from_millis(50);

/// Work as others see it.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkView {
    pub id: WorkId,
    pub run: RunId,
    pub state: WorkState,
    pub done: u64,
    /// 0 as long as it is not known.
    pub total: u64,
    /// That of its worker, once it is done.
    pub result: Option<Value>,
    /// The first of what was left out.
    pub problems: Vec<String>,
    /// The count of all of it.
    pub problem_count: u64,
    /// The reason why it failed.
    pub error: Option<WorkFault>,
}

impl WorkView {
    fn of(row: WorkRow) -> Self {
        let outcome = WorkOutcome::read(row.result.as_ref());
        Self {
            id: row.id,
            run: row.run,
            state: row.state,
            done: row.done,
            total: row.total,
            result: Some(outcome.result).filter(|_| row.state == WorkState::Done),
            problems: outcome.problems,
            problem_count: outcome.problem_count,
            error: outcome.error,
        }
    }

    /// The state of its run, in one word: `queued`, `running`, `done`, `partial` or `failed`.
    pub fn word(&self) -> &'static str {
        match self.state {
            WorkState::Done if self.problem_count > 0 => "partial",
            state => state.as_str(),
        }
    }

    /// The same, unless it failed: then the refusal that ended it.
    pub fn unless_failed(self) -> Result<Self, Refusal> {
        match &self.error {
            Some(error) => Err(error.refusal()),
            None => Ok(self),
        }
    }
}

impl WorkDesk {
    /// Waits for the end of work, but no longer than this. An open one is told as it is then.
    pub async fn wait(&self, id: &WorkId, limit: Duration) -> Result<WorkView, Refusal> {
        let mut limit = self.clock.sleep(limit);
        loop {
            let row = self.store.work(id).await.map_err(|error| down(&error))?;
            let row = row.ok_or_else(|| unknown_work(id))?;
            if !row.state.is_open() {
                return Ok(WorkView::of(row));
            }
            tokio::select! {
                () = self.clock.sleep(LOOK) => {}
                () = &mut limit => return Ok(WorkView::of(row)),
            }
        }
    }
}
