//! The ports of a driven run: the tools that it is offered, the calls of a turn on the one path, and the start of runs.

use std::sync::Arc;

use super::{InputFile, Run, RunBudget, RunLabel, RunState, TaskPlan};
use crate::id::{AutomationId, RunId, TaskId};
use crate::model::OfferedTool;
use crate::port::BoxFuture;
use crate::run::RequiredAction;
use crate::scope::{AgentName, Scope};
use crate::{PrincipalId, RawJson, Refusal, ServerName};

/// The tools of a run's session at one moment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ToolOffer {
    /// Sorted by name.
    pub tools: Vec<OfferedTool>,
    /// Servers that the session has and that are away.
    pub away: Vec<ServerName>,
}

/// A call that an answer of the model plans.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedCall {
    /// `{turn}.{place}`: the same call has the same id, so that it is made once.
    pub id: String,
    pub name: String,
    /// An object.
    pub arguments: RawJson,
}

#[derive(Clone, PartialEq, Debug)]
pub struct PlayedCall {
    pub id: String,
    pub outcome: PlayedOutcome,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PlayedOutcome {
    /// It ended. The text is for the model; refusals and errors of tools are such ends too.
    Ended { text: String, is_error: bool },
    /// It waits for people, and goes on when it is played again under its id.
    Waits(RequiredAction),
    /// Its gateway died while it was in progress.
    Unknown,
    /// It did not begin, because the run is paused or has ended, or the store is down. It may be played again.
    NotNow,
}

/// The meaning of making a call twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallSafety {
    /// It only reads, or a second time changes nothing: it may be made again.
    Repeatable,
    /// A second time may have a second effect.
    Once,
}

/// The way of a turn's calls, in the session of the run.
pub trait TurnPlayer: Send + Sync {
    fn offer<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<ToolOffer, Refusal>>;
    /// Makes the calls and returns their results, in the order of the calls. Independent ones run at the same time, questions after
    /// them, `complete_workflow` last.
    fn play<'a>(
        &'a self,
        run: &'a Run,
        calls: Vec<PlannedCall>,
    ) -> BoxFuture<'a, Result<Vec<PlayedCall>, Refusal>>;
    /// The outcome of a call under its id, without making it. `NotNow` while it is under way in a living gateway; `None` if it never
    /// began.
    fn recorded<'a>(
        &'a self,
        run: &'a RunId,
        call: &'a str,
    ) -> BoxFuture<'a, Result<Option<PlayedOutcome>, Refusal>>;
    /// Judges a call by the effects that its tool declares now: one of `call_tool` by those of the tool that it names.
    fn safety<'a>(&'a self, run: &'a Run, call: &'a PlannedCall) -> BoxFuture<'a, CallSafety>;
    /// Ends the calls of a run that are in progress, down to the servers.
    fn cancel<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()>;
    /// Gives up the session of a run that has ended. To do it twice changes nothing.
    fn leave<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, ()>;
}

/// A run that is to be started for a task, with all that differs from it.
#[derive(Clone, PartialEq, Debug)]
pub struct RunStart {
    pub task: Option<TaskId>,
    pub plan: TaskPlan,
    pub agent: Option<AgentName>,
    /// Within that of the task and of the parent.
    pub budget: RunBudget,
    /// Files besides those of the plan.
    pub input: Vec<InputFile>,
    pub parent: Option<RunId>,
    /// The run has no more rights than this, besides the limits of its parent: the view of the session that asks for it.
    pub within: Option<Arc<Scope>>,
    /// The principal that asks for it, and whose rights it has.
    pub by: PrincipalId,
    pub automation: Option<AutomationId>,
    /// The instant or cause of the automation. It is told by the label of the run, so that it starts no second one.
    pub cause: Option<String>,
}

impl RunStart {
    /// The label that its run must have: by it, an automation finds the run of a cause again after a crash.
    pub fn label(&self) -> RunLabel {
        match (&self.automation, &self.cause) {
            (Some(automation), Some(cause)) => RunLabel::of_fire(automation, cause),
            _ => RunLabel::default(),
        }
    }
}

/// The start and the end of driven runs.
pub trait RunStarter: Send + Sync {
    /// Opens a session, creates the run and its loop, and lets it begin. The run has the label of its start.
    fn start(&self, start: RunStart) -> BoxFuture<'_, Result<RunId, Refusal>>;
    fn cancel<'a>(&'a self, run: &'a RunId, by: &'a PrincipalId) -> BoxFuture<'a, Result<(), Refusal>>;
    /// `None` if there is no such run.
    fn state<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunState>, Refusal>>;
}
