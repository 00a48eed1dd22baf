//! Tasks: definitions of work, which runs are executions of.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::id::TaskId;
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{RunBudget, Task, TaskPlan};
use toolgate_core::scope::AgentName;
use toolgate_core::{Principal, Refusal, RefusalKind};
use toolgate_runs::NewTask;
use toolgate_store::RUN_PAGE_MAX;
use utoipa::ToSchema;

use super::answer::json;
use super::definitions::meant;
use super::run_view::BudgetBody;
use super::runs::RunPageQuery;
use super::tag::{expected_version, tagged};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, limit};

const PAGE_USUAL: usize = 50;

/// A new task
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskBody {
    #[schema(example = "Tailor a résumé")]
    name: String,
    #[serde(default)]
    description: String,
    /// The agent of its runs, unless the run names one.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "writer")]
    agent: Option<AgentName>,
    /// The maximum budget of its runs; what is left out is unlimited.
    #[serde(default)]
    budget: Option<BudgetBody>,
    /// The work, if the gateway runs the agent: `goal`, `model`, and optionally `instructions`, `input`, `outcome_schema`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    plan: Option<TaskPlan>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TasksPage {
    tasks: Vec<TaskView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A task: a definition of work
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Task)]
pub(crate) struct TaskView {
    #[schema(example = "task_0198f5c2a4b07c3d8e1f")]
    id: String,
    name: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[schema(value_type = BudgetBody)]
    budget: RunBudget,
    /// The work, if the gateway runs the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    plan: Option<TaskPlan>,
    created_by: String,
    created_at: String,
    updated_at: String,
    /// The number of the version, from 1.
    version: u64,
}

/// List tasks, newest first
#[utoipa::path(get, path = "/tasks", tag = "runs", params(RunPageQuery),
    responses((status = 200, description = "A page", body = TasksPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<RunPageQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, RUN_PAGE_MAX)?;
    let page = context.runs.tasks(query.cursor.as_deref(), limit).await?;
    let tasks = page.tasks.into_iter().map(TaskView::from).collect();
    Ok(json(StatusCode::OK, &TasksPage { tasks, next_cursor: page.next }))
}

/// Define a task
#[utoipa::path(post, path = "/tasks", tag = "runs", request_body = TaskBody,
    responses((status = 201, description = "The task", body = TaskView),
        (status = 422, description = "The agent does not exist, or a text is too long; `field` says which")))]
pub(crate) async fn create(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Json(body): Json<TaskBody>,
) -> ApiResult<Response> {
    let task = context.runs.put_task(body.read(&context, None, None)?, &principal.id).await?;
    let location = format!("/tasks/{}", task.id);
    Ok(([(LOCATION, location)], shown(StatusCode::CREATED, task)).into_response())
}

/// Show a task
#[utoipa::path(get, path = "/tasks/{id}", tag = "runs", params(("id" = String, Path, description = "task_…")),
    responses((status = 200, description = "The task; `etag` is its version", body = TaskView),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(id): Path<String>) -> ApiResult<Response> {
    Ok(shown(StatusCode::OK, context.runs.task(&TaskId::new(id)).await?))
}

/// Change a task
///
/// Existing runs stay as they are.
#[utoipa::path(put, path = "/tasks/{id}", tag = "runs", request_body = TaskBody,
    params(("id" = String, Path, description = "task_…"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read: it is changed only if it still has this version")),
    responses((status = 200, description = "The new task", body = TaskView),
        (status = 404, description = "Not found"),
        (status = 412, description = "It was changed in the meantime; `version` is the current one"),
        (status = 422, description = "The agent does not exist, or a text is too long; `field` says which")))]
pub(crate) async fn put(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<TaskBody>,
) -> ApiResult<Response> {
    let (id, expected) = (TaskId::new(id), expected_version(&headers)?);
    let new = body.read(&context, Some(id.clone()), expected)?;
    match context.runs.put_task(new, &principal.id).await {
        Ok(task) => Ok(shown(StatusCode::OK, task)),
        Err(refusal) => Err(refused(&context, &id, refusal).await),
    }
}

/// Remove a task
///
/// Its runs stay.
#[utoipa::path(delete, path = "/tasks/{id}", tag = "runs", params(("id" = String, Path, description = "task_…")),
    responses((status = 204, description = "Removed"), (status = 404, description = "Not found")))]
pub(crate) async fn remove(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    context.runs.delete_task(&TaskId::new(id), &principal.id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn shown(status: StatusCode, task: Task) -> Response {
    let version = task.row_version;
    tagged(version, json(status, &TaskView::from(task)))
}

/// A late client learns which version to read again.
async fn refused(context: &ApiContext, id: &TaskId, refusal: Refusal) -> Box<Problem> {
    let is_late = refusal.kind == RefusalKind::Stale;
    let problem = Box::<Problem>::from(refusal);
    match context.runs.task(id).await {
        Ok(task) if is_late => problem.with("version", task.row_version),
        _ => problem,
    }
}

impl TaskBody {
    fn read(self, context: &ApiContext, id: Option<TaskId>, if_version: Option<u64>) -> ApiResult<NewTask> {
        if let Some(agent) = &self.agent {
            known_agent(context, agent)?;
        }
        let budget = self.budget.map(RunBudget::from).unwrap_or_default();
        let TaskBody { name, description, agent, plan, .. } = self;
        Ok(NewTask { id, name, description, agent, budget, plan, if_version })
    }
}

fn known_agent(context: &ApiContext, name: &AgentName) -> ApiResult<()> {
    let definitions = context.registry.definitions();
    if definitions.agent(name).is_some() {
        return Ok(());
    }
    let known = definitions.agents.keys().map(AgentName::as_str);
    let otherwise = "agents are defined in toolgate.toml or at /agents";
    let detail = format!("there is no agent {:?}", name.as_str());
    Err(Problem::bad_field(&codes::UNKNOWN_AGENT, "agent", detail).hint(meant(
        name.as_str(),
        known,
        otherwise,
    )))
}

impl From<Task> for TaskView {
    fn from(task: Task) -> Self {
        Self {
            id: task.id.to_string(),
            name: task.name,
            description: task.description,
            agent: task.agent.map(|agent| agent.to_string()),
            budget: task.budget,
            plan: task.plan,
            created_by: task.created_by.to_string(),
            created_at: rfc3339(task.created_at_ms),
            updated_at: rfc3339(task.updated_at_ms),
            version: task.row_version,
        }
    }
}
