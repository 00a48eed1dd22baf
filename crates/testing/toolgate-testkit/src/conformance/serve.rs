//! Putting the server on a socket or on stdin and stdout.

use std::borrow::Cow;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use http::{StatusCode, header};
use rmcp::model::{
    ClientNotification, ClientRequest, DiscoverRequestMethod, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleServer, RunningService, ServerInitializeError, Service,
    ServiceExt,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::counters::{self, CountingServer, Counts};
use super::documents::{self, DocumentServer, Shelf, sink};
use super::reconnect::{CuttingSessions, RETRY};
use super::settings::{Era, Settings, ToolSet};
use super::state::{ConformanceServer, Shared};

const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// The server on a socket that is bound but not yet served.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    settings: Settings,
}

impl HttpServer {
    /// Port 0 picks a free one.
    pub async fn bind(address: SocketAddr, settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, settings })
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Serves until `stop`; open streams are closed then.
    pub async fn run(self, stop: CancellationToken) -> io::Result<()> {
        let router = router(self.settings, stop.clone());
        axum::serve(self.listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
    }
}

/// Serves one client on stdin and stdout until it closes stdin.
pub async fn serve_stdio(settings: Settings) -> io::Result<()> {
    match settings.tools {
        ToolSet::Conformance => {
            serve_lines(settings.era, ConformanceServer::new(Shared::new(settings))).await
        }
        ToolSet::Documents => serve_lines(settings.era, DocumentServer::new(settings, Arc::default())).await,
        ToolSet::Counters => serve_lines(settings.era, CountingServer::new(settings, Arc::default())).await,
    }
}

async fn serve_lines(era: Era, server: impl ServerHandler) -> io::Result<()> {
    let (input, output) = rmcp::transport::stdio();
    let transport =
        AsyncRwTransport::new_server(input, output).with_max_line_length(documents::REQUEST_BYTES_MAX);
    if era == Era::Legacy {
        return until_closed(LegacyOnly(server).serve(transport).await).await;
    }
    until_closed(server.serve(transport).await).await
}

/// A client that leaves before it said anything is no failure.
async fn until_closed<S: Service<RoleServer>>(
    started: Result<RunningService<RoleServer, S>, ServerInitializeError>,
) -> io::Result<()> {
    match started {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

fn router(settings: Settings, stop: CancellationToken) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(settings.era != Era::Modern)
        .with_json_response(true)
        .with_sse_retry(Some(RETRY))
        .with_allowed_origins(ORIGINS)
        .with_cancellation_token(stop);
    let router = match settings.tools {
        ToolSet::Conformance => conformance(settings, config),
        ToolSet::Documents => document_router(settings, config),
        ToolSet::Counters => counting_router(settings, config),
    };
    if settings.era == Era::Legacy { router.layer(middleware::from_fn(refuse_modern)) } else { router }
}

fn conformance(settings: Settings, config: StreamableHttpServerConfig) -> Router {
    let shared = Shared::new(settings);
    let sessions = Arc::new(CuttingSessions::new(Arc::clone(&shared)));
    let make = move || Ok(ConformanceServer::new(Arc::clone(&shared)));
    Router::new().nest_service("/mcp", StreamableHttpService::new(make, sessions, config))
}

fn document_router(settings: Settings, config: StreamableHttpServerConfig) -> Router {
    let shelf = Arc::<Shelf>::default();
    let make = move || Ok(DocumentServer::new(settings, Arc::clone(&shelf)));
    let config = config.with_max_request_body_bytes(documents::REQUEST_BYTES_MAX);
    let service = StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config);
    let router = Router::new().nest_service("/mcp", service);
    let router = match settings.era {
        Era::Legacy => router,
        Era::Both | Era::Modern => router.layer(middleware::from_fn(sink::short_cut)),
    };
    router.route("/copy", post(sink::copy))
}

fn counting_router(settings: Settings, config: StreamableHttpServerConfig) -> Router {
    let counts = Arc::<Counts>::default();
    let ears = middleware::from_fn_with_state(Arc::clone(&counts), counters::hear);
    let make = move || Ok(CountingServer::new(settings, Arc::clone(&counts)));
    let service = StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config);
    Router::new().nest_service("/mcp", service).layer(ears)
}

/// The answer of servers of the initialize era to an unknown version, without the JSON-RPC codes that were
/// invented later.
async fn refuse_modern(request: Request, next: Next) -> Response {
    let asked = request.headers().get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    let known = ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE);
    match asked {
        Some(asked) if !known.iter().any(|version| version.as_str() == asked) => {
            let message = format!("Bad Request: Unsupported protocol version: {asked}");
            let body =
                json!({ "jsonrpc": "2.0", "error": { "code": -32000, "message": message }, "id": null });
            let content_type = [(header::CONTENT_TYPE, "application/json")];
            (StatusCode::BAD_REQUEST, content_type, body.to_string()).into_response()
        }
        _ => next.run(request).await,
    }
}

/// Knows `server/discover` as little as the servers of its era do.
struct LegacyOnly<S>(S);

impl<S: ServerHandler> Service<RoleServer> for LegacyOnly<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        if matches!(request, ClientRequest::DiscoverRequest(_)) {
            return Err(ErrorData::method_not_found::<DiscoverRequestMethod>());
        }
        self.0.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}
