//! The ends of a run. Its child runs end with it, and their questions are cancelled; all in one transaction.

use serde_json::Value;
use toolgate_core::Digest;
use toolgate_core::event::Durability;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::{RunState, ended};

use super::error::RunError;
use super::held::{ActionStamp, HeldRun};
use super::row::{READ_OPEN_CHILDREN, RunRow, StoredRun};
use super::step::SteppedRun;
use super::{call, input};
use crate::StoreError;
use crate::books::Books;
use crate::db::without_nul;
use crate::registry::read_count;

const COUNT_MADE: &str = "SELECT COUNT(*) FROM artifacts WHERE tenant = $1 AND run = $2";
const HAS_MADE: &str = "SELECT name FROM artifacts WHERE tenant = $1 AND run = $2 LIMIT 1";

/// The reason of child runs that end with their parent.
const BY_PARENT: &str = "parent";

/// The end of a run other than its own completion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnding {
    Failed { reason: String },
    Cancelled { reason: String },
}

impl RunEnding {
    fn step(&self) -> (RunState, &str) {
        match self {
            RunEnding::Failed { reason } => (RunState::Failed, reason),
            RunEnding::Cancelled { reason } => (RunState::Cancelled, reason),
        }
    }
}

/// The request of a tool to end a run. Sent again, it is no second end.
#[derive(Clone, PartialEq, Debug)]
pub struct EndRequest {
    /// Of its arguments.
    pub digest: Digest,
    /// The failure in the agent's own words.
    pub error: Option<Value>,
}

/// A run's own completion.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunCompletion {
    /// The call that completes it; all others must have ended.
    pub call: Option<CallId>,
    pub summary: Option<String>,
    pub result: Option<Value>,
    /// The manifest of its output.
    pub manifest: Option<Digest>,
    /// The number of its artifacts when the manifest was made. Nothing is completed if there are more by now.
    pub stored: Option<u64>,
    /// The digest of the request, if a tool sent one.
    pub request: Option<Digest>,
    /// The artifacts that it names as its output. `None` means all that it stored.
    pub artifacts: Option<Vec<Digest>>,
    /// The reason of its end, if no budget was exhausted.
    pub reason: String,
    /// True if it left something out, which its result names.
    pub is_partial: bool,
}

/// The manifest of all that a run has stored, made just before it ends without being completed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOutput {
    pub run: RunId,
    pub manifest: Digest,
    /// The number of its artifacts when the manifest was made. Nothing ends if there are more by now.
    pub stored: u64,
}

impl Books {
    /// Ends a run, if nothing in it is still in progress.
    pub async fn complete_run(
        &self,
        id: &RunId,
        completion: &RunCompletion,
        act: ActionStamp<'_>,
    ) -> Result<SteppedRun, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "complete a run").await?;
        if let Some(before) = check_completion(&mut held, completion).await? {
            return Ok(before);
        }
        held.kept.run.summary = completion.summary.clone();
        held.kept.run.report.result = completion.result.clone();
        held.kept.run.manifests.output = completion.manifest;
        held.kept.output = completion.artifacts.clone();
        held.kept.end_request = completion.request;
        let (state, reason) = match &held.kept.ran_out_of {
            Some(limit) => (RunState::Partial, format!("budget.{limit}")),
            None if completion.is_partial => (RunState::Partial, completion.reason.clone()),
            None => (RunState::Completed, completion.reason.clone()),
        };
        Box::pin(end(held, state, &reason, completion.call.as_ref(), None)).await
    }

    /// Looks whether a run can be completed now. The run, if the same request has completed it before.
    pub async fn look_at_completion(
        &self,
        id: &RunId,
        completion: &RunCompletion,
        act: ActionStamp<'_>,
    ) -> Result<Option<SteppedRun>, RunError> {
        let mut held =
            HeldRun::take(self, id, act, Durability::Written, "look whether a run can be completed").await?;
        check_completion(&mut held, completion).await
    }

    /// Ends a run at the request of a tool, regardless of calls in progress. `left` has every run that ends and has stored something;
    /// with `None`, they end without manifests.
    pub async fn end_run_as_asked(
        &self,
        id: &RunId,
        ending: &RunEnding,
        request: &EndRequest,
        left: Option<&[LeftOutput]>,
        act: ActionStamp<'_>,
    ) -> Result<SteppedRun, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "end a run").await?;
        if let Some(before) = ended_before(&held, Some(request.digest))? {
            return Ok(before);
        }
        held.kept.run.report.error = request.error.clone();
        held.kept.end_request = Some(request.digest);
        let (state, reason) = ending.step();
        Box::pin(end(held, state, reason, None, left)).await
    }

    /// The same by order of someone.
    pub async fn end_run(
        &self,
        id: &RunId,
        ending: &RunEnding,
        left: Option<&[LeftOutput]>,
        act: ActionStamp<'_>,
    ) -> Result<SteppedRun, RunError> {
        let held = HeldRun::take(self, id, act, Durability::OnDisk, "end a run").await?;
        let (state, reason) = ending.step();
        Box::pin(end(held, state, reason, None, left)).await
    }

    /// Ends a run whose time is over: as partial if it has made something. `None` if that is no longer true.
    pub async fn end_late_run(
        &self,
        id: &RunId,
        left: Option<&[LeftOutput]>,
        act: ActionStamp<'_>,
    ) -> Result<Option<SteppedRun>, RunError> {
        let mut held =
            HeldRun::take(self, id, act, Durability::OnDisk, "end a run whose time is over").await?;
        if !is_out_of_time(&held) {
            return Ok(None);
        }
        let state = if has_made(&mut held).await? { RunState::Partial } else { RunState::Failed };
        Box::pin(end(held, state, "budget.seconds", None, left)).await.map(Some)
    }
}

/// The run as it is, if the same request has ended it before. Another end is a refusal.
fn ended_before(held: &HeldRun<'_>, request: Option<Digest>) -> Result<Option<SteppedRun>, RunError> {
    let (run, before) = (held.run(), held.kept.end_request);
    match run.state.is_final() {
        false => Ok(None),
        true if request.is_some() && before == request => {
            Ok(Some(SteppedRun { run: run.clone(), cancelled: Vec::new(), ended: Vec::new() }))
        }
        true if request.is_some() && before.is_some() => {
            Err(RunError::EndedOtherwise { run: run.id.clone(), state: run.state })
        }
        true => Err(ended(&run.id, run.state).into()),
    }
}

/// Nothing may be in progress in a run that is completed.
async fn check_completion(
    held: &mut HeldRun<'_>,
    completion: &RunCompletion,
) -> Result<Option<SteppedRun>, RunError> {
    if let Some(before) = ended_before(held, completion.request)? {
        return Ok(Some(before));
    }
    if held.run().state == RunState::Paused {
        return Err(input::paused(held).await?);
    }
    let in_flight = call::in_flight(held, completion.call.as_ref()).await?;
    if !in_flight.is_empty() {
        return Err(RunError::InFlight(in_flight));
    }
    let id = held.run().id.clone();
    let children = open_children(held, &id).await?;
    if !children.is_empty() {
        return Err(RunError::OpenChildren(children.into_iter().map(|child| child.run.id).collect()));
    }
    let Some(stored) = completion.stored else { return Ok(None) };
    match count_made(held, &id).await? == stored {
        true => Ok(None),
        false => Err(RunError::MoreStored),
    }
}

async fn count_made(held: &mut HeldRun<'_>, id: &RunId) -> Result<u64, StoreError> {
    let failed = held.failed();
    let run = without_nul(id.as_str());
    let count = held.tx.sql(COUNT_MADE).bind(held.tenant).bind(run);
    let (count,): (i64,) = count.fetch_one().await.map_err(failed)?;
    Ok(read_count(count))
}

fn is_out_of_time(held: &HeldRun<'_>) -> bool {
    let run = held.run();
    run.state == RunState::Running && run.exhausted(held.act().at_ms) == Some("seconds")
}

async fn has_made(held: &mut HeldRun<'_>) -> Result<bool, StoreError> {
    let failed = held.failed();
    let run = without_nul(held.run().id.as_str());
    let made = held.tx.sql(HAS_MADE).bind(held.tenant).bind(run);
    let made: Option<(String,)> = made.fetch_optional().await.map_err(failed)?;
    Ok(made.is_some())
}

/// Ends the run that is held and all within it.
async fn end(
    mut held: HeldRun<'_>,
    state: RunState,
    reason: &str,
    call: Option<&CallId>,
    left: Option<&[LeftOutput]>,
) -> Result<SteppedRun, RunError> {
    let mut kept = held.kept.clone();
    leave(&mut held, &mut kept, left).await?;
    let mut cancelled: Vec<_> = input::cancel_pending(&mut held, &kept).await?.into_iter().collect();
    held.kept = held.step_one(kept, state, reason, call).await?;
    let (mut ended, mut outer) = (Vec::new(), vec![held.run().id.clone()]);
    while let Some(id) = outer.pop() {
        for mut child in open_children(&mut held, &id).await? {
            leave(&mut held, &mut child, left).await?;
            cancelled.extend(input::cancel_pending(&mut held, &child).await?);
            let child = held.step_one(child, RunState::Cancelled, BY_PARENT, None).await?;
            outer.push(child.run.id.clone());
            ended.push(child.run.id);
        }
    }
    let run = held.commit().await?;
    Ok(SteppedRun { run, cancelled, ended })
}

/// Gives a run that ends the manifest of what it has stored.
async fn leave(
    held: &mut HeldRun<'_>,
    kept: &mut StoredRun,
    left: Option<&[LeftOutput]>,
) -> Result<(), RunError> {
    // What has ended before is refused by the step.
    let Some(left) = left.filter(|_| !kept.run.state.is_final()) else { return Ok(()) };
    let own = left.iter().find(|one| one.run == kept.run.id);
    if count_made(held, &kept.run.id).await? != own.map_or(0, |own| own.stored) {
        return Err(RunError::MoreStored);
    }
    kept.run.manifests.output = own.map(|own| own.manifest);
    Ok(())
}

async fn open_children(held: &mut HeldRun<'_>, id: &RunId) -> Result<Vec<StoredRun>, StoreError> {
    let (failed, doing) = (held.failed(), held.doing);
    let children = held.tx.sql(READ_OPEN_CHILDREN).bind(held.tenant).bind(without_nul(id.as_str()));
    let rows: Vec<RunRow> = children.fetch_all().await.map_err(failed)?;
    rows.into_iter().map(|row| row.read(doing)).collect()
}
