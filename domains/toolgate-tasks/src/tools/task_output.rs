//! A task as tools show it. Times are RFC 3339.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolgate_core::automation::Automation;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::run::Task;
use toolgate_domain::ToolReply;

use super::automation_output::ref_of;
use super::budget::TaskBudgetOutput;

#[derive(Serialize, JsonSchema)]
pub(super) struct TaskOutput {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// True if task.run.create can start it
    is_runnable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Not in a list
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<String>,
    /// Not in a list
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    /// Not in a list
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Vec<TaskInputFile>>,
    /// Not in a list
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome_schema: Option<Value>,
    budget: TaskBudgetOutput,
    /// The cost of a day over all its runs, in millionths of a currency unit
    #[serde(skip_serializing_if = "Option::is_none")]
    spend_per_day_micros: Option<u64>,
    /// The name of the automation that was made with it
    #[serde(skip_serializing_if = "Option::is_none")]
    automation: Option<String>,
    created_by: String,
    created_at: String,
    updated_at: String,
    version: u64,
}

#[derive(Serialize, JsonSchema)]
struct TaskInputFile {
    path: String,
    file_id: String,
    sha256: String,
}

/// The answer of a tool that is about one task.
pub(super) fn reply(task: &Task) -> ToolReply<TaskOutput> {
    ToolReply::new(TaskOutput::whole(task)).refs([ObjectRef::Task { id: task.id.clone() }])
}

/// The same for a task with the automation that was made beside it.
pub(super) fn scheduled(task: &Task, automation: &Automation) -> ToolReply<TaskOutput> {
    let data = TaskOutput { automation: Some(automation.name.clone()), ..TaskOutput::whole(task) };
    ToolReply::new(data).refs([ObjectRef::Task { id: task.id.clone() }, ref_of(automation)])
}

impl TaskOutput {
    /// As in a list: without what may be long.
    pub(super) fn short(task: &Task) -> Self {
        Self { goal: None, instructions: None, input: None, outcome_schema: None, ..Self::whole(task) }
    }

    fn whole(task: &Task) -> Self {
        let plan = task.plan.as_ref();
        let input = plan.map(|plan| {
            let files = plan.input.iter().map(|one| TaskInputFile {
                path: one.path.clone(),
                file_id: one.file.to_string(),
                sha256: one.digest.to_string(),
            });
            files.collect()
        });
        let instructions = plan.map(|plan| plan.instructions.clone());
        Self {
            id: task.id.to_string(),
            name: task.name.clone(),
            description: task.description.clone(),
            agent: task.agent.as_ref().map(ToString::to_string),
            is_runnable: plan.is_some(),
            model: plan.map(|plan| plan.model.to_string()),
            goal: plan.map(|plan| plan.goal.clone()),
            instructions: instructions.filter(|text| !text.is_empty()),
            input,
            outcome_schema: plan.and_then(|plan| plan.outcome_schema.as_ref()?.decode().ok()),
            budget: task.budget.into(),
            spend_per_day_micros: plan.and_then(|plan| plan.spend_per_day_micros),
            automation: None,
            created_by: task.created_by.to_string(),
            created_at: rfc3339(task.created_at_ms),
            updated_at: rfc3339(task.updated_at_ms),
            version: task.row_version,
        }
    }
}
