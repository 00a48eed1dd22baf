//! Tasks: definitions of work, which runs are executions of.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::id::TaskId;
use toolgate_core::model::ModelName;
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{RunBudget, Task, TaskPlan};
use toolgate_core::scope::{AgentName, Credential};
use toolgate_core::{Principal, RawJson, Refusal, RefusalKind};
use toolgate_runs::NewTask;
use toolgate_store::{RUN_PAGE_MAX, StoredTaskVersion};
use toolgate_tasks::TaskSchedule;
use utoipa::ToSchema;

use super::answer::json;
use super::automations::check_principal;
use super::definitions::meant;
use super::plan::PlanWords;
use super::run_files::{InputFileBody, files};
use super::run_view::{BudgetBody, InputFileView};
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
    /// The work, in words. With it, `POST /tasks/{id}/runs` lets the gateway run the agent, and `model` is needed.
    #[serde(default)]
    goal: Option<String>,
    /// The name of a configured model.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "sonnet")]
    model: Option<ModelName>,
    /// Instructions for the model in front of the goal.
    #[serde(default)]
    instructions: Option<String>,
    /// Files of the caller that every run of it gets.
    #[serde(default)]
    input: Vec<InputFileBody>,
    /// The JSON Schema that the result of a run must fit.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    outcome_schema: Option<RawJson>,
    /// The cost of a day in UTC over all its runs, in millionths of a currency unit. A run that reaches it waits for a person.
    #[serde(default)]
    spend_per_day_micros: Option<u64>,
    /// With it, `POST /tasks` makes an automation beside the task, which starts it at these instants.
    #[serde(default)]
    schedule: Option<ScheduleBody>,
}

/// The instants at which a task is started
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleBody {
    /// Five fields: minute, hour, day, month, day of the week.
    #[schema(example = "0 9 * * MON-FRI")]
    cron: String,
    /// By its IANA name; UTC by default.
    #[serde(default)]
    #[schema(example = "Europe/Berlin")]
    timezone: Option<String>,
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
    #[serde(flatten)]
    plan: PlanView,
    created_by: String,
    created_at: String,
    updated_at: String,
    /// The number of the version, from 1.
    version: u64,
}

/// The work of a task whose agent the gateway runs; absent if clients run it
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = TaskPlan)]
pub(crate) struct PlanView {
    /// The first message to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    input: Vec<InputFileView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    outcome_schema: Option<RawJson>,
    /// The cost of a day in UTC over all its runs, in millionths of a currency unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    spend_per_day_micros: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TaskVersionsPage {
    /// Newest first; the first one is in force.
    versions: Vec<TaskVersionView>,
}

/// A task as it was at one version
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskVersion)]
pub(crate) struct TaskVersionView {
    version: u64,
    name: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[schema(value_type = BudgetBody)]
    budget: RunBudget,
    #[serde(flatten)]
    plan: PlanView,
    /// The principal that made it.
    by: String,
    at: String,
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
///
/// With a `schedule`, an automation starts it, whose name is the id of the task. Its runs have the rights of the caller.
#[utoipa::path(post, path = "/tasks", tag = "runs", request_body = TaskBody,
    responses((status = 201, description = "The task", body = TaskView),
        (status = 403, description = "A token that is bound to an agent makes no schedule"),
        (status = 422, description = "The agent does not exist, a text is too long, or the schedule makes no sense; `field` says which")))]
pub(crate) async fn create(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Json(mut body): Json<TaskBody>,
) -> ApiResult<Response> {
    let (by, schedule) = (&credential.principal.id, body.schedule.take());
    let new = body.read(&context, &credential, None, None).await?;
    let task = match schedule {
        None => context.runs.put_task(new, by).await?,
        Some(schedule) => {
            check_principal(&credential, by)?;
            let ScheduleBody { cron, timezone } = schedule;
            let schedule = TaskSchedule { cron, timezone };
            context.tasks.tasks()?.create_scheduled_task(new, schedule, by).await?.0
        }
    };
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
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<TaskBody>,
) -> ApiResult<Response> {
    let (id, expected) = (TaskId::new(id), expected_version(&headers)?);
    let new = body.read(&context, &credential, Some(id.clone()), expected).await?;
    match context.runs.put_task(new, &credential.principal.id).await {
        Ok(task) => Ok(shown(StatusCode::OK, task)),
        Err(refusal) => Err(refused(&context, &id, refusal).await),
    }
}

/// List the versions of a task
#[utoipa::path(get, path = "/tasks/{id}/versions", tag = "runs", params(("id" = String, Path, description = "task_…")),
    responses((status = 200, description = "The versions", body = TaskVersionsPage),
        (status = 404, description = "Not found")))]
pub(crate) async fn versions(
    State(context): State<ApiContext>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let versions = context.runs.task_versions(&TaskId::new(id)).await?;
    let versions = versions.into_iter().map(TaskVersionView::from).collect();
    Ok(json(StatusCode::OK, &TaskVersionsPage { versions }))
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
    async fn read(
        self,
        context: &ApiContext,
        credential: &Credential,
        id: Option<TaskId>,
        if_version: Option<u64>,
    ) -> ApiResult<NewTask> {
        if let Some(agent) = &self.agent {
            known_agent(context, agent)?;
        }
        if self.schedule.is_some() {
            let detail =
                "field `schedule`: only a new task has one; its automation is changed at /automations";
            return Err(Problem::bad_field(&codes::FIELD_MISPLACED, "schedule", detail));
        }
        let budget = self.budget.map(RunBudget::from).unwrap_or_default();
        let TaskBody { name, description, agent, goal, model, instructions, input, .. } = self;
        let (outcome_schema, spend_per_day_micros) = (self.outcome_schema, self.spend_per_day_micros);
        let input = files(context, credential, None, input).await?;
        let has_files = !input.is_empty();
        let plan = PlanWords { goal, model, instructions, outcome_schema, spend_per_day_micros };
        let plan = plan.read(context, input)?;
        if plan.is_none() && has_files {
            let detail =
                "field `input`: a task without a `goal` is run by its clients, which bring their own files";
            return Err(Problem::bad_field(&codes::FIELD_MISPLACED, "input", detail));
        }
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
            plan: task.plan.map(PlanView::from).unwrap_or_default(),
            created_by: task.created_by.to_string(),
            created_at: rfc3339(task.created_at_ms),
            updated_at: rfc3339(task.updated_at_ms),
            version: task.row_version,
        }
    }
}

impl From<TaskPlan> for PlanView {
    fn from(plan: TaskPlan) -> Self {
        Self {
            goal: Some(plan.goal),
            model: Some(plan.model.to_string()),
            instructions: Some(plan.instructions).filter(|text| !text.is_empty()),
            input: plan.input.into_iter().map(InputFileView::from).collect(),
            outcome_schema: plan.outcome_schema,
            spend_per_day_micros: plan.spend_per_day_micros,
        }
    }
}

impl From<StoredTaskVersion> for TaskVersionView {
    fn from(stored: StoredTaskVersion) -> Self {
        let words = stored.words;
        Self {
            version: stored.version,
            name: words.name,
            description: words.description,
            agent: words.agent.map(|agent| agent.to_string()),
            budget: words.budget,
            plan: words.plan.map(PlanView::from).unwrap_or_default(),
            by: stored.by.to_string(),
            at: rfc3339(stored.at_ms),
        }
    }
}
