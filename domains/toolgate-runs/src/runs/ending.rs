//! The ends of runs.

use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::Run;
use toolgate_core::{Digest, PrincipalId, Refusal};
use toolgate_store::{RunCompletion, RunEnding, RunError, SteppedRun};

use super::Runs;
use crate::checks;
use crate::refusal::refusal;

/// The reason of a run that completes itself.
const COMPLETED: &str = "complete_workflow";

impl Runs {
    /// Completes a run with the named artifacts; `None` means all that it stored. Waits, for a limited time,
    /// for calls in flight other than `own_call`. The run is partial if calls were refused because of an
    /// exhausted budget.
    pub async fn complete(
        &self,
        run: &RunId,
        own_call: Option<&CallId>,
        summary: &str,
        artifacts: &[Digest],
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        checks::summary(summary)?;
        let completion = RunCompletion {
            call: own_call.cloned(),
            summary: summary.to_owned(),
            artifacts: (!artifacts.is_empty()).then(|| artifacts.to_vec()),
            reason: COMPLETED.to_owned(),
        };
        let stepped = Box::pin(self.completed(run, &completion, by)).await.map_err(refusal)?;
        self.desk.tell(&stepped);
        self.get(run).await
    }

    async fn completed(
        &self,
        run: &RunId,
        completion: &RunCompletion,
        by: &PrincipalId,
    ) -> Result<SteppedRun, RunError> {
        let mut limit = self.desk.clock.sleep(self.desk.limits.completing);
        loop {
            // Before the check: an end from now on is heard.
            let mut bell = self.desk.bells.hear(run);
            let tried = self.desk.books.complete_run(run, completion, self.desk.act(by)).await;
            let Err(RunError::InFlight(calls)) = tried else { return tried };
            tokio::select! {
                rung = bell.changed() => rung.expect("the sender is kept while there are receivers"),
                () = self.desk.clock.sleep(self.desk.limits.poll) => {}
                () = &mut limit => return Err(RunError::InFlight(calls)),
            }
        }
    }

    /// Ends a run that cannot be done.
    pub async fn fail(&self, run: &RunId, reason: &str, by: &PrincipalId) -> Result<Run, Refusal> {
        checks::reason(reason)?;
        self.end(run, RunEnding::Failed { reason: reason.to_owned() }, by).await
    }

    /// Cancels a run, all its child runs, and their open questions.
    pub async fn cancel(&self, run: &RunId, by: &PrincipalId, reason: &str) -> Result<Run, Refusal> {
        checks::reason(reason)?;
        self.end(run, RunEnding::Cancelled { reason: reason.to_owned() }, by).await
    }

    async fn end(&self, run: &RunId, ending: RunEnding, by: &PrincipalId) -> Result<Run, Refusal> {
        let stepped = self.desk.books.end_run(run, &ending, self.desk.act(by)).await.map_err(refusal)?;
        self.desk.tell(&stepped);
        self.get(run).await
    }
}
