//! `task.run.status` and `task.run.cancel`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_core::id::RunId;
use toolgate_core::platform::OldName;
use toolgate_core::run::{AgentLoop, CallKind};
use toolgate_core::{Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_runs::{changeable_run, visible_run};
use toolgate_store::StoreError;

use super::flat_names::FLAT_NAMES_END_MS;
use super::run_output::{TaskRunOutput, refs_of};
use super::state::{TaskToolParts, TaskTools};

pub(super) const STATUS: ToolDefinition = ToolDefinition::reads(
    "task.run.status",
    "Show the state of a run",
    "Shows where a run stands: its state, what it waits for and how to resolve that, its turn, budget and result.",
)
.old_names(&[OldName { name: "get_task_run_status", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

pub(super) const CANCEL: ToolDefinition = ToolDefinition::writes(
    "task.run.cancel",
    "Cancel a run of a task",
    "Ends a run, the runs within it and their calls in progress. What they have done stays.",
)
.old_names(&[OldName { name: "cancel_run", until_ms: FLAT_NAMES_END_MS }])
.idempotent()
.kind(CallKind::Control);

/// The reason of a run that ends itself.
const CANCELLED: &str = "cancelled";

#[derive(Deserialize, JsonSchema)]
pub(super) struct TaskRunArguments {
    /// Usually the run of the session
    run_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CancelTaskRunArguments {
    run_id: String,
}

pub(super) async fn status(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: TaskRunArguments,
) -> Result<ToolReply<TaskRunOutput>, Refusal> {
    let parts = tools.parts()?;
    let run = visible_run(&parts.runs, &context, arguments.run_id).await?;
    let driven = loop_of(parts, &run.id).await?;
    let data = TaskRunOutput::of(&run, driven.as_ref(), context.now_ms);
    Ok(ToolReply::new(data).refs(refs_of(&run)))
}

pub(super) async fn cancel(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: CancelTaskRunArguments,
) -> Result<ToolReply<TaskRunOutput>, Refusal> {
    let parts = tools.parts()?;
    let run = changeable_run(&parts.runs, &context, Some(arguments.run_id)).await?;
    // The same request again changes nothing, and a run that has ended stays as it is.
    let by = &context.principal().id;
    match () {
        () if run.state.is_final() => {}
        // This call is one of those that would end with the run.
        () if context.holder.run.as_ref() == Some(&run.id) => {
            parts.runs.cancel_as_asked(&run.id, CANCELLED, by).await?;
        }
        () => parts.starter.cancel(&run.id, by).await?,
    }
    let run = parts.runs.get(&run.id).await?;
    let driven = loop_of(parts, &run.id).await?;
    let data = TaskRunOutput::of(&run, driven.as_ref(), context.now_ms);
    Ok(ToolReply::new(data).refs(refs_of(&run)))
}

/// The loop of a run, if the gateway drives it.
pub(super) async fn loop_of(parts: &TaskToolParts, run: &RunId) -> Result<Option<AgentLoop>, Refusal> {
    parts.store.agent_loop(run).await.map_err(|error| down(&error))
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(super) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "a run's loop cannot be read");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}
