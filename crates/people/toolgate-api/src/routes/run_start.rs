//! The start of runs, each with a session to work in; and further sessions for existing runs.

use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::id::{RunId, SessionId, TaskId};
use toolgate_core::model::ModelName;
use toolgate_core::run::{Run, RunBudget, RunLabel, RunStart, Task, TaskPlan, ended};
use toolgate_core::scope::{AgentName, Credential, Mounts, Scope};
use toolgate_core::{RawJson, Refusal};
use toolgate_runs::{KeyedRun, NewRun, RunInput};
use toolgate_sessions::{NewSession, SessionView, SessionWithToken};
use utoipa::ToSchema;

use super::answer::json;
use super::definitions::{Warning, template, warnings};
use super::plan::PlanWords;
use super::run_access::{find, operates};
use super::run_files::{InputFileBody, files};
use super::run_seat::seat_in;
use super::run_view::{BudgetBody, RunView};
use super::seat::oversees;
use super::session_view::SessionDetail;
use super::template_name::TemplateName;
use super::turns::{DrivenStart, StartedDriven};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, object};

/// A new run; everything may be left out
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRunBody {
    /// The caller's own key for the run, such as the thread of a conversation. Asked for again under the same key, the same
    /// run is returned, and none is created.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200, example = "thread-7")]
    key: Option<String>,
    /// The task that it executes.
    #[serde(default)]
    task: Option<String>,
    /// The agent; by default the task's, or the caller's own.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "writer")]
    agent: Option<AgentName>,
    /// The parent run: the new run gets no more than the parent has left, and ends with it.
    #[serde(default)]
    parent: Option<String>,
    /// The principal that works in it; only operators and admins may name another than themselves.
    #[serde(default)]
    principal: Option<String>,
    /// The input files.
    #[serde(default)]
    input: Vec<InputFileBody>,
    /// The budget, within that of the task.
    #[serde(default)]
    budget: Option<BudgetBody>,
    /// Mounts of its session in addition to those of its agent: servers, providers, pointers,
    /// knowledge_bases.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Object, example = json!({ "providers": ["slack"] }))]
    mounts: Mounts,
    /// Never less strict than the agent's, nor than the parent's.
    #[serde(default)]
    #[schema(value_type = Option<TemplateName>)]
    policy_template: Option<String>,
    /// The work, in words. With it, the gateway runs the agent itself, and `model` is needed.
    #[serde(default)]
    goal: Option<String>,
    /// The name of a configured model.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "sonnet")]
    model: Option<ModelName>,
    /// Instructions for the model in front of the goal.
    #[serde(default)]
    instructions: Option<String>,
    /// The JSON Schema that the result must fit.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    outcome_schema: Option<RawJson>,
}

/// A run, its session, and the session's token, which is shown only here
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StartedRun {
    run: RunView,
    session: SessionDetail,
    /// The token, which ends with the session. A run that the gateway drives gives out none.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// The MCP endpoint of the run on this gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/mcp/ses_0198f5c2a4b07c3d8e1f")]
    mcp_path: Option<String>,
    /// Rules of its agent that match no tool; only for admins, operators and auditors.
    warnings: Vec<Warning>,
}

/// A start that passed all checks.
struct RunPlan {
    key: Option<String>,
    run: NewRun,
    session: NewSession,
}

/// The time in which another request, which has just created the run, opens its session.
const SEATING_MAX: Duration = Duration::from_secs(3);
const SEATING_PAUSE: Duration = Duration::from_millis(50);

/// A run with its session; the token, if the session is new.
struct SeatedRun {
    run: Run,
    session: SessionView,
    token: Option<String>,
    status: StatusCode,
}

/// Create a run
///
/// Opens its session as well, which has the tools for runs besides those of its agent. The run starts with
/// its first call. With a `goal` and a `model`, the gateway runs the agent itself, and the run starts at once.
/// With a `key` that the caller used before, the answer is the run of that time, without a token.
#[utoipa::path(post, path = "/runs", tag = "runs", request_body = NewRunBody,
    responses((status = 200, description = "The run that the caller created under this key before", body = StartedRun),
        (status = 201, description = "The run, its session and the session's token", body = StartedRun),
        (status = 403, description = "This token may not open sessions, or not for another principal"),
        (status = 404, description = "The task, the parent or a file was not found, or is not visible to the caller; `field` says which"),
        (status = 409, description = "Runs are nested too deeply, or another run has the key"),
        (status = 410, description = "The parent has ended"),
        (status = 422, description = "The agent, a mount, the template or a path is not valid; `field` says which"),
        (status = 429, description = "The agent's limit of sessions, or the parent's limit of runs, is reached")))]
pub(crate) async fn create(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Json(body): Json<NewRunBody>,
) -> ApiResult<Response> {
    let words = body.words();
    if let Some(work) = words.read(&context, Vec::new())? {
        body.has_no_key()?;
        let StartedDriven { run, session } = Box::pin(body.drive(&context, &credential, work)).await?;
        let started = SeatedRun { run, session, token: None, status: StatusCode::CREATED };
        return Ok(told(&context, &credential, started).await);
    }
    let plan = body.plan(&context, &credential).await?;
    // No run is left without a session because its client left.
    let starting = start(context.clone(), credential.clone(), plan);
    let started = Box::pin(context.see_through(starting)).await?;
    Ok(told(&context, &credential, started).await)
}

async fn told(context: &ApiContext, credential: &Credential, started: SeatedRun) -> Response {
    let SeatedRun { run, session, token, status } = started;
    let warnings = match oversees(credential) {
        true => warnings(context, Scope::clone(&session.scope)).await,
        false => Vec::new(),
    };
    let location = format!("/runs/{}", run.id);
    let mcp_path = token.is_some().then(|| format!("/mcp/{}", session.id));
    let run = RunView::at(run, context.clock.now_ms());
    let session = SessionDetail::of(session, credential);
    let answer = json(status, &StartedRun { run, session, token, mcp_path, warnings });
    ([(LOCATION, location)], answer).into_response()
}

async fn start(context: ApiContext, credential: Credential, plan: RunPlan) -> ApiResult<SeatedRun> {
    let RunPlan { key, run, session } = plan;
    let run = match key {
        None => context.runs.create(run).await?,
        Some(key) => match context.runs.create_keyed(&key, run).await? {
            KeyedRun::Made(run) => run,
            KeyedRun::Known(run) => return known(&context, &credential, run, session).await,
        },
    };
    match seat(&context, &credential, &run.id, session).await {
        Ok(seated) => Ok(seated),
        Err(refusal) => {
            let reason = format!("session.{}", refusal.code);
            if let Err(error) = context.runs.fail(&run.id, &reason, &credential.principal.id).await {
                tracing::warn!(run = %run.id, %error, "a run that has no session could not be ended");
            }
            Err(refusal.into())
        }
    }
}

async fn seat(
    context: &ApiContext,
    credential: &Credential,
    run: &RunId,
    session: NewSession,
) -> Result<SeatedRun, Refusal> {
    let session = NewSession { run: Some(run.clone()), ..session };
    let SessionWithToken { session, token } = seat_in(context, credential, run, session).await?;
    let run = context.runs.get(run).await?;
    Ok(SeatedRun { run, session, token: Some(token), status: StatusCode::CREATED })
}

/// A run that was created before. One that has no session, because its gateway died in between, gets one.
async fn known(
    context: &ApiContext,
    credential: &Credential,
    mut run: Run,
    session: NewSession,
) -> ApiResult<SeatedRun> {
    let mut limit = context.clock.sleep(SEATING_MAX);
    loop {
        if let Some(session) = &run.session {
            let session = context.sessions.get(session, credential).await?;
            return Ok(SeatedRun { run, session, token: None, status: StatusCode::OK });
        }
        tokio::select! {
            () = context.clock.sleep(SEATING_PAUSE) => run = context.runs.get(&run.id).await?,
            () = &mut limit => break,
        }
    }
    if run.state.is_final() {
        return Err(ended(&run.id, run.state).field("key").into());
    }
    Ok(seat(context, credential, &run.id, session).await?)
}

/// Opens another session for a run: it must be the caller's, or they run the gateway, and must not have ended.
pub(super) async fn join(
    context: &ApiContext,
    credential: &Credential,
    id: &RunId,
    new: NewSession,
) -> ApiResult<SessionWithToken> {
    let run = find(context, credential, id).await.map_err(|problem| problem.with("field", "run"))?;
    if run.state.is_final() {
        return Err(ended(id, run.state).field("run").into());
    }
    let principal = operates(credential).then(|| run.principal.to_string());
    let new = NewSession {
        agent: new.agent.or(Some(run.agent)),
        policy_template: as_careful(context, run.session.as_ref(), new.policy_template).await?,
        task: new.task.or_else(|| run.task.map(|task| task.to_string())),
        principal: new.principal.or(principal),
        ..new
    };
    let (_, principal) = context.sessions.foresee(credential, &new)?;
    if principal.id != run.principal {
        let detail = format!("it is {} who works in run {id}", run.principal);
        return Err(Problem::new(&codes::NOT_ALLOWED, detail)
            .hint("leave `principal` out, or create another run")
            .with("field", "principal"));
    }
    let (context, credential, id) = (context.clone(), credential.clone(), id.clone());
    let seating = {
        let context = context.clone();
        async move { seat_in(&context, &credential, &id, new).await }
    };
    Ok(context.see_through(seating).await?)
}

/// A session within a run has at least the level of care of that run's session.
async fn as_careful(
    context: &ApiContext,
    session: Option<&SessionId>,
    wanted: Option<PolicyTemplate>,
) -> ApiResult<Option<PolicyTemplate>> {
    let Some(session) = session else { return Ok(wanted) };
    let least = context.store.get_session(session).await?.and_then(|session| session.scope.template);
    match (wanted, least) {
        (Some(wanted), Some(least)) if wanted < least => {
            let detail = format!(
                "the policy template {} is weaker than {}, which holds in the run already",
                wanted.as_str(),
                least.as_str()
            );
            Err(Problem::bad_field(&codes::TEMPLATE_TOO_WEAK, "policy_template", detail)
                .hint(format!("ask for {} or a stricter one, or for none", least.as_str())))
        }
        _ => Ok(wanted.max(least)),
    }
}

impl NewRunBody {
    /// A run that the gateway drives is not asked for again.
    fn has_no_key(&self) -> ApiResult<()> {
        match self.key {
            None => Ok(()),
            Some(_) => {
                let detail = "field `key`: a run that the gateway drives has none".to_owned();
                Err(Problem::bad_field(&codes::FIELD_INVALID, "key", detail))
            }
        }
    }

    /// The members about the work.
    fn words(&self) -> PlanWords {
        PlanWords {
            goal: self.goal.clone(),
            model: self.model.clone(),
            instructions: self.instructions.clone(),
            outcome_schema: self.outcome_schema.clone(),
            spend_per_day_micros: None,
        }
    }

    /// Starts a run that the gateway drives.
    async fn drive(
        self,
        context: &ApiContext,
        credential: &Credential,
        work: TaskPlan,
    ) -> ApiResult<StartedDriven> {
        let policy_template = template(self.policy_template.as_deref())?;
        let parent = parent(context, credential, self.parent).await?;
        let start = RunStart {
            task: self.task.map(TaskId::new),
            plan: work,
            agent: self.agent,
            budget: self.budget.map(RunBudget::from).unwrap_or_default(),
            input: files(context, credential, parent.as_ref(), self.input).await?,
            parent: parent.map(|parent| parent.id),
            within: None,
            by: credential.principal.id.clone(),
            automation: None,
            cause: None,
        };
        let asked = DrivenStart::new(start, credential.clone());
        let asked = DrivenStart { mounts: self.mounts, policy_template, principal: self.principal, ..asked };
        asked.begin(context).await
    }

    async fn plan(self, context: &ApiContext, credential: &Credential) -> ApiResult<RunPlan> {
        let wanted = template(self.policy_template.as_deref())?;
        let parent = parent(context, credential, self.parent).await?;
        let task = task(context, self.task).await?;
        let above = parent.as_ref().and_then(|parent| parent.session.as_ref());
        let session = NewSession {
            agent: self.agent.or_else(|| task.as_ref()?.agent.clone()),
            mounts: self.mounts,
            policy_template: as_careful(context, above, wanted).await?,
            task: task.as_ref().map(|task| task.id.to_string()),
            run: None,
            principal: self.principal,
            within: None,
        };
        let (agent, principal) = context.sessions.foresee(credential, &session)?;
        let run = NewRun {
            task: task.map(|task| task.id),
            agent: Some(agent.clone()),
            principal: principal.id.clone(),
            created_by: credential.principal.id.clone(),
            input: files(context, credential, parent.as_ref(), self.input).await?,
            content: RunInput::Files,
            label: RunLabel::default(),
            parent: parent.map(|parent| parent.id),
            budget: self.budget.map(RunBudget::from).unwrap_or_default(),
        };
        let principal = Some(principal.id.to_string());
        Ok(RunPlan { key: self.key, run, session: NewSession { agent: Some(agent), principal, ..session } })
    }
}

async fn parent(context: &ApiContext, credential: &Credential, id: Option<String>) -> ApiResult<Option<Run>> {
    let Some(id) = id else { return Ok(None) };
    let found = find(context, credential, &RunId::new(id)).await;
    found.map(Some).map_err(|problem| problem.with("field", "parent"))
}

async fn task(context: &ApiContext, id: Option<String>) -> ApiResult<Option<Task>> {
    let Some(id) = id else { return Ok(None) };
    let found = context.runs.task(&TaskId::new(id)).await;
    found.map(Some).map_err(|refusal| refusal.field("task").into())
}
