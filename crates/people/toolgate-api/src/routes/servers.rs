//! Servers: the source, the health and the capacity of each.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::moment::rfc3339;
use toolgate_core::server::{Confinement, ConfinementLevel, Era, InstanceState, ServerHealth, ServerState};
use toolgate_core::{CanonicalName, Principal, Role, ServerName};
use toolgate_registry::{
    InstanceView, KnownServer, LatencyReport, OriginFinding, ServerSource, VitalsReport,
};
use toolgate_store::{ListCounts, OutdatedServer, ServerStatus};
use utoipa::ToSchema;

use super::answer::json;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;
use crate::similar::nearest;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServersPage {
    servers: Vec<ServerView>,
}

/// A server, with its health at the last check
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerView {
    name: String,
    /// file, expected (in the file, and its instances register), settings or registered.
    #[schema(value_type = String)]
    source: ServerSource,
    /// starting, healthy, degraded or disabled.
    health: &'static str,
    /// The reason why it is not healthy, or why it was disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// When its health last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// legacy or modern.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    era: Option<Era>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<&'static str>,
    restarts: u32,
    tools: usize,
    prompts: usize,
    resources: usize,
    instances: Vec<ServerInstance>,
    /// What the registry that it came from has instead of its version; absent if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    outdated: Option<OutdatedView>,
    /// When the gateway last checked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

/// Another version in the registry that a server came from, or another entry
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OutdatedView {
    /// outdated, changed, deprecated, deleted or gone.
    state: &'static str,
    /// The version that the server was added from.
    version: String,
    /// The latest version in the registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    latest: Option<String>,
    /// The same in words.
    says: String,
}

impl From<OriginFinding> for OutdatedView {
    fn from(found: OriginFinding) -> Self {
        let says = found.says();
        let OriginFinding { standing, version, latest } = found;
        Self { state: standing.as_str(), version, latest, says }
    }
}

/// An instance of a server
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerInstance {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    health: Option<ServerHealth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The rest of its lease, in seconds; absent if it needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_left: Option<f64>,
}

/// A server, with its current state
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerDetail {
    #[serde(flatten)]
    server: ServerView,
    #[serde(skip_serializing_if = "Option::is_none")]
    vitals: Option<VitalsView>,
    /// The sandbox of its process; absent if the gateway did not start it.
    #[serde(skip_serializing_if = "Option::is_none")]
    confinement: Option<ConfinementView>,
    /// Tools that it offers and that agents do not see, because their definitions cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
    /// Tools that agents call by another name than the plain one, and the tool that has the plain name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    renamed: Vec<LeftOut>,
    /// Tools with a file strategy that have no argument for it. Agents see them as the server offers them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    misfits: Vec<LeftOut>,
    /// Tools whose definitions the gateway completed so that clients can read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    completed: Vec<LeftOut>,
    /// The last lines of its standard error, oldest first. Not shown to auditors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stderr: Vec<String>,
}

/// The sandbox of a server's process
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConfinementView {
    /// confined, partly (as far as this machine allows) or off.
    #[schema(value_type = String)]
    level: ConfinementLevel,
    /// Its rights to read, write and use the network, and what this machine lacks; one
    /// sentence each.
    says: Vec<String>,
}

impl From<Confinement> for ConfinementView {
    fn from(Confinement { level, says }: Confinement) -> Self {
        Self { level, says }
    }
}

/// A tool with a problem
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LeftOut {
    /// Its canonical name.
    name: String,
    reason: String,
}

/// The reason for disabling or enabling a server
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerSwitchRequest {
    /// The ledger keeps it; while the server is disabled, callers of its tools and everyone who reads servers see it.
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VitalsView {
    /// Requests that were sent and not answered yet.
    under_way: usize,
    /// Requests that wait in the queue.
    waiting: usize,
    latency: LatencyView,
    instances: Vec<PartVitals>,
    /// The tools that were called.
    tools: Vec<PartVitals>,
}

/// An instance by its id, or a tool by its own name
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartVitals {
    name: String,
    under_way: usize,
    /// The number of seconds for which it is paused because it failed repeatedly.
    #[serde(skip_serializing_if = "Option::is_none")]
    resting_seconds: Option<f64>,
    latency: LatencyView,
}

/// The duration of calls
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LatencyView {
    count: u64,
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
    max_ms: f64,
}

/// List servers
///
/// In the order in which they take precedence for a name: file, settings, registered.
#[utoipa::path(get, path = "/servers", tag = "servers", responses((status = 200, description = "The servers", body = ServersPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let mut statuses = statuses(&context).await?;
    let outdated = context.store.read_outdated_servers().await?;
    let known = context.registry.servers().into_iter();
    let servers = known.map(|server| {
        let status = statuses.remove(&server.name);
        ServerView::of(server, status, &outdated)
    });
    Ok(json(StatusCode::OK, &ServersPage { servers: servers.collect() }))
}

/// Show a server
#[utoipa::path(get, path = "/servers/{name}", tag = "servers", params(("name" = String, Path, description = "The server's name")),
    responses((status = 200, description = "The server", body = ServerDetail), (status = 404, description = "Not found")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    let mut known = context.registry.servers();
    let found = known.iter().position(|server| server.name.as_str() == name);
    let Some(found) = found else { return Err(unknown(&name, &known)) };
    let server = known.swap_remove(found);
    let vitals = context.registry.vitals(&server.name).map(VitalsView::from);
    let confinement = context.registry.confinement(&server.name).map(ConfinementView::from);
    let status = statuses(&context).await?.remove(&server.name);
    let snapshot = context.catalog.snapshot();
    let left_out = of_server(&snapshot.left_out, &server.name);
    let renamed = of_server(&snapshot.renamed, &server.name);
    let misfits = of_server(&snapshot.misfits, &server.name);
    let completed = of_server(&snapshot.completed, &server.name);
    // A server's output may contain its secrets.
    let stderr = match principal.role {
        Role::Auditor => Vec::new(),
        _ => context.store.read_stderr(&server.name).await?,
    };
    let outdated = context.store.read_outdated_servers().await?;
    let server = ServerView::of(server, status, &outdated);
    Ok(json(
        StatusCode::OK,
        &ServerDetail { server, vitals, confinement, left_out, renamed, misfits, completed, stderr },
    ))
}

fn of_server(all: &[(CanonicalName, String)], server: &ServerName) -> Vec<LeftOut> {
    let is_of = |name: &CanonicalName| {
        name.as_str().strip_prefix(server.as_str()).is_some_and(|rest| rest.starts_with(':'))
    };
    let found = all.iter().filter(|(name, _)| is_of(name));
    found.map(|(name, reason)| LeftOut { name: name.to_string(), reason: reason.clone() }).collect()
}

/// Remove a server that registered itself
///
/// Removes its instances and tools. Servers in the configuration file or in the settings are removed there.
#[utoipa::path(delete, path = "/servers/{name}", tag = "servers", params(("name" = String, Path, description = "The server's name")),
    responses((status = 204, description = "Removed"), (status = 404, description = "Not found"),
        (status = 409, description = "It did not register itself: it is in the file or the settings")))]
pub(crate) async fn forget(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    context.registry.forget(&principal, &name).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Restart a server
///
/// Starts its process again, or connects to its address anew, at the gateway that answers. Calls in progress may finish first,
/// and new ones wait for it.
#[utoipa::path(post, path = "/servers/{name}/restart", tag = "servers", params(("name" = String, Path, description = "The server's name")),
    responses((status = 202, description = "It is being restarted"), (status = 404, description = "Not found"),
        (status = 409, description = "It is disabled")))]
pub(crate) async fn restart(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    let known = context.registry.servers();
    let found = known.iter().find(|server| server.name.as_str() == name);
    if let Some(server) = found.filter(|server| server.disabled.is_some()) {
        let detail = format!("the server {:?} is disabled", server.name);
        return Err(Problem::new(&codes::SERVER_DISABLED, detail).hint("enable it: then it starts"));
    }
    match found.is_some_and(|server| context.registry.restart(&principal, &server.name)) {
        true => Ok(StatusCode::ACCEPTED.into_response()),
        false => Err(unknown(&name, &known)),
    }
}

/// Disable a server
///
/// Works for a server of any source. Every gateway on the database ends its process or connection; its tools are neither listed nor found,
/// and a call to one of them is refused with `server_disabled`. Calls in progress may finish. The setting `disabled_servers` keeps it.
#[utoipa::path(post, path = "/servers/{name}/disable", tag = "servers", request_body = ServerSwitchRequest,
    params(("name" = String, Path, description = "The server's name")),
    responses((status = 204, description = "It is disabled"), (status = 404, description = "Not found"),
        (status = 422, description = "The reason is too long")))]
pub(crate) async fn disable(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    Json(body): Json<ServerSwitchRequest>,
) -> ApiResult<Response> {
    context.registry.disable(&principal, &name, body.reason).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Enable a server
///
/// Starts or contacts a disabled server again. Its tools are listed as they were reviewed.
#[utoipa::path(post, path = "/servers/{name}/enable", tag = "servers", request_body = ServerSwitchRequest,
    params(("name" = String, Path, description = "The server's name")),
    responses((status = 204, description = "It is enabled"), (status = 404, description = "Not found"),
        (status = 422, description = "The reason is too long")))]
pub(crate) async fn enable(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    Json(body): Json<ServerSwitchRequest>,
) -> ApiResult<Response> {
    context.registry.enable(&principal, &name, body.reason).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn statuses(context: &ApiContext) -> ApiResult<BTreeMap<ServerName, ServerStatus>> {
    let statuses = context.store.read_statuses().await?;
    Ok(statuses.into_iter().map(|status| (status.name.clone(), status)).collect())
}

fn unknown(name: &str, known: &[KnownServer]) -> Box<Problem> {
    let hint = match nearest(name, known.iter().map(|server| server.name.as_str())) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => "GET /servers lists what there is".to_owned(),
    };
    Problem::new(&codes::UNKNOWN_SERVER, format!("there is no server {name:?}")).hint(hint)
}

impl ServerView {
    /// A server that was not checked yet is starting.
    fn of(known: KnownServer, status: Option<ServerStatus>, outdated: &[OutdatedServer]) -> Self {
        let outdated = OriginFinding::among(outdated, &known.name, known.published.as_ref());
        let status = current(&known, status);
        let since = status.as_ref().map(|status| rfc3339(status.since_ms));
        let updated_at = status.as_ref().map(|status| rfc3339(status.updated_at_ms));
        let (state, counts) = match status {
            Some(status) => (status.state, status.counts),
            None => (ServerState::starting(), ListCounts::default()),
        };
        let ListCounts { tools, prompts, resources } = counts;
        Self {
            name: known.name.to_string(),
            source: known.source,
            health: health_word(&known, state.health),
            reason: known.disabled.and_then(|disabled| disabled.reason).or(state.reason),
            since,
            era: state.era,
            protocol_version: state.protocol_version,
            transport: state.transport,
            restarts: state.restarts,
            tools,
            prompts,
            resources,
            instances: instances(known.instances, state.instances),
            outdated: outdated.map(OutdatedView::from),
            updated_at,
        }
    }
}

/// Nobody checks a disabled server: what was found before says nothing of it.
pub(super) fn current(known: &KnownServer, status: Option<ServerStatus>) -> Option<ServerStatus> {
    status.filter(|_| known.disabled.is_none())
}

pub(super) fn health_word(known: &KnownServer, health: ServerHealth) -> &'static str {
    match health {
        _ if known.disabled.is_some() => "disabled",
        ServerHealth::Starting => "starting",
        ServerHealth::Healthy => "healthy",
        ServerHealth::Degraded => "degraded",
    }
}

/// The instances of the roster, with the state of each.
fn instances(known: Vec<InstanceView>, states: Vec<InstanceState>) -> Vec<ServerInstance> {
    let mut states: BTreeMap<String, InstanceState> =
        states.into_iter().map(|state| (state.id.to_string(), state)).collect();
    let with_state = known.into_iter().map(|view| {
        let state = states.remove(&view.id);
        let (health, reason) = state.map_or((None, None), |state| (Some(state.health), state.reason));
        ServerInstance {
            id: view.id,
            url: Some(view.url),
            version: view.version,
            health,
            reason,
            lease_left: view.lease_left_seconds,
        }
    });
    with_state.collect()
}

impl From<VitalsReport> for VitalsView {
    fn from(vitals: VitalsReport) -> Self {
        let instances = vitals.instances.into_iter();
        let instances =
            instances.map(|one| PartVitals::of(one.id.to_string(), one.under_way, one.resting, one.latency));
        let tools = vitals.tools.into_iter();
        let tools = tools.map(|one| PartVitals::of(one.own, one.under_way, one.resting, one.latency));
        Self {
            under_way: vitals.under_way,
            waiting: vitals.waiting,
            latency: vitals.latency.into(),
            instances: instances.collect(),
            tools: tools.collect(),
        }
    }
}

impl PartVitals {
    fn of(name: String, under_way: usize, resting: Option<Duration>, latency: LatencyReport) -> Self {
        let resting_seconds = resting.map(|resting| resting.as_secs_f64());
        Self { name, under_way, resting_seconds, latency: latency.into() }
    }
}

impl From<LatencyReport> for LatencyView {
    fn from(latency: LatencyReport) -> Self {
        let LatencyReport { count, p50_ms, p95_ms, p99_ms, max_ms } = latency;
        Self { count, p50_ms, p95_ms, p99_ms, max_ms }
    }
}
