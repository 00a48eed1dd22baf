//! The questions about runs, and the answers.

use serde_json::Value;
use toolgate_core::id::{CallId, RunId, SessionId, TaskId};
use toolgate_core::run::{
    CallKind, InputFile, InputRequest, InputSlot, InputState, Run, RunBudget, RunLabel, RunState, Task,
    TaskPlan,
};
use toolgate_core::scope::AgentName;
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson};
use toolgate_store::{RunCallState, StoredRunCall};

/// The properties of a requested task.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NewTask {
    /// The task to change. `None` for a new one.
    pub id: Option<TaskId>,
    pub name: String,
    pub description: String,
    pub agent: Option<AgentName>,
    pub budget: RunBudget,
    /// The work itself, if the gateway runs the agent.
    pub plan: Option<TaskPlan>,
    /// The version that the caller saw.
    pub if_version: Option<u64>,
}

/// Newest first.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskPage {
    pub tasks: Vec<Task>,
    pub next: Option<String>,
}

/// The input of a run beside its files.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum RunInput {
    /// None: its files are all that it gets.
    #[default]
    Files,
    /// It becomes `input.json` of the manifest.
    Json(Value),
    /// A manifest that exists.
    Manifest(Digest),
}

/// The properties of a requested run.
#[derive(Clone, PartialEq, Debug)]
pub struct NewRun {
    pub task: Option<TaskId>,
    /// The task's, if not said.
    pub agent: Option<AgentName>,
    /// The principal that works in it.
    pub principal: PrincipalId,
    pub created_by: PrincipalId,
    pub parent: Option<RunId>,
    pub input: Vec<InputFile>,
    pub content: RunInput,
    pub label: RunLabel,
    /// Limited by the task and by the parent's remaining budget.
    pub budget: RunBudget,
}

/// A run that was asked for under a key.
#[derive(Clone, PartialEq, Debug)]
pub enum KeyedRun {
    Made(Run),
    /// It was made before.
    Known(Run),
}

/// A filter for runs. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunQuery {
    pub state: Option<RunState>,
    pub task: Option<TaskId>,
    pub principal: Option<PrincipalId>,
    pub parent: Option<RunId>,
    /// The session in which a tool created it.
    pub made_in: Option<SessionId>,
    pub run_type: Option<String>,
    /// The `next` of the page before.
    pub cursor: Option<String>,
    pub limit: usize,
}

/// The completion that a tool asks for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AskedCompletion {
    /// The call that asks; all others of the run must have ended.
    pub call: Option<CallId>,
    pub summary: Option<String>,
    pub result: Option<Value>,
    /// The named artifacts; `None` means all that it stored.
    pub artifacts: Option<Vec<Digest>>,
    /// A manifest that exists. Without it, one is made of the result and the stored artifacts.
    pub manifest: Option<Digest>,
}

/// The end of long work that the gateway did itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WorkCompletion {
    pub summary: String,
    pub result: Value,
    /// A manifest that exists. Without it, one is made of the result and the stored artifacts.
    pub manifest: Option<Digest>,
    /// True if it left something out, which the result names.
    pub is_partial: bool,
}

/// The failure that a tool reports.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedFailure {
    pub kind: String,
    pub message: String,
    pub details: Option<Value>,
}

/// The ways to give a state.
#[derive(Clone, PartialEq, Debug)]
pub enum StateSource {
    Json(Value),
    /// The id of a file, a ref or an artifact.
    Stored(String),
}

/// Newest first.
#[derive(Clone, PartialEq, Debug)]
pub struct RunPage {
    pub runs: Vec<Run>,
    pub next: Option<String>,
}

/// A call that was let into a run.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct RunCallView {
    pub call: CallId,
    pub tool: CanonicalName,
    pub kind: CallKind,
    pub state: RunCallState,
    pub created_at_ms: i64,
    pub ended_at_ms: Option<i64>,
}

impl From<StoredRunCall> for RunCallView {
    fn from(stored: StoredRunCall) -> Self {
        let StoredRunCall { call, tool, kind, state, created_at_ms, ended_at_ms } = stored;
        Self { call, tool, kind, state, created_at_ms, ended_at_ms }
    }
}

/// A question on its way to a person.
#[derive(Clone, PartialEq, Debug)]
pub struct NewQuestion {
    pub run: RunId,
    pub session: Option<SessionId>,
    /// The call that asks.
    pub call: Option<CallId>,
    /// The principal that asks.
    pub principal: PrincipalId,
    pub slot: InputSlot,
}

/// A filter for questions. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InputQuery {
    pub state: Option<InputState>,
    pub run: Option<RunId>,
    /// The `next` of the page before.
    pub cursor: Option<String>,
    pub limit: usize,
}

/// Newest first.
#[derive(Clone, PartialEq, Debug)]
pub struct InputPage {
    pub inputs: Vec<InputRequest>,
    pub next: Option<String>,
}

/// The treatment of a call that a client sends under its own id.
#[derive(Clone, PartialEq, Debug)]
pub enum CallClaim {
    /// It is new: run it, and then `record` the result.
    Run,
    /// It was put off, and what was stored of it is this: go on with it, as with a new one.
    Again(RawJson),
    /// It ran, with this result.
    Recorded(RawJson),
    /// It is running; `recorded` waits for it.
    Running,
    /// Another request has this id.
    Mismatch,
}
