//! The ends of work: the run first, then the row. A gateway that dies in between leaves a row whose run says how it ended.

use toolgate_core::codes::Retry;
use toolgate_core::run::{Run, RunState};
use toolgate_core::{Refusal, stop_point};
use toolgate_runs::AskedFailure;
use toolgate_store::{WorkRow, WorkState};

use crate::desk::WorkDesk;
use crate::outcome::WorkOutcome;
use crate::refusal::{cancelled, down};
use crate::worker::WorkEnd;

/// The attempts at work whose failure may pass.
const RETRIES_MAX: u64 = 3;
/// A run keeps so many characters of a failure.
const MESSAGE_CHARS_MAX: usize = 2_000;

impl WorkDesk {
    /// Ends work as its worker says.
    pub(crate) async fn finish(
        &self,
        row: &WorkRow,
        worked: Result<WorkEnd, Refusal>,
    ) -> Result<(), Refusal> {
        let end = match worked {
            Ok(end) => end,
            Err(refusal) if refusal.code.retry == Retry::Yes && row.attempts < RETRIES_MAX => {
                tracing::debug!(work = %row.id, %refusal, "long work is tried again");
                let due_ms = self.after(self.settings.pause);
                let put = self.store.retry_work(&row.id, &self.stream, due_ms).await;
                return put.map(drop).map_err(|error| down(&error));
            }
            Err(refusal) => return self.fail(row, &refusal).await,
        };
        let outcome = WorkOutcome::done(&end);
        let completion = outcome.completion(&row.kind, &end);
        let by = &row.actor.principal;
        match Box::pin(self.runs.complete_work(&row.run, completion, by)).await {
            Ok(_) => {
                stop_point::reach("run of work completed");
                self.end(row, WorkState::Done, &outcome).await
            }
            Err(refusal) => self.not_completed(row, &refusal).await,
        }
    }

    /// The run was paused or ended at the last moment, or it cannot be completed.
    async fn not_completed(&self, row: &WorkRow, refusal: &Refusal) -> Result<(), Refusal> {
        let run = self.runs.get(&row.run).await?;
        match run.state {
            RunState::Paused => self.put_off(row).await,
            state if state.is_final() => self.end_with_run(row, &run).await,
            _ => self.fail(row, refusal).await,
        }
    }

    /// Fails the run and the work.
    pub(crate) async fn fail(&self, row: &WorkRow, refusal: &Refusal) -> Result<(), Refusal> {
        let failure = AskedFailure {
            kind: refusal.code.name.to_owned(),
            message: refusal.message.chars().take(MESSAGE_CHARS_MAX).collect(),
            details: None,
        };
        let failed = Box::pin(self.runs.fail_as_asked(&row.run, failure, &row.actor.principal)).await;
        if let Err(other) = failed {
            let run = self.runs.get(&row.run).await?;
            return match run.state.is_final() {
                true => self.end_with_run(row, &run).await,
                false => Err(other),
            };
        }
        self.end_failed(row, refusal).await
    }

    /// Ends the work of a run that has ended by itself: somebody cancelled it, or its gateway died before the row was written.
    pub(crate) async fn end_with_run(&self, row: &WorkRow, run: &Run) -> Result<(), Refusal> {
        match run.state {
            RunState::Completed | RunState::Partial => {
                let outcome = WorkOutcome::read(run.report.result.as_ref());
                self.end(row, WorkState::Done, &outcome).await
            }
            _ => self.end_failed(row, &cancelled()).await,
        }
    }

    pub(crate) async fn end_failed(&self, row: &WorkRow, refusal: &Refusal) -> Result<(), Refusal> {
        self.end(row, WorkState::Failed, &WorkOutcome::failed(refusal)).await
    }

    async fn end(&self, row: &WorkRow, state: WorkState, outcome: &WorkOutcome) -> Result<(), Refusal> {
        let ended = self.store.end_work(&row.id, &self.stream, state, &outcome.value()).await;
        ended.map(drop).map_err(|error| down(&error))
    }

    /// Gives work back, for a moment at which its run may go on.
    pub(crate) async fn put_off(&self, row: &WorkRow) -> Result<(), Refusal> {
        let due_ms = self.after(self.settings.pause);
        let put = self.store.release_work(&row.id, &self.stream, due_ms).await;
        put.map(drop).map_err(|error| down(&error))
    }

    /// Gives work back at once.
    pub(crate) async fn release(&self, row: &WorkRow) -> Result<(), Refusal> {
        let put = self.store.release_work(&row.id, &self.stream, 0).await;
        put.map(drop).map_err(|error| down(&error))
    }
}
