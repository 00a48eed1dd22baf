//! The ends of runs.

use serde_json::{Value, json};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::Run;
use toolgate_core::{Digest, PrincipalId, RawJson, Refusal};
use toolgate_store::{EndRequest, RunCompletion, RunEnding, RunError, SteppedRun};

use super::Runs;
use crate::checks;
use crate::output::EndCause;
use crate::refusal::refusal;
use crate::view::{AskedCompletion, AskedFailure, WorkCompletion};

/// The reason of a run that completes itself.
const COMPLETED: &str = "complete_workflow";
/// The reason of a run that its agent completes from outside.
const COMPLETED_BY_TOOL: &str = "run.complete";
/// The reason of a run whose work the gateway did itself.
const COMPLETED_BY_WORK: &str = "work";

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
            summary: Some(summary.to_owned()),
            artifacts: (!artifacts.is_empty()).then(|| artifacts.to_vec()),
            reason: COMPLETED.to_owned(),
            ..RunCompletion::default()
        };
        self.complete_with(run, &completion, by).await
    }

    /// Completes a run at the request of a tool. The same request again changes nothing.
    pub async fn complete_as_asked(
        &self,
        run: &RunId,
        asked: AskedCompletion,
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        let AskedCompletion { call, summary, result, artifacts, manifest } = asked;
        checks::summary(summary.as_deref().unwrap_or_default())?;
        checks::words(result.as_ref(), "result").map_err(|refusal| {
            refusal.hint("put it into a manifest, and give its digest as output_manifest_sha256")
        })?;
        if let Some(manifest) = manifest {
            let checked = self.desk.contents.check_manifest(manifest).await;
            checked.map_err(|refusal| refusal.field("output_manifest_sha256"))?;
        }
        let mut asked = json!({ "summary": summary, "result": result, "manifest": manifest });
        if let Some(artifacts) = &artifacts {
            asked["artifacts"] = json!(artifacts);
        }
        let request = request(json!({ "complete": asked }));
        let completion = RunCompletion {
            call,
            summary,
            result,
            artifacts,
            manifest,
            request: Some(request),
            reason: COMPLETED_BY_TOOL.to_owned(),
            ..RunCompletion::default()
        };
        self.complete_with(run, &completion, by).await
    }

    /// Completes the run of work that the gateway did itself. The same end again changes nothing.
    pub async fn complete_work(
        &self,
        run: &RunId,
        work: WorkCompletion,
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        let WorkCompletion { summary, result, manifest, is_partial } = work;
        checks::summary(&summary)?;
        checks::words(Some(&result), "result")?;
        let completion = RunCompletion {
            summary: Some(summary),
            request: Some(request(json!({ "work": result, "manifest": manifest }))),
            result: Some(result),
            manifest,
            reason: COMPLETED_BY_WORK.to_owned(),
            is_partial,
            ..RunCompletion::default()
        };
        self.complete_with(run, &completion, by).await
    }

    /// Completes a driven run whose budget is used up. It ends as partial, so its result need not fit the schema of its task.
    pub async fn complete_partly(
        &self,
        run: &RunId,
        summary: &str,
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        checks::summary(summary)?;
        let completion = RunCompletion {
            summary: Some(summary.to_owned()),
            reason: COMPLETED.to_owned(),
            ..RunCompletion::default()
        };
        self.finish(run, &completion, by).await
    }

    /// Checks a result against the schema of a task. The error says what does not fit, in words for a model.
    pub fn check_outcome(&self, schema: &RawJson, value: &Value) -> Result<(), String> {
        self.desk.check_outcome(schema, value)
    }

    async fn complete_with(
        &self,
        run: &RunId,
        completion: &RunCompletion,
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        self.desk.check_completion(run, completion).await?;
        self.finish(run, completion, by).await
    }

    async fn finish(
        &self,
        run: &RunId,
        completion: &RunCompletion,
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        let stepped = Box::pin(self.completed(run, completion, by)).await.map_err(refusal)?;
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
            let tried = Box::pin(self.try_to_complete(run, completion, by)).await;
            let waits = match tried {
                Err(waits @ (RunError::InFlight(_) | RunError::MoreStored)) => waits,
                ended => return ended,
            };
            tokio::select! {
                rung = bell.changed() => rung.expect("the sender is kept while there are receivers"),
                () = self.desk.clock.sleep(self.desk.limits.poll) => {}
                () = &mut limit => return Err(waits),
            }
        }
    }

    /// The manifest of the output is made when nothing is in progress, and is that of all artifacts: if one has been stored
    /// meanwhile, the store refuses the completion.
    async fn try_to_complete(
        &self,
        run: &RunId,
        completion: &RunCompletion,
        by: &PrincipalId,
    ) -> Result<SteppedRun, RunError> {
        let books = &self.desk.books;
        if let Some(before) = books.look_at_completion(run, completion, self.desk.act(by)).await? {
            return Ok(before);
        }
        let completion = match completion.manifest {
            Some(_) => completion.clone(),
            None => self.with_output(run, completion, by).await?,
        };
        books.complete_run(run, &completion, self.desk.act(by)).await
    }

    /// Ends a run that cannot be done.
    pub async fn fail(&self, run: &RunId, reason: &str, by: &PrincipalId) -> Result<Run, Refusal> {
        checks::reason(reason)?;
        self.end(run, RunEnding::Failed { reason: reason.to_owned() }, by).await
    }

    /// Ends a run with an error in its agent's own words. The same request again changes nothing.
    pub async fn fail_as_asked(
        &self,
        run: &RunId,
        failure: AskedFailure,
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        let AskedFailure { kind, message, details } = failure;
        checks::word(&kind, "error.type")?;
        let mut error = json!({ "type": kind, "message": message });
        if let Some(details) = details {
            error["details"] = details;
        }
        checks::words(Some(&error), "error")
            .map_err(|refusal| refusal.hint("shorten the message, or store the details as an artifact"))?;
        let asked = EndRequest { digest: request(json!({ "fail": error })), error: Some(error) };
        self.end_as_asked(run, &RunEnding::Failed { reason: kind }, &asked, by).await
    }

    /// Cancels a run at the request of a tool. The same request again changes nothing.
    pub async fn cancel_as_asked(&self, run: &RunId, reason: &str, by: &PrincipalId) -> Result<Run, Refusal> {
        checks::reason(reason)?;
        let asked = EndRequest { digest: request(json!({ "cancel": reason })), error: None };
        self.end_as_asked(run, &RunEnding::Cancelled { reason: reason.to_owned() }, &asked, by).await
    }

    async fn end_as_asked(
        &self,
        run: &RunId,
        ending: &RunEnding,
        asked: &EndRequest,
        by: &PrincipalId,
    ) -> Result<Run, Refusal> {
        self.end_by(run, EndCause::Request(ending, asked), by).await
    }

    /// Cancels a run, all its child runs, their open questions and what is under way in them.
    pub async fn cancel(&self, run: &RunId, by: &PrincipalId, reason: &str) -> Result<Run, Refusal> {
        checks::reason(reason)?;
        let cancelled = self.end(run, RunEnding::Cancelled { reason: reason.to_owned() }, by).await?;
        self.halt(run).await;
        Ok(cancelled)
    }

    /// Ends what is under way in a run that has ended.
    pub(crate) async fn halt(&self, run: &RunId) {
        self.desk.halt(std::slice::from_ref(run)).await;
    }

    async fn end(&self, run: &RunId, ending: RunEnding, by: &PrincipalId) -> Result<Run, Refusal> {
        self.end_by(run, EndCause::Order(&ending), by).await
    }

    async fn end_by(&self, run: &RunId, cause: EndCause<'_>, by: &PrincipalId) -> Result<Run, Refusal> {
        let ended = Box::pin(self.desk.end(run, cause, by)).await.map_err(refusal)?;
        if let Some(stepped) = ended {
            self.desk.tell(&stepped);
            self.desk.halt(&stepped.ended).await;
        }
        self.get(run).await
    }
}

/// The identity of a request, however its members are ordered.
fn request(mut arguments: Value) -> Digest {
    arguments.sort_all_objects();
    Digest::of(arguments.to_string())
}
