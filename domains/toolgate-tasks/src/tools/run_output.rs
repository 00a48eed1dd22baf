//! A run of a task as tools show it, with what it waits for. Times are RFC 3339.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::run::{AgentLoop, RequiredAction, Run};

use super::budget::{TaskBudgetOutput, UsedBudgetOutput};

#[derive(Serialize, JsonSchema)]
pub(super) struct TaskRunOutput {
    run_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_run_id: Option<String>,
    agent: String,
    /// The principal that works in it
    principal: String,
    /// pending, running, paused, completed, partial, failed or cancelled
    state: &'static str,
    /// The reason why it is paused or has ended
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Set while somebody must act before it goes on
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<RequiredActionOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The number of its current turn
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    budget: TaskBudgetOutput,
    used: UsedBudgetOutput,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct RequiredActionOutput {
    /// approval, question, credential, captcha, budget, unknown_outcome or stuck
    kind: &'static str,
    /// For task.action.resolve
    id: String,
    since: String,
    how: String,
}

impl From<&RequiredAction> for RequiredActionOutput {
    fn from(action: &RequiredAction) -> Self {
        Self {
            kind: action.kind.as_str(),
            id: action.id.clone(),
            since: rfc3339(action.since_ms),
            how: action.how.clone(),
        }
    }
}

impl TaskRunOutput {
    /// `driven` is its loop, if the gateway drives it.
    pub(super) fn of(run: &Run, driven: Option<&AgentLoop>, now_ms: i64) -> Self {
        Self {
            run_id: run.id.to_string(),
            task_id: run.task.as_ref().map(ToString::to_string),
            parent_run_id: run.parent.as_ref().map(ToString::to_string),
            agent: run.agent.to_string(),
            principal: run.principal.to_string(),
            state: run.state.as_str(),
            reason: run.reason.clone(),
            action: driven.and_then(|driven| driven.action.as_ref()).map(RequiredActionOutput::from),
            model: driven.map(|driven| driven.model.to_string()),
            turn: driven.map(|driven| driven.turn),
            summary: run.summary.clone(),
            result: run.report.result.clone(),
            error: run.report.error.clone(),
            budget: run.budget.into(),
            used: run.used_at(now_ms).into(),
            created_at: rfc3339(run.created_at_ms),
            started_at: run.started_at_ms.map(rfc3339),
            ended_at: run.ended_at_ms.map(rfc3339),
        }
    }

    /// As in a list: without what may be long.
    pub(super) fn short(run: &Run, driven: Option<&AgentLoop>, now_ms: i64) -> Self {
        Self { summary: None, result: None, error: None, ..Self::of(run, driven, now_ms) }
    }
}

/// The objects that an answer about a run names.
pub(super) fn refs_of(run: &Run) -> impl Iterator<Item = ObjectRef> {
    let task = run.task.clone().map(|id| ObjectRef::Task { id });
    let artifacts: Vec<ObjectRef> =
        run.output.iter().map(|one| ObjectRef::Artifact { sha256: one.artifact }).collect();
    [ObjectRef::Run { id: run.id.clone() }].into_iter().chain(task).chain(artifacts)
}
