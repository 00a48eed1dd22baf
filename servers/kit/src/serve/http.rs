//! Streamable HTTP under `/mcp`, with `/healthz` and `/metrics` beside it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use http::{StatusCode, header};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::callers;
use super::entry::{self, EntryGuard};
use super::handler::Handler;
use super::server::KitServer;
use crate::home::ServerHome;
use crate::lease::{self, Lease};
use crate::metrics::GaugeLevels;
use crate::run_error::RunError;
use crate::settings::HttpSettings;

const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The time limit for answers to reach their clients once all calls have ended, and for streams to end once
/// they are cut.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);

pub(super) async fn serve(
    server: &Arc<KitServer>,
    mut place: HttpSettings,
    home: &ServerHome,
    signals: CancellationToken,
) -> Result<(), RunError> {
    let failed = |source| RunError::Listen { address: place.address, source };
    let listener = TcpListener::bind(place.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let url = place.public_url.as_ref().map_or_else(|| format!("http://{address}/mcp"), ToString::to_string);
    let door = EntryGuard::open(&place.entry, home).map_err(RunError::Entry)?;
    let gateway = place.gateway.take();
    let lease = gateway.map(|gateway| Lease::new(&server.capability, gateway, &url, door.token()));
    let lease = lease.transpose()?;
    announce(address);
    door.announce();
    let doors = ShutdownTokens::default();
    let router = router(server, &place, address, doors.cut.clone());
    let router = router.layer(middleware::from_fn_with_state(Arc::new(door), entry::check));
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, router).with_graceful_shutdown(doors.close.clone().cancelled_owned());
    tokio::select! {
        done = async { serving.await } => done.map_err(RunError::Serve),
        () = stop(server, lease, &signals, &doors) => Ok(()),
    }
}

/// The two ways to end connections.
#[derive(Default)]
struct ShutdownTokens {
    /// No new connections, and each ends after its current request.
    close: CancellationToken,
    /// All end now.
    cut: CancellationToken,
}

/// Shuts down in order: the gateway sends no more calls, no new calls are accepted, running calls finish,
/// connections close. Connections still open after a while are streams that never end by themselves; they are
/// cut.
async fn stop(server: &KitServer, lease: Option<Lease>, signals: &CancellationToken, doors: &ShutdownTokens) {
    lease::keep(lease, signals).await;
    server.drain().await;
    doors.close.cancel();
    tokio::time::sleep(CLOSE_LIMIT).await;
    doors.cut.cancel();
    tokio::time::sleep(CLOSE_LIMIT).await;
}

/// Scripts and people read it; it is printed at every log level.
fn announce(address: SocketAddr) {
    eprintln!("listening on http://{address}/mcp");
}

fn router(
    server: &Arc<KitServer>,
    place: &HttpSettings,
    address: SocketAddr,
    cut: CancellationToken,
) -> Router {
    let handler = Handler(Arc::clone(server));
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_hosts(hosts(place, address))
        .with_allowed_origins(ORIGINS)
        .with_max_request_body_bytes(server.limits.read_bytes())
        .with_cancellation_token(cut);
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(sessions(server)), config);
    Router::new()
        .nest_service("/mcp", mcp)
        .layer(middleware::from_fn_with_state(Arc::clone(server), callers::overhear))
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .with_state(Arc::clone(server))
}

/// Idle sessions are ended; a long call must not look idle.
fn sessions(server: &KitServer) -> LocalSessionManager {
    let longest = server.capability.tools().iter().filter_map(crate::tool::Tool::limit).max();
    let longest = longest.unwrap_or_default().max(server.limits.time);
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(SessionConfig::DEFAULT_KEEP_ALIVE + longest);
    manager
}

/// Host names the server accepts, so that a page in a browser cannot reach it under a name of its choosing.
fn hosts(place: &HttpSettings, address: SocketAddr) -> Vec<String> {
    let mut hosts: Vec<String> = LOOPBACK.map(str::to_owned).into();
    hosts.push(address.ip().to_string());
    hosts.extend(place.public_url.as_ref().and_then(|url| url.host_str()).map(str::to_owned));
    hosts.extend(place.hosts.iter().cloned());
    hosts
}

async fn health(State(server): State<Arc<KitServer>>) -> Response {
    if server.stopping.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    "ok\n".into_response()
}

async fn metrics(State(server): State<Arc<KitServer>>) -> Response {
    const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let levels =
        GaugeLevels { waiting: server.pool.waiting(), ref_bytes: server.refs.size().unwrap_or_default() };
    match server.metrics.render(&levels) {
        Ok(text) => ([(header::CONTENT_TYPE, TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
