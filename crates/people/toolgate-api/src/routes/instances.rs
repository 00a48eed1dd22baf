//! Instances of servers: they register, send heartbeats, and deregister.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::Principal;
use toolgate_core::codes;
use toolgate_core::server::InstanceId;
use toolgate_core::tool::ToolExtra;
use toolgate_registry::{Lease, Registration};
use utoipa::ToSchema;

use super::answer::json;
use crate::problem::{ApiResult, Problem};
use crate::read::{expect_json, read_body, read_json};
use crate::{ApiContext, InstanceToken};

/// Room for thousands of tools with all their details.
const REGISTRATION_BYTES_MAX: usize = 1 << 20;

/// The registration of an instance of a server
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegistrationBody {
    /// The server's name, to which its token is bound.
    #[schema(example = "documents")]
    name: String,
    /// The URL at which this instance serves MCP over HTTP.
    #[schema(example = "http://10.0.0.7:8080/mcp")]
    url: String,
    /// The id of this instance, unique among those of the server.
    #[schema(example = "documents-7f9c")]
    instance_id: String,
    /// The version of the software.
    #[serde(default)]
    version: Option<String>,
    /// The requested length of the lease between heartbeats.
    #[serde(default)]
    #[schema(minimum = 5, maximum = 600)]
    lease_seconds: Option<f64>,
    /// The number of concurrent requests that this instance takes.
    #[serde(default)]
    concurrency_max: Option<usize>,
    /// The bearer token that the instance requires. The vault keeps it for this address alone, until the
    /// instance leaves.
    #[serde(default)]
    token: Option<String>,
    /// Properties of tools beyond MCP, by the server's own names: capabilities, effects, idempotent,
    /// file_strategy, files (strategy, argument, content and media_type of each), timeout_seconds,
    /// cache_seconds, aliases.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    tools: BTreeMap<String, ToolExtra>,
}

/// The lease of an instance, which heartbeats renew
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LeaseView {
    server: String,
    instance_id: String,
    lease_seconds: f64,
    /// The interval of heartbeats.
    heartbeat_seconds: f64,
}

/// Register an instance
///
/// Needs a token of role `server` whose principal is the server's name; operators may register any server.
/// Registering the same again changes nothing; the same id with other properties replaces the instance.
#[utoipa::path(post, path = "/servers/register", tag = "servers", request_body = RegistrationBody,
    responses((status = 200, description = "The lease", body = LeaseView),
        (status = 403, description = "The token belongs to another server"),
        (status = 409, description = "The name or an alias is taken"),
        (status = 413, description = "The body is larger than a mebibyte"),
        (status = 422, description = "A field is not valid; `field` says which"),
        (status = 429, description = "The limit of instances or servers is reached")))]
pub(crate) async fn register(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    request: Request,
) -> ApiResult<Response> {
    let body = read(&context, request).await?;
    let token = body.token.clone().map(|token| (token, body.url.clone()));
    let registered = context.registry.register(&principal, body.into()).await?;
    if let Some((token, url)) = token {
        // A principal that may not register the server has been refused by now.
        let instance = InstanceId::new(&registered.instance_id).expect("it has just been registered");
        let token = InstanceToken { server: registered.server.clone(), instance, url, token };
        context.secrets.keep_token(&principal, token).await?;
    }
    Ok(json(StatusCode::OK, &LeaseView::from(registered)))
}

async fn read(context: &ApiContext, request: Request) -> ApiResult<RegistrationBody> {
    expect_json(request.headers())?;
    let bytes_max = REGISTRATION_BYTES_MAX.min(context.limits.request_bytes_max);
    let body = read_body(request.into_body(), bytes_max).await.map_err(say_less)?;
    read_json(&body)
}

fn say_less(problem: Box<Problem>) -> Box<Problem> {
    if problem.code == &codes::BODY_TOO_LARGE {
        return problem.hint("say less about the tools, or let the server say it in their `_meta`");
    }
    problem
}

/// Renew a lease
#[utoipa::path(post, path = "/servers/{name}/instances/{id}/heartbeat", tag = "servers",
    params(("name" = String, Path, description = "The server's name"), ("id" = String, Path, description = "The instance's id")),
    responses((status = 200, description = "The renewed lease", body = LeaseView),
        (status = 403, description = "The token belongs to another server"),
        (status = 410, description = "The lease has ended: register again")))]
pub(crate) async fn heartbeat(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path((name, id)): Path<(String, String)>,
) -> ApiResult<Response> {
    let lease = context.registry.heartbeat(&principal, &name, &id).await?;
    Ok(json(StatusCode::OK, &LeaseView::from(lease)))
}

/// Deregister an instance
///
/// Calls in progress at the instance may finish.
#[utoipa::path(delete, path = "/servers/{name}/instances/{id}", tag = "servers",
    params(("name" = String, Path, description = "The server's name"), ("id" = String, Path, description = "The instance's id")),
    responses((status = 204, description = "Deregistered"), (status = 403, description = "The token belongs to another server"),
        (status = 410, description = "The lease has ended")))]
pub(crate) async fn leave(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path((name, id)): Path<(String, String)>,
) -> ApiResult<Response> {
    context.registry.leave(&principal, &name, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl From<RegistrationBody> for Registration {
    fn from(body: RegistrationBody) -> Self {
        let RegistrationBody {
            name,
            url,
            instance_id,
            version,
            lease_seconds,
            concurrency_max,
            tools,
            token,
        } = body;
        let wants_token = token.is_some();
        Self { name, url, instance_id, version, lease_seconds, concurrency_max, wants_token, tools }
    }
}

impl From<Lease> for LeaseView {
    fn from(lease: Lease) -> Self {
        Self {
            server: lease.server.to_string(),
            instance_id: lease.instance_id,
            lease_seconds: lease.lease_seconds,
            heartbeat_seconds: lease.heartbeat_seconds,
        }
    }
}
