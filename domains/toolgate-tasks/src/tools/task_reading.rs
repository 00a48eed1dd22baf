//! `task.list` and `task.get`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::id::TaskId;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::CallKind;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::flat_names::FLAT_NAMES_END_MS;
use super::state::TaskTools;
use super::task_output::{TaskOutput, reply};

const PAGE_USUAL: u16 = 50;
const PAGE_MAX: u16 = 200;

pub(super) const LIST: ToolDefinition = ToolDefinition::reads(
    "task.list",
    "List tasks",
    "Lists tasks, definitions of work, newest first, without what may be long.",
)
.old_names(&[OldName { name: "list_tasks", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

pub(super) const GET: ToolDefinition =
    ToolDefinition::reads("task.get", "Show a task", "Shows a task: goal, model, agent, input and budget.")
        .old_names(&[OldName { name: "get_task", until_ms: FLAT_NAMES_END_MS }])
        .kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListTasksArguments {
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

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetTaskArguments {
    task_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListTasksOutput {
    tasks: Vec<TaskOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn list(
    tools: Arc<TaskTools>,
    _context: ToolContext,
    arguments: ListTasksArguments,
) -> Result<ToolReply<ListTasksOutput>, Refusal> {
    let limit = usize::from(arguments.limit.clamp(1, PAGE_MAX));
    let page = tools.parts()?.runs.tasks(arguments.cursor.as_deref(), limit).await?;
    let refs: Vec<ObjectRef> =
        page.tasks.iter().map(|task| ObjectRef::Task { id: task.id.clone() }).collect();
    let tasks = page.tasks.iter().map(TaskOutput::short).collect();
    Ok(ToolReply::new(ListTasksOutput { tasks, next_cursor: page.next }).refs(refs))
}

pub(super) async fn get(
    tools: Arc<TaskTools>,
    _context: ToolContext,
    arguments: GetTaskArguments,
) -> Result<ToolReply<TaskOutput>, Refusal> {
    let task = tools.parts()?.runs.task(&TaskId::new(arguments.task_id)).await?;
    Ok(reply(&task))
}
