//! `run.get` and `run.list`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::{CallKind, RunState};
use toolgate_core::{Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::flat_names::FLAT_NAMES_END_MS;
use super::output::{RunOutput, reply};
use super::visible::{VisibleRuns, seen};
use crate::runs::Runs;
use crate::view::RunQuery;

const PAGE_USUAL: u16 = 50;
const PAGE_MAX: u16 = 200;

pub(super) const GET: ToolDefinition =
    ToolDefinition::reads("run.get", "Show a run", "Shows a run: state, budget, input and output.")
        .old_names(&[OldName { name: "get_run", until_ms: FLAT_NAMES_END_MS }])
        .kind(CallKind::Control);

pub(super) const LIST: ToolDefinition = ToolDefinition::reads(
    "run.list",
    "List runs",
    "Lists runs, newest first, without what may be long: yours, or within a run those that it started.",
)
.old_names(&[OldName { name: "list_runs", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetRunArguments {
    /// Usually the run of the session
    run_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListRunsArguments {
    /// Only runs in this state
    #[schemars(extend("enum" = ["pending", "running", "paused", "completed", "partial", "failed", "cancelled"]))]
    status: Option<String>,
    /// Only runs of this type
    run_type: Option<String>,
    /// At most this many
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
    /// next_cursor of the page before
    cursor: Option<String>,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListRunsOutput {
    runs: Vec<RunOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn get(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: GetRunArguments,
) -> Result<ToolReply<RunOutput>, Refusal> {
    let run = seen(&runs, &context, arguments.run_id).await?;
    Ok(reply(&run, context.now_ms))
}

pub(super) async fn list(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: ListRunsArguments,
) -> Result<ToolReply<ListRunsOutput>, Refusal> {
    let ListRunsArguments { status, run_type, limit, cursor } = arguments;
    let state = status.as_deref().map(state).transpose()?;
    let limit = usize::from(limit.clamp(1, PAGE_MAX));
    let query = RunQuery { state, run_type, cursor, limit, ..RunQuery::default() };
    let page = runs.list(VisibleRuns::of(&context).narrow(query)).await?;
    let refs: Vec<ObjectRef> = page.runs.iter().map(|run| ObjectRef::Run { id: run.id.clone() }).collect();
    let runs = page.runs.iter().map(|run| RunOutput::short(run, context.now_ms)).collect();
    Ok(ToolReply::new(ListRunsOutput { runs, next_cursor: page.next }).refs(refs))
}

fn state(name: &str) -> Result<RunState, Refusal> {
    RunState::parse(name).ok_or_else(|| {
        Refusal::new(&codes::INVALID_ARGUMENTS, format!("{name:?} is no state of a run")).field("status")
    })
}
