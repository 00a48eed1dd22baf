//! Tokens: access to the gateway. A secret is only in the answer that creates it.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::CACHE_CONTROL;
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::moment::rfc3339;
use toolgate_core::scope::AgentName;
use toolgate_core::{Principal, PrincipalKind, Role};
use toolgate_store::{ListedToken, NewTokenSpec, StoreError};
use utoipa::ToSchema;

use super::answer::json;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokensPage {
    /// Oldest first, without those of sessions.
    tokens: Vec<TokenView>,
}

/// A token, without its secret
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ListedToken)]
pub(crate) struct TokenView {
    #[schema(example = "tok_0198f5c2")]
    id: String,
    /// admin, operator, approver, auditor, agent or server.
    #[schema(value_type = String)]
    role: Role,
    /// A label to recognise it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The principal; a token without a name is its own principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// human, agent or service.
    #[schema(value_type = String)]
    kind: PrincipalKind,
    groups: Vec<String>,
    /// The agent to which it is bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    agent: Option<AgentName>,
    created_at: String,
    /// Its creator; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<String>,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// live, expired or revoked.
    #[schema(example = "live")]
    state: &'static str,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
}

/// A new token
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTokenBody {
    /// admin, operator, approver, auditor, agent or server.
    #[schema(value_type = String)]
    role: Role,
    /// A label to recognise it by.
    #[serde(default)]
    label: Option<String>,
    /// The principal, as policies and the ledger name it. For a server, its name.
    #[serde(default)]
    principal: Option<String>,
    /// human, agent or service; by default what usually holds a token of that role.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    kind: Option<PrincipalKind>,
    /// The groups of its holder, as in `@approvers` of gates.
    #[serde(default)]
    groups: Vec<String>,
    /// The agent to which it is bound: its holder sees no more than that agent does.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    agent: Option<AgentName>,
    /// The time it is valid; without end if left out.
    #[serde(default)]
    #[schema(example = 2_592_000)]
    expires_in_seconds: Option<u64>,
}

/// A new token with its secret, which is shown only here
#[derive(Serialize, ToSchema)]
pub(crate) struct NewTokenView {
    id: String,
    #[schema(value_type = String)]
    role: Role,
    /// The secret. It cannot be shown again.
    token: String,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// List tokens
#[utoipa::path(get, path = "/tokens", tag = "tokens",
    responses((status = 200, description = "All tokens, including expired and revoked ones", body = TokensPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let now_ms = context.clock.now_ms();
    let tokens = context.store.list_tokens().await?;
    let tokens = tokens.into_iter().map(|token| TokenView::of(token, now_ms)).collect();
    Ok(json(StatusCode::OK, &TokensPage { tokens }))
}

/// Create a token
///
/// Its secret is in this answer and cannot be shown again.
#[utoipa::path(post, path = "/tokens", tag = "tokens", request_body = NewTokenBody,
    responses((status = 201, description = "The token, with its secret", body = NewTokenView),
        (status = 422, description = "The token cannot be created like this")))]
pub(crate) async fn create(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Json(body): Json<NewTokenBody>,
) -> ApiResult<Response> {
    let warning = body.agent.as_ref().and_then(|agent| unknown_agent(&context, agent));
    let spec = body.spec(&principal, context.clock.now_ms());
    let expires_at = spec.expires_at_ms.map(rfc3339);
    let token = context.store.create_token(context.books.writer().stream(), spec).await.map_err(not_made)?;
    let view = NewTokenView { id: token.id, role: token.role, token: token.secret, expires_at, warning };
    Ok(([(CACHE_CONTROL, HeaderValue::from_static("no-store"))], json(StatusCode::CREATED, &view))
        .into_response())
}

/// Revoke a token
///
/// Gateways notice within a second: streams end, and sessions that it opened are closed. Revoking it again changes nothing.
#[utoipa::path(delete, path = "/tokens/{id}", tag = "tokens", params(("id" = String, Path, description = "tok_…")),
    responses((status = 204, description = "Revoked"), (status = 404, description = "Not found"),
        (status = 409, description = "It is the last admin token")))]
pub(crate) async fn revoke(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let tokens = context.store.list_tokens().await?;
    let Some(token) = tokens.iter().find(|token| token.id == id) else {
        return Err(
            Problem::not_found(format!("there is no token {id:?}")).hint("GET /tokens lists what there is")
        );
    };
    if token.revoked_at_ms.is_some() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    if is_last_admin(&tokens, token, context.clock.now_ms()) {
        let detail = "this is the last token of an admin: without it no one could create tokens here";
        return Err(Problem::new(&codes::LAST_ADMIN, detail));
    }
    context.store.revoke_token(context.books.writer().stream(), &principal.id, &token.id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn is_last_admin(tokens: &[ListedToken], token: &ListedToken, now_ms: i64) -> bool {
    let is_live_admin = |one: &ListedToken| one.role == Role::Admin && one.is_live(now_ms);
    is_live_admin(token) && tokens.iter().filter(|one| is_live_admin(one)).count() == 1
}

fn unknown_agent(context: &ApiContext, agent: &AgentName) -> Option<String> {
    let known = context.registry.definitions().agents.contains_key(agent);
    (!known).then(|| format!("there is no agent {agent} yet, so this token sees no tools until there is"))
}

fn not_made(error: StoreError) -> Box<Problem> {
    match error {
        StoreError::TokenSpec { what } => Problem::new(&codes::TOKEN_INVALID, what),
        other => other.into(),
    }
}

impl NewTokenBody {
    fn spec(self, by: &Principal, now_ms: i64) -> NewTokenSpec {
        let NewTokenBody { role, label, principal, kind, groups, agent, expires_in_seconds } = self;
        let expires_at_ms = expires_in_seconds.map(|seconds| {
            let ms = i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
            now_ms.saturating_add(ms)
        });
        let created_by = Some(by.id.clone());
        NewTokenSpec { role, label, principal, kind, groups, agent, expires_at_ms, created_by }
    }
}

impl TokenView {
    fn of(token: ListedToken, now_ms: i64) -> Self {
        Self {
            state: token.state(now_ms).as_str(),
            id: token.id,
            role: token.role,
            label: token.label,
            principal: token.principal,
            kind: token.kind,
            groups: token.groups,
            agent: token.agent,
            created_at: rfc3339(token.created_at_ms),
            created_by: token.created_by,
            last_used_at: token.used_at_ms.map(rfc3339),
            expires_at: token.expires_at_ms.map(rfc3339),
            revoked_at: token.revoked_at_ms.map(rfc3339),
        }
    }
}
