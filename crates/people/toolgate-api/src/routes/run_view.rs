//! The public data of runs and their calls. Times are RFC 3339.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use toolgate_core::Digest;
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{BudgetUsage, CallKind, InputFile, OutputFile, Run, RunBudget, RunState};
use toolgate_runs::{RunCallState, RunCallView};
use utoipa::ToSchema;

use super::driven_view::DrivenView;
use super::inputs::InputView;
use super::views::ApprovalView;

/// The budget of a run; what is left out is unlimited
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RunBudget)]
pub(crate) struct BudgetBody {
    /// Calls of data tools.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 1)]
    calls: Option<NonZeroU64>,
    /// Seconds, not counting pauses.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 1)]
    seconds: Option<NonZeroU64>,
    /// Bytes of arguments and results of data tools, files included.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 1)]
    bytes: Option<NonZeroU64>,
    /// Answers of a model, where the gateway runs the agent.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 1)]
    turns: Option<NonZeroU64>,
    /// Tokens that a model reads and writes.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 1)]
    tokens: Option<NonZeroU64>,
    /// Their price, in millionths of a currency unit.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 1)]
    cost_micros: Option<NonZeroU64>,
}

impl From<BudgetBody> for RunBudget {
    fn from(body: BudgetBody) -> Self {
        let limits = [body.calls, body.seconds, body.bytes, body.turns, body.tokens, body.cost_micros];
        let [calls, seconds, bytes, turns, tokens, cost_micros] =
            limits.map(|limit| limit.map(NonZeroU64::get));
        Self { calls, seconds, bytes, turns, tokens, cost_micros }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunsPage {
    pub(super) runs: Vec<RunView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// A run, one execution of a task
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Run)]
pub(crate) struct RunView {
    #[schema(example = "run_0198f5c2a4b07c3d8e1f")]
    id: String,
    /// pending, running, paused, completed, partial, failed or cancelled.
    #[schema(value_type = String)]
    state: RunState,
    /// The reason why it is paused or has ended: input, operator, complete_workflow, budget.calls, …
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The agent's own summary at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    agent: String,
    /// The principal that works in it.
    principal: String,
    created_by: String,
    /// The session of its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// The input files.
    input: Vec<InputFileView>,
    /// The artifacts that it has stored.
    output: Vec<OutputFileView>,
    /// The kind of work, if an agent with a loop of its own created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The digest of the manifest of its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    input_manifest: Option<Digest>,
    /// The digest of the manifest of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    output_manifest: Option<Digest>,
    #[schema(value_type = BudgetBody)]
    budget: RunBudget,
    used: UsedView,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    /// When it entered its state.
    state_since: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    /// The number of the version, from 1.
    version: u64,
}

/// An input file of a run, and its name in the run
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InputFile)]
pub(crate) struct InputFileView {
    path: String,
    file_id: String,
    #[schema(value_type = String)]
    digest: Digest,
}

/// An artifact of a run, and its name
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OutputFile)]
pub(crate) struct OutputFileView {
    name: String,
    #[schema(value_type = String)]
    artifact: Digest,
    size: u64,
    media_type: String,
}

/// The part of its budget that a run has used
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BudgetUsage)]
pub(crate) struct UsedView {
    calls: u64,
    seconds: u64,
    bytes: u64,
    /// Answers of a model, where the gateway runs the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// In millionths of a currency unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micros: Option<u64>,
}

/// A run, with what it waits for and its calls
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunDetail {
    #[serde(flatten)]
    pub(super) run: RunView,
    pub(super) waiting: WaitingView,
    pub(super) calls: CallCounts,
    /// The number of runs that were created within it.
    pub(super) children: u64,
    /// Set if the gateway runs its agent: model, tokens, cost, and the action that it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) driven: Option<DrivenView>,
}

/// The approvals and questions that a run waits for
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitingView {
    pub(super) inputs: Vec<InputView>,
    pub(super) approvals: Vec<ApprovalView>,
}

/// The number of calls in a run, up to the latest thousand
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CallCounts {
    open: usize,
    completed: usize,
    failed: usize,
    /// Their gateway stopped in the meantime.
    unknown: usize,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunCallsPage {
    /// Oldest first; at most the latest thousand.
    pub(super) calls: Vec<CallView>,
}

/// A call in a run
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunCall)]
pub(crate) struct CallView {
    #[schema(example = "tc_0198f5c2a4b07c3d8e1f")]
    call: String,
    tool: String,
    /// data, control or ask.
    #[schema(value_type = String)]
    kind: CallKind,
    /// open, completed, failed or unknown.
    #[schema(value_type = String)]
    state: RunCallState,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
}

impl RunView {
    pub(super) fn at(run: Run, now_ms: i64) -> Self {
        Self {
            used: UsedView::from(run.used_at(now_ms)),
            id: run.id.to_string(),
            state: run.state,
            reason: run.reason,
            summary: run.summary,
            task: run.task.map(|task| task.to_string()),
            parent: run.parent.map(|parent| parent.to_string()),
            agent: run.agent.to_string(),
            principal: run.principal.to_string(),
            created_by: run.created_by.to_string(),
            session: run.session.map(|session| session.to_string()),
            input: run.input.into_iter().map(InputFileView::from).collect(),
            output: run.output.into_iter().map(OutputFileView::from).collect(),
            run_type: run.label.run_type,
            name: run.label.name,
            input_manifest: run.manifests.input,
            output_manifest: run.manifests.output,
            budget: run.budget,
            created_at: rfc3339(run.created_at_ms),
            started_at: run.started_at_ms.map(rfc3339),
            state_since: rfc3339(run.state_since_ms),
            ended_at: run.ended_at_ms.map(rfc3339),
            version: run.row_version,
        }
    }
}

impl CallCounts {
    pub(super) fn of(calls: &[RunCallView]) -> Self {
        let mut counts = Self::default();
        for call in calls {
            *match call.state {
                RunCallState::Open => &mut counts.open,
                RunCallState::Completed => &mut counts.completed,
                RunCallState::Failed => &mut counts.failed,
                RunCallState::Unknown => &mut counts.unknown,
            } += 1;
        }
        counts
    }
}

impl From<InputFile> for InputFileView {
    fn from(file: InputFile) -> Self {
        Self { path: file.path, file_id: file.file.to_string(), digest: file.digest }
    }
}

impl From<OutputFile> for OutputFileView {
    fn from(file: OutputFile) -> Self {
        Self {
            name: file.name.to_string(),
            artifact: file.artifact,
            size: file.bytes,
            media_type: file.media_type,
        }
    }
}

impl From<BudgetUsage> for UsedView {
    fn from(used: BudgetUsage) -> Self {
        let some = |count: u64| (count > 0).then_some(count);
        Self {
            calls: used.calls,
            seconds: used.active_ms / 1_000,
            bytes: used.bytes,
            turns: some(used.turns),
            tokens: some(used.tokens),
            cost_micros: some(used.cost_micros),
        }
    }
}

impl From<RunCallView> for CallView {
    fn from(call: RunCallView) -> Self {
        Self {
            call: call.call.to_string(),
            tool: call.tool.to_string(),
            kind: call.kind,
            state: call.state,
            started_at: rfc3339(call.created_at_ms),
            ended_at: call.ended_at_ms.map(rfc3339),
        }
    }
}
