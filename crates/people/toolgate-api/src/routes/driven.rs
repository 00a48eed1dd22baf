//! Runs that the gateway drives: of a task, and again from a turn.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use serde::Deserialize;
use toolgate_core::codes;
use toolgate_core::id::{RunId, TaskId};
use toolgate_core::model::ModelName;
use toolgate_core::run::{AgentLoop, Run, RunBudget, RunStart, TaskPlan, TurnPhase};
use toolgate_core::scope::{AgentName, Credential, Mounts, Scope};
use utoipa::ToSchema;

use super::answer::json;
use super::definitions::template;
use super::run_access::{find, operates};
use super::run_files::{InputFileBody, files};
use super::run_view::{BudgetBody, RunView};
use super::template_name::TemplateName;
use super::turns::{DrivenStart, LoopFork, StartedDriven};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, object};

/// The differences of a run from its task; everything may be left out
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskRunBody {
    /// The agent; by default the task's, or the caller's own.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "writer")]
    agent: Option<AgentName>,
    /// The parent run: the new run gets no more than the parent has left, sees no more, and ends with it.
    #[serde(default)]
    parent: Option<String>,
    /// The principal that works in it; only operators and admins may name another than themselves.
    #[serde(default)]
    principal: Option<String>,
    /// Files besides those of the task.
    #[serde(default)]
    input: Vec<InputFileBody>,
    /// The budget, within that of the task.
    #[serde(default)]
    budget: Option<BudgetBody>,
    /// Mounts of its session in addition to those of its agent.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Object)]
    mounts: Mounts,
    /// Never less strict than the agent's, nor than the parent's.
    #[serde(default)]
    #[schema(value_type = Option<TemplateName>)]
    policy_template: Option<String>,
}

/// The beginning of a run that is tried again
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetryBody {
    /// The last turn that is kept; 0 keeps the goal alone. By default the last turn whose calls have ended.
    #[serde(default)]
    turn: Option<u64>,
    /// Another model.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    model: Option<ModelName>,
}

/// Start a run of a task
///
/// The gateway runs the agent: it asks the task's model and makes its calls, in a session with the tools of the agent. It works on its
/// own from here; `GET /runs/{id}/events` follows it.
#[utoipa::path(post, path = "/tasks/{id}/runs", tag = "runs", request_body = TaskRunBody,
    params(("id" = String, Path, description = "task_…")),
    responses((status = 201, description = "The run", body = RunView),
        (status = 403, description = "This token may not open sessions, or not for another principal"),
        (status = 404, description = "The task, the parent or a file was not found, or is not visible to the caller"),
        (status = 409, description = "This process does not run agents, or runs are nested too deeply"),
        (status = 410, description = "The parent has ended"),
        (status = 422, description = "The task has no goal, or its model, its agent or a file is gone; `field` says which"),
        (status = 429, description = "The agent's limit of sessions, or the parent's limit of runs, is reached")))]
pub(crate) async fn start(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Json(body): Json<TaskRunBody>,
) -> ApiResult<Response> {
    let task = context.runs.task(&TaskId::new(id)).await?;
    let plan = task.plan.clone().ok_or_else(|| no_plan(&task.id))?;
    let policy_template = template(body.policy_template.as_deref())?;
    let parent = match body.parent {
        Some(id) => {
            let found = find(&context, &credential, &RunId::new(id)).await;
            Some(found.map_err(|problem| problem.with("field", "parent"))?)
        }
        None => None,
    };
    let input = files(&context, &credential, parent.as_ref(), body.input).await?;
    let start = RunStart {
        task: Some(task.id),
        plan,
        agent: body.agent.or(task.agent),
        budget: body.budget.map(RunBudget::from).unwrap_or_default(),
        input,
        parent: parent.map(|parent| parent.id),
        within: None,
        by: credential.principal.id.clone(),
        automation: None,
        cause: None,
    };
    let asked = DrivenStart::new(start, credential);
    let asked = DrivenStart { mounts: body.mounts, policy_template, principal: body.principal, ..asked };
    Ok(created(&context, asked.begin(&context).await?))
}

/// Try a run again from a turn
///
/// The new run has its own id, the same goal, agent, budget and files, and the messages up to the end of a turn. The first run stays as
/// it is.
#[utoipa::path(post, path = "/runs/{id}/retry", tag = "runs", request_body = RetryBody,
    params(("id" = String, Path, description = "run_…")),
    responses((status = 201, description = "The new run", body = RunView),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 409, description = "The gateway does not drive this run, or this process does not run agents"),
        (status = 422, description = "There is no such turn, or its calls have not ended; or the model is gone")))]
pub(crate) async fn retry(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Json(body): Json<RetryBody>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let driven = context.store.agent_loop(&run.id).await?.ok_or_else(|| not_driven(&run))?;
    let turn = kept_turn(&context, &driven, body.turn).await?;
    let principal = operates(&credential).then(|| run.principal.to_string());
    let fork = Some(LoopFork { run: run.id.clone(), turn });
    let within = kept_scope(&context, &run).await?;
    let start = RunStart { within, ..again(run, driven, body.model, &credential) };
    let asked = DrivenStart { principal, fork, ..DrivenStart::new(start, credential) };
    Ok(created(&context, asked.begin(&context).await?))
}

fn created(context: &ApiContext, started: StartedDriven) -> Response {
    let location = format!("/runs/{}", started.run.id);
    let view = RunView::at(started.run, context.clock.now_ms());
    ([(LOCATION, location)], json(StatusCode::CREATED, &view)).into_response()
}

/// The same run once more. Its goal is among the messages that are kept.
fn again(run: Run, driven: AgentLoop, model: Option<ModelName>, credential: &Credential) -> RunStart {
    RunStart {
        task: run.task,
        plan: TaskPlan {
            goal: String::new(),
            model: model.unwrap_or(driven.model),
            instructions: driven.system,
            input: run.input,
            outcome_schema: driven.outcome_schema,
            spend_per_day_micros: None,
        },
        agent: Some(run.agent),
        budget: run.budget,
        input: Vec::new(),
        parent: None,
        within: None,
        by: credential.principal.id.clone(),
        automation: None,
        cause: None,
    }
}

/// The care and the mounts of a run's session hold again; a run that was started within another gets no more rights than it had.
/// Servers and definitions are those of today.
async fn kept_scope(context: &ApiContext, run: &Run) -> ApiResult<Option<Arc<Scope>>> {
    let Some(session) = &run.session else { return Ok(None) };
    let Some(stored) = context.store.get_session(session).await? else { return Ok(None) };
    let scope = Scope { servers: None, ..Scope::clone(&stored.scope) };
    let scope = match run.parent {
        Some(_) => scope,
        None => Scope { layers: Vec::new(), ..scope },
    };
    Ok(Some(Arc::new(scope)))
}

/// The last turn to keep: one whose calls have ended.
async fn kept_turn(context: &ApiContext, driven: &AgentLoop, wanted: Option<u64>) -> ApiResult<u64> {
    let last = driven.turn;
    let turn = match wanted {
        Some(turn) => turn,
        // The current turn may be under way.
        None if has_ended(context, driven, last).await? => last,
        None => last.saturating_sub(1),
    };
    if turn == 0 || has_ended(context, driven, turn).await? {
        return Ok(turn);
    }
    let detail = format!("run {} has no turn {turn} whose calls have ended", driven.run);
    Err(Problem::bad_field(&codes::FIELD_INVALID, "turn", detail)
        .hint("`GET /runs/{id}/turns` lists its turns; those that are `acted` or `failed` have ended"))
}

/// True if no call of a turn is open. A turn of the run that this one goes on from has ended, and is not among its own.
async fn has_ended(context: &ApiContext, driven: &AgentLoop, turn: u64) -> ApiResult<bool> {
    let Some(before) = turn.checked_sub(1).filter(|_| turn <= driven.turn) else { return Ok(false) };
    let found = context.store.loop_turns(&driven.run, before, 1).await?;
    Ok(found.first().is_none_or(|found| match found.phase {
        _ if found.turn > turn => true,
        TurnPhase::Acted | TurnPhase::Failed => true,
        TurnPhase::Asked | TurnPhase::Answered => false,
    }))
}

fn no_plan(task: &TaskId) -> Box<Problem> {
    let detail = format!("task {task} has no goal, so the gateway cannot run it");
    Problem::bad_field(&codes::TASK_WITHOUT_PLAN, "goal", detail)
        .hint("give it a `goal` and a `model`, or start a run of your own with `POST /runs`")
}

fn not_driven(run: &Run) -> Box<Problem> {
    let detail = format!("run {} is driven by its client, not by the gateway", run.id);
    Problem::with_status(StatusCode::CONFLICT, &codes::RUN_STATE, detail)
        .hint("only runs with a `goal` can be tried again")
}
