//! Runs: one execution of a task each. The state machine is pure; the store runs each step inside one
//! transaction together with its event, so concurrent events still lead to exactly one outcome.

mod action;
mod agent_loop;
mod input;
mod picture;
mod player;
mod question;
mod record;
mod target;

use crate::codes;
use crate::file::FileName;
use crate::id::{CallId, FileId, RunId, SessionId, TaskId};
use crate::model::ModelName;
use crate::port::BoxFuture;
use crate::scope::AgentName;
use crate::{CanonicalName, Digest, PrincipalId, RawJson, Refusal};

pub use action::{ActionKind, RequiredAction};
pub use agent_loop::{AgentLoop, LoopState, LoopTurn, NewLoop, StoredMessage, TurnPhase};
pub use input::{BadAnswer, BadSlot, InputRequest, InputSlot, InputState, SlotOption, SlotType};
pub use picture::SlotPicture;
pub use player::{
    CallSafety, PlannedCall, PlayedCall, PlayedOutcome, RunStart, RunStarter, ToolOffer, TurnPlayer,
};
pub use question::QuestionPurpose;
pub use record::{RunLabel, RunManifests, RunReport};
pub use target::CallTarget;

/// `pending → running ↔ paused → completed | partial | failed | cancelled`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It has not called anything yet.
    Pending,
    Running,
    /// It waits for a person, or an operator paused it.
    Paused,
    Completed,
    /// It made something and left something out, or its budget ended it after it had made something.
    Partial,
    Failed,
    Cancelled,
}

impl RunState {
    pub const ALL: [RunState; 7] = [
        RunState::Pending,
        RunState::Running,
        RunState::Paused,
        RunState::Completed,
        RunState::Partial,
        RunState::Failed,
        RunState::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            RunState::Pending => "pending",
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Completed => "completed",
            RunState::Partial => "partial",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<RunState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    pub fn is_final(self) -> bool {
        matches!(self, RunState::Completed | RunState::Partial | RunState::Failed | RunState::Cancelled)
    }

    /// True if the state machine has this step.
    pub fn may_become(self, next: RunState) -> bool {
        match (self, next) {
            (RunState::Pending, next) => next == RunState::Running || next.is_final(),
            (RunState::Running, next) => next == RunState::Paused || next.is_final(),
            (RunState::Paused, next) => next == RunState::Running || next.is_final(),
            _ => false,
        }
    }
}

/// The limits of a run. A missing limit means unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunBudget {
    /// Calls of data tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Seconds in which it is not paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Bytes of arguments and results of data tools, files included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Answers of a model, in runs that the gateway drives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Tokens that a model read and wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The price of those, in millionths of a currency unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl RunBudget {
    /// The remaining budget where both limits apply.
    #[must_use]
    pub fn within(self, outer: RunBudget) -> RunBudget {
        let least = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        RunBudget {
            calls: least(self.calls, outer.calls),
            seconds: least(self.seconds, outer.seconds),
            bytes: least(self.bytes, outer.bytes),
            turns: least(self.turns, outer.turns),
            tokens: least(self.tokens, outer.tokens),
            cost_micros: least(self.cost_micros, outer.cost_micros),
        }
    }

    /// The remaining budget after some use.
    #[must_use]
    pub fn less(self, used: BudgetUsage) -> RunBudget {
        let left = |max: Option<u64>, used: u64| max.map(|max| max.saturating_sub(used));
        RunBudget {
            calls: left(self.calls, used.calls),
            seconds: left(self.seconds, used.active_ms / 1_000),
            bytes: left(self.bytes, used.bytes),
            turns: left(self.turns, used.turns),
            tokens: left(self.tokens, used.tokens),
            cost_micros: left(self.cost_micros, used.cost_micros),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct BudgetUsage {
    pub calls: u64,
    pub bytes: u64,
    /// Milliseconds in which it was running, up to its last step.
    pub active_ms: u64,
    pub turns: u64,
    pub tokens: u64,
    pub cost_micros: u64,
}

/// A definition of work.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Task {
    pub id: TaskId,
    pub name: String,
    pub description: String,
    /// The agent whose tools its runs have, unless the run names another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    pub budget: RunBudget,
    /// The work itself, where the gateway runs the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<TaskPlan>,
    pub created_by: PrincipalId,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    /// 1 when it was made.
    pub row_version: u64,
}

/// The work of a task whose agent the gateway runs.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskPlan {
    /// The first message to the model.
    pub goal: String,
    pub model: ModelName,
    /// Instructions in front of all messages, besides those of the gateway.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<InputFile>,
    /// The JSON Schema that the result of a run must fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_schema: Option<RawJson>,
    /// The cost of a day in UTC over all its runs, in millionths of a currency unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend_per_day_micros: Option<u64>,
}

/// One execution of a task.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub id: RunId,
    pub task: Option<TaskId>,
    pub parent: Option<RunId>,
    pub agent: AgentName,
    /// The principal that works in it.
    pub principal: PrincipalId,
    pub created_by: PrincipalId,
    /// The session that its calls are made in.
    pub session: Option<SessionId>,
    pub state: RunState,
    /// The reason why it is paused or ended: `input`, `operator`, `complete_workflow`, `budget.calls`, …
    pub reason: Option<String>,
    /// The run's own summary at its end.
    pub summary: Option<String>,
    pub input: Vec<InputFile>,
    pub output: Vec<OutputFile>,
    pub label: RunLabel,
    pub manifests: RunManifests,
    pub report: RunReport,
    /// The number of its own events, which is the number of the last one.
    pub events: u64,
    pub budget: RunBudget,
    pub used: BudgetUsage,
    pub created_at_ms: i64,
    pub started_at_ms: Option<i64>,
    /// Since when it is in its state.
    pub state_since_ms: i64,
    pub ended_at_ms: Option<i64>,
    /// 1 when it was created.
    pub row_version: u64,
}

/// A file that a run was given, and its name.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct InputFile {
    pub path: String,
    pub file: FileId,
    pub digest: Digest,
}

/// An artifact that a run made, and its name.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct OutputFile {
    pub name: FileName,
    pub artifact: Digest,
    pub bytes: u64,
    pub media_type: String,
}

impl Run {
    /// The amount that it has used until now.
    pub fn used_at(&self, now_ms: i64) -> BudgetUsage {
        let since = if self.state == RunState::Running { now_ms - self.state_since_ms } else { 0 };
        let since = u64::try_from(since).unwrap_or(0);
        BudgetUsage { active_ms: self.used.active_ms.saturating_add(since), ..self.used }
    }

    /// The same run one step later, or the refusal of that step.
    pub fn become_state(&self, next: RunState, reason: &str, now_ms: i64) -> Result<Run, Refusal> {
        if self.state.is_final() {
            return Err(ended(&self.id, self.state));
        }
        if !self.state.may_become(next) {
            let message =
                format!("run {} is {} and cannot become {}", self.id, self.state.as_str(), next.as_str());
            return Err(
                Refusal::new(&codes::RUN_STATE, message).hint("`toolgate runs show` says what it waits for")
            );
        }
        let started = (next == RunState::Running).then_some(now_ms);
        Ok(Run {
            used: self.used_at(now_ms),
            state: next,
            reason: (next != RunState::Running).then(|| reason.to_owned()),
            started_at_ms: self.started_at_ms.or(started),
            state_since_ms: now_ms,
            ended_at_ms: next.is_final().then_some(now_ms),
            row_version: self.row_version + 1,
            ..self.clone()
        })
    }

    /// The limit that it has reached: `calls`, `bytes`, `seconds`, `turns`, `tokens` or `cost`.
    pub fn exhausted(&self, now_ms: i64) -> Option<&'static str> {
        let used = self.used_at(now_ms);
        let reached = |max: Option<u64>, used: u64| max.is_some_and(|max| used >= max);
        match () {
            () if reached(
                self.budget.seconds.map(|seconds| seconds.saturating_mul(1_000)),
                used.active_ms,
            ) =>
            {
                Some("seconds")
            }
            () if reached(self.budget.calls, used.calls) => Some("calls"),
            () if reached(self.budget.bytes, used.bytes) => Some("bytes"),
            () if reached(self.budget.turns, used.turns) => Some("turns"),
            () if reached(self.budget.tokens, used.tokens) => Some("tokens"),
            () if reached(self.budget.cost_micros, used.cost_micros) => Some("cost"),
            () => None,
        }
    }
}

/// The refusal of a step of a run that has ended.
pub fn ended(id: &RunId, state: RunState) -> Refusal {
    let message = format!("run {id} has ended: it is {}", state.as_str());
    Refusal::new(&codes::RUN_ENDED, message)
}

/// The kind of a tool that a run calls. Only data tools count towards budgets, and must come before a
/// question to a person.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    Data,
    /// A tool of the gateway itself.
    Control,
    /// A control call that asks a person. It is also admitted while the run is paused: it may be the question
    /// that the run waits for.
    Ask,
}

impl CallKind {
    pub const ALL: [CallKind; 3] = [CallKind::Data, CallKind::Control, CallKind::Ask];

    pub fn as_str(self) -> &'static str {
        match self {
            CallKind::Data => "data",
            CallKind::Control => "control",
            CallKind::Ask => "ask",
        }
    }

    pub fn parse(text: &str) -> Option<CallKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A call that is about to be sent in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunCall {
    pub call: CallId,
    pub tool: CanonicalName,
    pub kind: CallKind,
    /// The bytes of its arguments and files.
    pub bytes: u64,
}

/// The end of a call in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunCallEnd {
    /// True if the tool ran and did not report an error.
    pub completed: bool,
    /// The bytes of its result, before anything was taken out.
    pub bytes: u64,
}

/// The owner of a run that a call names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunOwnership {
    Callers,
    /// It belongs to another principal, or its owner cannot be determined right now.
    Somebodys,
    /// No run of this gateway: a name that means something elsewhere.
    Nobodys,
}

/// The treatment of a call that its client makes in a run under an id of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum ClientCall {
    /// It is new, or goes on: make it, and keep its result.
    Make,
    /// It was made, with this result.
    Made(RawJson),
}

/// What is kept of a call under an id of its client.
#[derive(Clone, PartialEq, Debug)]
pub enum KeptCall {
    Ended(RawJson),
    /// It waits, or nothing was sent: sent again, it goes on.
    PutOff(RawJson),
}

/// The runs, from the view of calls.
pub trait Runs: Send + Sync {
    /// Takes on a call that its client makes under this id; waits for one that is under way. `request` is the digest of what is
    /// asked for.
    fn take_on(
        &self,
        run: &RunId,
        client_id: &str,
        request: Digest,
    ) -> BoxFuture<'static, Result<ClientCall, Refusal>>;
    /// Keeps what became of a call that was taken on.
    fn keep(&self, run: &RunId, client_id: &str, kept: KeptCall) -> BoxFuture<'static, ()>;
    /// Lets a call begin, if the run is running and within its budget. A pending run starts with it.
    fn admit(&self, run: &RunId, call: RunCall) -> BoxFuture<'static, Result<(), Refusal>>;
    /// Looks up a run, and whether the caller works in it or started it.
    fn whose(&self, run: &RunId, caller: &PrincipalId) -> BoxFuture<'static, RunOwnership>;
    /// The call that was let in has ended.
    fn finish(&self, run: &RunId, call: &CallId, end: RunCallEnd) -> BoxFuture<'static, ()>;
}

#[cfg(test)]
mod tests;
