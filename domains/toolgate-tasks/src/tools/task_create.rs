//! `task.create` and `task.delete`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::id::{FileId, TaskId};
use toolgate_core::model::ModelName;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::{CallKind, InputFile, RunBudget, Task, TaskPlan};
use toolgate_core::scope::AgentName;
use toolgate_core::{RawJson, Refusal, Role, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_runs::NewTask;

use super::automation_create::check_rights;
use super::budget::TaskBudgetArguments;
use super::flat_names::FLAT_NAMES_END_MS;
use super::state::{TaskToolParts, TaskTools};
use super::task_output::{TaskOutput, reply, scheduled};
use crate::view::TaskSchedule;

pub(super) const CREATE: ToolDefinition = ToolDefinition::writes(
    "task.create",
    "Create a task",
    "Defines work: a goal, the model that works on it, and the agent whose tools it has. Nothing runs until \
     task.run.create, its schedule or an automation starts it.",
)
.external()
.old_names(&[OldName { name: "create_task", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

pub(super) const DELETE: ToolDefinition = ToolDefinition::destroys(
    "task.delete",
    "Delete a task",
    "Deletes a task that you created. Its runs stay; its automations can no longer start it.",
)
.old_names(&[OldName { name: "delete_task", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateTaskArguments {
    name: String,
    /// The first message to the model
    goal: String,
    /// The name of a configured model
    model: String,
    description: Option<String>,
    /// The agent whose tools its runs have
    agent: Option<String>,
    /// Instructions in front of all messages
    instructions: Option<String>,
    /// Files that each run has
    #[serde(default)]
    input: Vec<TaskInputArguments>,
    /// A JSON Schema that the result of a run must fit
    outcome_schema: Option<Map<String, Value>>,
    budget: Option<TaskBudgetArguments>,
    /// The cost of a day over all its runs, in millionths of a currency unit
    spend_per_day_micros: Option<u64>,
    /// Makes an automation beside it
    schedule: Option<TaskScheduleArguments>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TaskScheduleArguments {
    /// Five fields, such as 0 9 * * MON-FRI
    cron: String,
    /// An IANA name, such as Europe/Berlin; else UTC
    timezone: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TaskInputArguments {
    /// Its name in the run, such as data/a.csv
    path: String,
    file_id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DeleteTaskArguments {
    task_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DeleteTaskOutput {
    task_id: String,
    is_deleted: bool,
}

pub(super) async fn create(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: CreateTaskArguments,
) -> Result<ToolReply<TaskOutput>, Refusal> {
    let parts = tools.parts()?;
    let agent = arguments.agent.as_deref().map(agent_name).transpose()?;
    let plan = TaskPlan {
        goal: arguments.goal,
        model: model_name(&arguments.model)?,
        instructions: arguments.instructions.unwrap_or_default(),
        input: files(parts, &context, arguments.input).await?,
        outcome_schema: arguments.outcome_schema.map(|schema| RawJson::from(Value::Object(schema))),
        spend_per_day_micros: arguments.spend_per_day_micros,
    };
    let new = NewTask {
        name: arguments.name,
        description: arguments.description.unwrap_or_default(),
        agent,
        budget: arguments.budget.map(RunBudget::from).unwrap_or_default(),
        plan: Some(plan),
        ..NewTask::default()
    };
    let by = &context.principal().id;
    let Some(TaskScheduleArguments { cron, timezone }) = arguments.schedule else {
        return Ok(reply(&parts.runs.put_task(new, by).await?));
    };
    check_rights(&parts.store, &context).await?;
    let schedule = TaskSchedule { cron, timezone };
    let (task, automation) = parts.tasks.create_scheduled_task(new, schedule, by).await?;
    Ok(scheduled(&task, &automation))
}

pub(super) async fn delete(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: DeleteTaskArguments,
) -> Result<ToolReply<DeleteTaskOutput>, Refusal> {
    let runs = &tools.parts()?.runs;
    let task = runs.task(&TaskId::new(arguments.task_id)).await?;
    check_owner(&context, &task)?;
    runs.delete_task(&task.id, &context.principal().id).await?;
    let data = DeleteTaskOutput { task_id: task.id.to_string(), is_deleted: true };
    Ok(ToolReply::new(data).refs([ObjectRef::Task { id: task.id }]))
}

/// Those who run the gateway delete any task, others their own.
fn check_owner(context: &ToolContext, task: &Task) -> Result<(), Refusal> {
    let principal = context.principal();
    let operates = context.holder.run.is_none() && matches!(principal.role, Role::Admin | Role::Operator);
    if operates || task.created_by == principal.id {
        return Ok(());
    }
    let message = format!("task {} was created by {}, who may delete it", task.id, task.created_by);
    Err(Refusal::new(&codes::NOT_ALLOWED, message).hint("use their token, or ask an operator"))
}

/// The files that arguments name, as far as the caller may use them.
pub(super) async fn files(
    parts: &TaskToolParts,
    context: &ToolContext,
    given: Vec<TaskInputArguments>,
) -> Result<Vec<InputFile>, Refusal> {
    let mut files = Vec::with_capacity(given.len());
    for (place, TaskInputArguments { path, file_id }) in given.into_iter().enumerate() {
        let found = parts.files.input(&context.holder, path, FileId::new(file_id)).await;
        files.push(found.map_err(|refusal| refusal.field(format!("input[{place}].file_id")))?);
    }
    Ok(files)
}

pub(super) fn agent_name(name: &str) -> Result<AgentName, Refusal> {
    AgentName::new(name).map_err(|bad| invalid("agent", name, "the name of an agent", bad))
}

fn model_name(name: &str) -> Result<ModelName, Refusal> {
    ModelName::new(name).map_err(|bad| invalid("model", name, "the name of a model", bad))
}

fn invalid(field: &'static str, value: &str, expected: &str, hint: String) -> Refusal {
    let message = format!("`{field}` is not {expected}: {value:?}");
    Refusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint).field(field)
}
