//! `task.run.create`: a run that the gateway drives. Inside a run it becomes a child, within the parent's budget and rights.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_core::id::TaskId;
use toolgate_core::platform::OldName;
use toolgate_core::run::{CallKind, RunBudget};
use toolgate_core::{Refusal, Role, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::budget::TaskBudgetArguments;
use super::flat_names::FLAT_NAMES_END_MS;
use super::run_output::{TaskRunOutput, refs_of};
use super::run_status::loop_of;
use super::state::TaskTools;
use super::task_create::{TaskInputArguments, agent_name, files};
use crate::TaskStart;

pub(super) const CREATE: ToolDefinition = ToolDefinition::writes(
    "task.run.create",
    "Start a run of a task",
    "Starts a task: its model works with the tools of its agent until it is done. Returns at once; task.run.status \
     shows where it stands. It sees no more than your session; inside a run, it is a child and shares your budget.",
)
.old_names(&[OldName { name: "create_task_run", until_ms: FLAT_NAMES_END_MS }])
.external()
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateTaskRunArguments {
    task_id: String,
    /// Another agent than the task's
    agent: Option<String>,
    /// Within the budget of the task
    budget: Option<TaskBudgetArguments>,
    /// Files besides those of the task
    #[serde(default)]
    input: Vec<TaskInputArguments>,
}

pub(super) async fn create(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: CreateTaskRunArguments,
) -> Result<ToolReply<TaskRunOutput>, Refusal> {
    let parts = tools.parts()?;
    check_caller(&context)?;
    let start = TaskStart {
        by: context.principal().id.clone(),
        agent: arguments.agent.as_deref().map(agent_name).transpose()?,
        budget: arguments.budget.map(RunBudget::from).unwrap_or_default(),
        input: files(parts, &context, arguments.input).await?,
        parent: context.holder.run.clone(),
        within: Some(Arc::clone(context.scope())),
    };
    let run = parts.tasks.start_run(&TaskId::new(arguments.task_id), start).await?;
    let run = parts.runs.get(&run).await?;
    let driven = loop_of(parts, &run.id).await?;
    let data = TaskRunOutput::of(&run, driven.as_ref(), context.now_ms);
    Ok(ToolReply::new(data).refs(refs_of(&run)))
}

/// A run has the rights of its principal. A session that somebody opened for a narrower purpose must not get them in this way; one
/// of a run may, since the child has no more rights than its parent.
fn check_caller(context: &ToolContext) -> Result<(), Refusal> {
    let holder = &context.holder;
    if holder.run.is_none() && holder.opened_by.is_some() {
        let message = "this session was opened for something else, and a run could do more than it may";
        return Err(Refusal::new(&codes::NOT_ALLOWED, message)
            .hint("start the run with a token that is bound to no session, or from within a run"));
    }
    match holder.principal.role {
        Role::Auditor => {
            Err(Refusal::new(&codes::NOT_ALLOWED, "an auditor reads runs and does not start them")
                .hint("use the token of an agent or an operator"))
        }
        _ => Ok(()),
    }
}
