//! Sessions: opened, read, given other mounts, closed. `toolgate-sessions` decides the permissions.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use toolgate_core::PrincipalId;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::{AgentName, Credential, Mounts, Scope};
use toolgate_sessions::{
    NewSession, Refusal, RefusalKind, SessionQuery, SessionState, SessionView, SessionWithToken,
};
use toolgate_store::SESSIONS_PAGE_MAX;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::definitions::{template, warnings};
use super::driven_seats::end_run_of;
use super::run_start::join;
use super::seat::{agent_name, oversees};
use super::session_view::{OpenedSession, SessionDetail, SessionsPage};
use super::tag::{expected_version, tagged};
use super::template_name::TemplateName;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, limit, object, word};

const PAGE_USUAL: usize = 100;

/// A new session; everything may be left out
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSessionBody {
    /// The agent; by default the caller's own.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "writer")]
    agent: Option<AgentName>,
    /// Mounts in addition to those of its agent: servers, providers, pointers, knowledge_bases.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Object, example = json!({ "providers": ["slack"] }))]
    mounts: Mounts,
    /// Never less strict than the agent's.
    #[serde(default)]
    #[schema(value_type = Option<TemplateName>)]
    policy_template: Option<String>,
    #[serde(default)]
    task: Option<String>,
    /// A run of the caller that has not ended: the session gets the tools for runs, and by default the run's
    /// agent and task.
    #[serde(default)]
    run: Option<String>,
    /// The principal; only operators and admins may name another than themselves.
    #[serde(default)]
    principal: Option<String>,
}

/// The new mounts of a session
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MountsBody {
    /// Replaces the previous mounts, in addition to those of its agent.
    #[serde(deserialize_with = "object")]
    #[schema(value_type = Object, example = json!({ "servers": ["github"] }))]
    mounts: Mounts,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionsQuery {
    /// Only sessions of this agent
    #[serde(default)]
    agent: Option<String>,
    /// Only sessions of this principal
    #[serde(default)]
    principal: Option<String>,
    /// active, idle or closed
    #[serde(default)]
    state: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: Option<String>,
}

/// Open a session
///
/// What it sees is frozen now: its agent's rules, and the current servers. The token is shown only here and
/// ends with the session.
#[utoipa::path(post, path = "/sessions", tag = "sessions", request_body = NewSessionBody,
    responses((status = 201, description = "The session and its token", body = OpenedSession),
        (status = 403, description = "This token may not open sessions, or not for another principal"),
        (status = 404, description = "The run was not found, or is not visible to the caller"),
        (status = 410, description = "The run has ended"),
        (status = 422, description = "The agent, a mount or the template does not exist, or the template is too weak; `field` says which"),
        (status = 429, description = "The agent's limit of sessions is reached")))]
pub(crate) async fn open(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Json(body): Json<NewSessionBody>,
) -> ApiResult<Response> {
    let new = body.read()?;
    let SessionWithToken { session, token } = match new.run.clone() {
        Some(run) => join(&context, &credential, &run, new).await?,
        None => context.sessions.open(&credential, new).await?,
    };
    let warnings = match oversees(&credential) {
        true => warnings(&context, Scope::clone(&session.scope)).await,
        false => Vec::new(),
    };
    let (version, location) = (session.version, format!("/sessions/{}", session.id));
    let mcp_url = format!("/mcp/{}", session.id);
    let session = SessionDetail::of(session, &credential);
    let answer = json(StatusCode::CREATED, &OpenedSession { session, token, mcp_url, warnings });
    Ok(([(LOCATION, location)], tagged(version, answer)).into_response())
}

/// List sessions, newest first
///
/// Agents see their own.
#[utoipa::path(get, path = "/sessions", tag = "sessions", params(SessionsQuery),
    responses((status = 200, description = "A page", body = SessionsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<SessionsQuery>,
) -> ApiResult<Response> {
    let page = context.sessions.list(&credential, &query.read()?).await?;
    Ok(json(StatusCode::OK, &SessionsPage::of(page)))
}

/// Show a session
#[utoipa::path(get, path = "/sessions/{id}", tag = "sessions", params(("id" = String, Path, description = "ses_…")),
    responses((status = 200, description = "The session; `etag` is its version", body = SessionDetail),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let session = context.sessions.get(&SessionId::new(id), &credential).await?;
    Ok(shown(session, &credential))
}

/// Change the mounts of a session
#[utoipa::path(patch, path = "/sessions/{id}", tag = "sessions", request_body = MountsBody,
    params(("id" = String, Path, description = "ses_…"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read: it is changed only if it still has this version")),
    responses((status = 200, description = "The session in its new state", body = SessionDetail),
        (status = 403, description = "Only its opener and operators may change it"),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 409, description = "It is a default session, which follows its agent's definition"),
        (status = 410, description = "It is closed"),
        (status = 412, description = "It was changed in the meantime; `version` is the current one"),
        (status = 422, description = "A mount does not exist; `field` says which")))]
pub(crate) async fn change(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<MountsBody>,
) -> ApiResult<Response> {
    let (id, expected) = (SessionId::new(id), expected_version(&headers)?);
    match context.sessions.change_mounts(&id, &credential, body.mounts, expected).await {
        Ok(session) => Ok(shown(session, &credential)),
        Err(refusal) => Err(refused(&context, &credential, &id, refusal).await),
    }
}

/// Close a session
///
/// Its token is no longer valid. A run that the gateway drives in it is cancelled. Closing it again changes nothing.
#[utoipa::path(delete, path = "/sessions/{id}", tag = "sessions", params(("id" = String, Path, description = "ses_…")),
    responses((status = 200, description = "The session in its new state", body = SessionDetail),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 409, description = "It is a default session, which is never closed")))]
pub(crate) async fn close(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let session = context.sessions.close(&SessionId::new(id), &credential).await?;
    end_run_of(&context, &session, &credential.principal.id).await?;
    Ok(shown(session, &credential))
}

fn shown(session: SessionView, credential: &Credential) -> Response {
    let version = session.version;
    tagged(version, json(StatusCode::OK, &SessionDetail::of(session, credential)))
}

/// A late client learns which version to read again.
async fn refused(
    context: &ApiContext,
    credential: &Credential,
    id: &SessionId,
    refusal: Refusal,
) -> Box<Problem> {
    if refusal.kind != RefusalKind::Stale {
        return refusal.into();
    }
    let problem = Box::<Problem>::from(refusal);
    match context.sessions.get(id, credential).await {
        Ok(session) => problem.with("version", session.version),
        Err(_) => problem,
    }
}

impl NewSessionBody {
    fn read(self) -> ApiResult<NewSession> {
        Ok(NewSession {
            agent: self.agent,
            mounts: self.mounts,
            policy_template: template(self.policy_template.as_deref())?,
            task: self.task,
            run: self.run.map(RunId::new),
            principal: self.principal,
            within: None,
        })
    }
}

impl SessionsQuery {
    fn read(self) -> ApiResult<SessionQuery> {
        let words = SessionState::ALL.map(SessionState::as_str);
        Ok(SessionQuery {
            agent: self.agent.as_deref().map(|name| agent_name("agent", name)).transpose()?,
            principal: self.principal.as_deref().map(PrincipalId::new),
            state: word("state", self.state.as_deref(), &words, SessionState::parse)?,
            cursor: self.cursor,
            limit: limit(self.limit.as_deref(), PAGE_USUAL, SESSIONS_PAGE_MAX)?,
        })
    }
}
