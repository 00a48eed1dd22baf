//! `task.run.active`: the runs that have not ended.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::id::TaskId;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::{CallKind, Run, RunState};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_runs::{RunQuery, Runs, VisibleRuns};

use super::flat_names::FLAT_NAMES_END_MS;
use super::run_output::TaskRunOutput;
use super::run_status::loop_of;
use super::state::TaskTools;

const LIMIT_USUAL: u16 = 50;
const LIMIT_MAX: u16 = 200;
/// The states of runs that have not ended, those that work first.
const ACTIVE_STATES: [RunState; 3] = [RunState::Running, RunState::Paused, RunState::Pending];

pub(super) const ACTIVE: ToolDefinition = ToolDefinition::reads(
    "task.run.active",
    "List active runs",
    "Lists runs that have not ended, newest first in each state: running, paused with what they wait for, pending.",
)
.old_names(&[OldName { name: "list_active_runs", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ActiveRunsArguments {
    /// Only runs of this task
    task_id: Option<String>,
    /// At most this many
    #[serde(default = "limit_usual")]
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: u16,
}

fn limit_usual() -> u16 {
    LIMIT_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ActiveRunsOutput {
    runs: Vec<TaskRunOutput>,
    /// True if there are more than were asked for
    has_more: bool,
}

pub(super) async fn active(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: ActiveRunsArguments,
) -> Result<ToolReply<ActiveRunsOutput>, Refusal> {
    let parts = tools.parts()?;
    let limit = usize::from(arguments.limit.clamp(1, LIMIT_MAX));
    let task = arguments.task_id.map(TaskId::new);
    let (found, has_more) = find(&parts.runs, &context, task.as_ref(), limit).await?;
    let refs: Vec<ObjectRef> = found.iter().map(|run| ObjectRef::Run { id: run.id.clone() }).collect();
    let mut runs = Vec::with_capacity(found.len());
    for run in &found {
        let driven = loop_of(parts, &run.id).await?;
        runs.push(TaskRunOutput::short(run, driven.as_ref(), context.now_ms));
    }
    Ok(ToolReply::new(ActiveRunsOutput { runs, has_more }).refs(refs))
}

async fn find(
    runs: &Runs,
    context: &ToolContext,
    task: Option<&TaskId>,
    limit: usize,
) -> Result<(Vec<Run>, bool), Refusal> {
    let (mut found, mut has_more) = (Vec::new(), false);
    for state in ACTIVE_STATES {
        let left = limit - found.len();
        if left == 0 {
            return Ok((found, true));
        }
        let query = RunQuery { state: Some(state), task: task.cloned(), limit: left, ..RunQuery::default() };
        let page = runs.list(VisibleRuns::of(context).narrow(query)).await?;
        has_more |= page.next.is_some();
        found.extend(page.runs);
    }
    Ok((found, has_more))
}
