//! The start of driven runs: the run, then its session, then its loop. Whatever fails on the way ends the run, so that none is left
//! without a worker; if the gateway dies on the way, the upkeep of runs does so.

use std::collections::BTreeSet;
use std::sync::Arc;

use toolgate_core::decision::PolicyTemplate;
use toolgate_core::id::RunId;
use toolgate_core::model::ModelName;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{InputFile, NewLoop, Run, RunStart, RunStarter, RunState, TaskPlan, ended};
use toolgate_core::scope::{AgentName, Credential, Mounts, Scope};
use toolgate_core::{Principal, PrincipalId, Refusal, RefusalKind, Role, codes};
use toolgate_runs::{NewRun, RunInput};
use toolgate_sessions::{NewSession, SessionView};
use toolgate_store::{ListedToken, StoreError};

use super::refused::refusal;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::routes::definitions::meant;
use crate::routes::run_seat::seat_in;

/// The reason of a run that its starter cancels.
const CANCELLED: &str = "cancelled";

/// A start, and who asks for it with which rights.
pub(crate) struct DrivenStart {
    pub(crate) start: RunStart,
    pub(crate) credential: Credential,
    /// Mounts of its session in addition to those of its agent.
    pub(crate) mounts: Mounts,
    pub(crate) policy_template: Option<PolicyTemplate>,
    /// The principal that works in it; by default the one that the credential may open sessions for.
    pub(crate) principal: Option<String>,
    /// Set if it continues another run.
    pub(crate) fork: Option<LoopFork>,
}

/// The part of another run that a run begins with.
pub(crate) struct LoopFork {
    pub(crate) run: RunId,
    /// The last turn that is kept.
    pub(crate) turn: u64,
}

pub(crate) struct StartedDriven {
    pub(crate) run: Run,
    pub(crate) session: SessionView,
}

/// A start that passed all checks.
struct DrivenPlan {
    run: NewRun,
    session: NewSession,
    work: TaskPlan,
}

impl DrivenStart {
    /// A start with the usual mounts and template.
    pub(crate) fn new(start: RunStart, credential: Credential) -> Self {
        let (mounts, policy_template, principal, fork) = (Mounts::default(), None, None, None);
        Self { start, credential, mounts, policy_template, principal, fork }
    }

    /// Starts the run, even if its client leaves meanwhile.
    pub(crate) async fn begin(self, context: &ApiContext) -> ApiResult<StartedDriven> {
        context.driven.check()?;
        let (credential, fork) = (self.credential.clone(), self.fork);
        let asked = DrivenStart { fork: None, ..self };
        let plan = asked.plan(context).await?;
        let starting = started(context.clone(), credential, plan, fork);
        context.see_through(starting).await
    }

    async fn plan(self, context: &ApiContext) -> ApiResult<DrivenPlan> {
        let label = self.start.label();
        let RunStart { task, plan, agent, budget, input, parent, within, .. } = self.start;
        known_model(context, &plan.model)?;
        let task = match task {
            Some(id) => Some(context.runs.task(&id).await.map_err(|refusal| refusal.field("task"))?),
            None => None,
        };
        let input = present(context, [plan.input.clone(), input].concat()).await?;
        let session = NewSession {
            agent: agent.or_else(|| task.as_ref()?.agent.clone()).or_else(|| outermost(within.as_deref())),
            mounts: self.mounts,
            policy_template: self.policy_template,
            task: task.as_ref().map(|task| task.id.to_string()),
            run: None,
            principal: self.principal,
            within: narrower(within, scope_of(context, parent.as_ref()).await?),
        };
        let (agent, principal) = context.sessions.foresee(&self.credential, &session)?;
        let run = NewRun {
            task: task.map(|task| task.id),
            agent: Some(agent.clone()),
            principal: principal.id.clone(),
            created_by: self.credential.principal.id,
            input,
            content: RunInput::Files,
            label,
            parent,
            budget,
        };
        let session = NewSession { agent: Some(agent), principal: Some(principal.id.to_string()), ..session };
        Ok(DrivenPlan { run, session, work: plan })
    }
}

async fn started(
    context: ApiContext,
    credential: Credential,
    plan: DrivenPlan,
    fork: Option<LoopFork>,
) -> ApiResult<StartedDriven> {
    let DrivenPlan { run, session, work } = plan;
    let run = context.runs.create_driven(run).await?;
    match lead(&context, &credential, &run.id, (session, work, fork)).await {
        Ok(session) => Ok(StartedDriven { run: context.runs.get(&run.id).await?, session }),
        Err(problem) => {
            let reason = format!("start.{}", problem.code);
            if let Err(error) = context.runs.fail(&run.id, &reason, &credential.principal.id).await {
                tracing::warn!(run = %run.id, %error, "a run that nobody drives could not be ended");
            }
            Err(problem)
        }
    }
}

/// Gives a run its session and its loop. The gateway that takes the loop up lets the run begin.
async fn lead(
    context: &ApiContext,
    credential: &Credential,
    run: &RunId,
    (session, work, fork): (NewSession, TaskPlan, Option<LoopFork>),
) -> ApiResult<SessionView> {
    let session = NewSession { run: Some(run.clone()), ..session };
    let session = seat_in(context, credential, run, session).await?.session;
    let TaskPlan { goal, model, instructions, outcome_schema, .. } = work;
    let new = NewLoop { run: run.clone(), model, system: instructions, goal, outcome_schema };
    let by = &credential.principal.id;
    let begun = match fork {
        None => context.driven.begin(new, by).await,
        Some(LoopFork { run: from, turn }) => context.driven.retry(&from, turn, new, by).await,
    };
    if let Err(refusal) = begun {
        if let Err(error) = context.sessions.close(&session.id, credential).await {
            tracing::warn!(session = %session.id, %error, "a session that no run took could not be closed");
        }
        return Err(refusal.into());
    }
    Ok(session)
}

/// Checks that a model is configured.
pub(crate) fn known_model(context: &ApiContext, name: &ModelName) -> ApiResult<()> {
    let models = context.models.models();
    let mut known = models.iter().map(|model| model.definition.name.as_str());
    if known.any(|known| known == name.as_str()) {
        return Ok(());
    }
    let known = models.iter().map(|model| model.definition.name.as_str());
    let otherwise =
        "`toolgate models list` shows those there are; `[[models]]` or `PATCH /settings/models` adds one";
    let detail = format!("there is no model {:?}", name.as_str());
    Err(Problem::bad_field(&codes::UNKNOWN_MODEL, "model", detail).hint(meant(
        name.as_str(),
        known,
        otherwise,
    )))
}

/// The files, if all of them are still there.
async fn present(context: &ApiContext, files: Vec<InputFile>) -> ApiResult<Vec<InputFile>> {
    for (place, given) in files.iter().enumerate() {
        let found = context.store.file(&given.file).await?;
        let now_ms = context.clock.now_ms();
        let is_there = found.is_some_and(|file| file.expires_at_ms.is_none_or(|end| end > now_ms));
        if !is_there {
            let detail = format!("the file {} ({:?}) is gone", given.file, given.path);
            let field = format!("input[{place}].file_id");
            return Err(Problem::bad_field(&codes::UNKNOWN_FILE, &field, detail)
                .hint("upload it again, and name the new file in the task"));
        }
    }
    Ok(files)
}

/// The agent of the session that asks for a run.
fn outermost(within: Option<&Scope>) -> Option<AgentName> {
    Some(within?.layers.first()?.agent.clone())
}

/// The part that both admit.
fn narrower(one: Option<Arc<Scope>>, other: Option<Arc<Scope>>) -> Option<Arc<Scope>> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => {
            Some(Arc::new(Scope::clone(&one).within(Scope::clone(&other))))
        }
        (one, other) => one.or(other),
    }
}

/// The scope of the run that a run belongs to.
async fn scope_of(context: &ApiContext, parent: Option<&RunId>) -> ApiResult<Option<Arc<Scope>>> {
    let Some(parent) = parent else { return Ok(None) };
    let run = context.runs.get(parent).await.map_err(|refusal| refusal.field("parent"))?;
    if run.state.is_final() {
        return Err(ended(parent, run.state).field("parent").into());
    }
    let Some(session) = &run.session else { return Ok(None) };
    Ok(context.store.get_session(session).await?.map(|session| session.scope))
}

/// The port for those who know a principal by name only.
pub(super) struct DrivenStarter(pub(super) ApiContext);

impl RunStarter for DrivenStarter {
    fn start(&self, start: RunStart) -> BoxFuture<'_, Result<RunId, Refusal>> {
        Box::pin(async move {
            let credential = credential_of(&self.0, &start).await?;
            let begun = DrivenStart::new(start, credential).begin(&self.0).await;
            begun.map(|started| started.run.id).map_err(refusal)
        })
    }

    fn cancel<'a>(&'a self, run: &'a RunId, by: &'a PrincipalId) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move { self.0.runs.cancel(run, by, CANCELLED).await.map(drop) })
    }

    fn state<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunState>, Refusal>> {
        Box::pin(async move {
            match self.0.runs.get(run).await {
                Ok(run) => Ok(Some(run.state)),
                Err(refusal) if refusal.kind == RefusalKind::NotFound => Ok(None),
                Err(refusal) => Err(refusal),
            }
        })
    }
}

/// The rights of a principal without its token: those of an agent, whatever its role, and within the view of the session that asks,
/// or else the agent that all its tokens are bound to.
async fn credential_of(context: &ApiContext, start: &RunStart) -> Result<Credential, Refusal> {
    let down = |error: StoreError| refusal(error);
    let tokens = context.store.list_tokens().await.map_err(down)?;
    let own = valid_tokens(&tokens, &start.by, context.clock.now_ms())?;
    let principal = match own.first() {
        Some(token) => Principal { role: Role::Agent, ..token.principal() },
        None => Principal::new(start.by.clone(), Role::Agent),
    };
    let agent = match start.within {
        Some(_) => None,
        None => binding(&own, wanted_agent(context, start).await?.as_ref(), &start.by)?,
    };
    Ok(Credential { agent, ..Credential::of(principal) })
}

/// The tokens by which a principal could ask itself. None for one that an identity provider or this machine vouches for; a principal
/// whose tokens have all been revoked or have expired starts nothing any more.
fn valid_tokens<'a>(
    tokens: &'a [ListedToken],
    by: &PrincipalId,
    now_ms: i64,
) -> Result<Vec<&'a ListedToken>, Refusal> {
    let is_own = |token: &&ListedToken| token.session.is_none() && token.principal().id == *by;
    let is_valid = |token: &&ListedToken| {
        token.revoked_at_ms.is_none() && token.expires_at_ms.is_none_or(|end| end > now_ms)
    };
    let (valid, gone): (Vec<_>, Vec<_>) = tokens.iter().filter(is_own).partition(is_valid);
    if valid.is_empty() && !gone.is_empty() {
        let message = format!("every token of {by} was revoked or has expired");
        return Err(Refusal::new(&codes::NOT_ALLOWED, message)
            .hint("give the principal a new token, or let another one own the automation"));
    }
    Ok(valid)
}

/// The agent that a start names, or its task.
async fn wanted_agent(context: &ApiContext, start: &RunStart) -> Result<Option<AgentName>, Refusal> {
    match (&start.agent, &start.task) {
        (Some(agent), _) => Ok(Some(agent.clone())),
        (None, Some(task)) => Ok(context.runs.task(task).await?.agent),
        (None, None) => Ok(None),
    }
}

/// The agent that a principal is bound to: none if one of its tokens is bound to none.
fn binding(
    own: &[&ListedToken],
    wanted: Option<&AgentName>,
    by: &PrincipalId,
) -> Result<Option<AgentName>, Refusal> {
    let bound: Option<BTreeSet<&AgentName>> = own.iter().map(|token| token.agent.as_ref()).collect();
    let Some(bound) = bound.filter(|bound| !bound.is_empty()) else { return Ok(None) };
    let wanted = wanted.filter(|agent| bound.contains(agent));
    match (wanted, bound.len()) {
        (Some(agent), _) => Ok(Some(agent.clone())),
        (None, 1) => Ok(bound.first().copied().cloned()),
        (None, _) => {
            let message = format!("{by} is bound to more than one agent");
            Err(Refusal::new(&codes::NOT_ALLOWED, message).field("agent").hint("name one of them"))
        }
    }
}
