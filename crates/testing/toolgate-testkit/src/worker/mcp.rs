//! The worker's MCP: the newer era, or the older one with sessions.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use http::{HeaderMap, StatusCode, header};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{WorkerEra, WorkerSettings};

const LOOK_EVERY: Duration = Duration::from_millis(50);
const SESSION: &str = "mcp-session-id";

struct Worker {
    settings: Arc<WorkerSettings>,
    url: String,
    listings: AtomicU64,
    sessions: Mutex<BTreeSet<String>>,
}

pub(super) fn router(settings: Arc<WorkerSettings>, url: &str) -> Router {
    let worker =
        Worker { settings, url: url.to_owned(), listings: AtomicU64::new(0), sessions: Mutex::default() };
    Router::new()
        .route("/mcp", post(message).delete(|| async { StatusCode::NO_CONTENT }))
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .with_state(Arc::new(worker))
}

async fn resource(State(worker): State<Arc<Worker>>) -> Response {
    match &worker.settings.authorization_server {
        Some(issuer) => json_body(&json!({ "resource": worker.url, "authorization_servers": [issuer] })),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn message(State(worker): State<Arc<Worker>>, headers: HeaderMap, body: Bytes) -> Response {
    if let Some(refused) = worker.refuse(&headers) {
        return refused;
    }
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if message.get("id").is_none() {
        return StatusCode::ACCEPTED.into_response();
    }
    let method = message["method"].as_str().unwrap_or_default();
    match (worker.settings.era, method) {
        (WorkerEra::Modern, "subscriptions/listen") => worker.listen(&message["id"]),
        (WorkerEra::Legacy, "initialize") => worker.initialize(&message["id"]),
        (WorkerEra::Legacy, _) if !worker.knows(&headers) => StatusCode::NOT_FOUND.into_response(),
        _ => worker.answer(method, &message, worker.bearer(&headers)).await,
    }
}

fn json_body(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

impl Worker {
    fn refuse(&self, headers: &HeaderMap) -> Option<Response> {
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let fits = match &self.settings.authorization_server {
            _ if self.settings.bearer_file.is_some() => {
                let wanted =
                    self.settings.bearer_file.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
                shown.and_then(|shown| shown.strip_prefix("Bearer ")) == wanted.as_deref().map(str::trim)
            }
            _ if !self.settings.bearer.is_empty() => self.bearer(headers).is_some(),
            Some(_) => shown.is_some_and(|shown| shown.starts_with("Bearer ")),
            None => true,
        };
        let metadata = self.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
        let challenge = format!("Bearer resource_metadata=\"{metadata}\"");
        (!fits).then(|| (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)]).into_response())
    }

    /// The index of the shown token.
    fn bearer(&self, headers: &HeaderMap) -> Option<usize> {
        let shown = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
        self.settings.bearer.iter().position(|bearer| bearer == shown)
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let id = headers.get(SESSION).and_then(|id| id.to_str().ok()).unwrap_or_default();
        self.sessions.lock().contains(id)
    }

    fn initialize(&self, id: &Value) -> Response {
        let mut sessions = self.sessions.lock();
        let session = format!("{}-{}", self.settings.instance, sessions.len() + 1);
        sessions.insert(session.clone());
        let result = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": { "listChanged": false } },
            "serverInfo": { "name": self.settings.name, "version": self.settings.version },
        });
        let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        ([(SESSION, session)], json_body(&body)).into_response()
    }

    async fn answer(&self, method: &str, message: &Value, bearer: Option<usize>) -> Response {
        let id = &message["id"];
        let result = match method {
            "server/discover" if self.settings.era == WorkerEra::Modern => self.complete(json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": { "listChanged": true } },
                "ttlMs": 0, "cacheScope": "private",
            })),
            "ping" => json!({}),
            "tools/list" => {
                self.complete(json!({ "tools": self.tools(), "ttlMs": 0, "cacheScope": "private" }))
            }
            "tools/call" => match self.call(&message["params"], bearer).await {
                Some(result) => self.complete(result),
                None => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            },
            _ => {
                let error = json!({ "code": -32601, "message": "method not found" });
                return json_body(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
        };
        json_body(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }

    fn complete(&self, mut result: Value) -> Value {
        if self.settings.era == WorkerEra::Modern {
            result["resultType"] = json!("complete");
        }
        result
    }

    fn tools(&self) -> Value {
        let mut tools = self.settings.definitions();
        if self.settings.restless {
            let time = self.listings.fetch_add(1, Ordering::SeqCst);
            for tool in tools.as_array_mut().into_iter().flatten() {
                tool["description"] = json!(format!("Listed for the {time}th time"));
            }
        }
        tools
    }

    /// Reports the instance. The arguments' `ttlMs` and `cacheScope` are repeated in the result.
    async fn call(&self, params: &Value, bearer: Option<usize>) -> Option<Value> {
        if self.settings.broken.as_ref().is_some_and(|path| path.exists()) {
            return None;
        }
        let arguments = &params["arguments"];
        self.write_down(params);
        tokio::time::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or(0))).await;
        let mut said = json!({
            "instance": self.settings.instance, "version": self.settings.version,
            "tool": params["name"], "arguments": arguments,
        });
        if let Some(bearer) = bearer {
            said["bearer"] = json!(bearer);
        }
        let content = json!([{ "type": "text", "text": said.to_string() }]);
        let mut result = json!({ "content": content, "structuredContent": said });
        for hint in ["ttlMs", "cacheScope"] {
            if let Some(value) = arguments.get(hint) {
                result[hint] = value.clone();
            }
        }
        Some(result)
    }

    fn write_down(&self, params: &Value) {
        let Some(path) = &self.settings.journal else { return };
        let line = json!({ "instance": self.settings.instance, "tool": params["name"], "arguments": params["arguments"] });
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(path);
        drop(opened.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes())));
    }

    /// Hears of changes to the file of tools until the client closes the stream.
    fn listen(&self, id: &Value) -> Response {
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
        let event = |method: &str, params: Value| {
            let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
            Ok::<_, std::convert::Infallible>(Bytes::from(format!("event: message\ndata: {message}\n\n")))
        };
        let acknowledged = event(
            "notifications/subscriptions/acknowledged",
            json!({ "notifications": { "toolsListChanged": true }, "_meta": meta }),
        );
        let changed = event("notifications/tools/list_changed", json!({ "_meta": meta }));
        let settings = self.settings.clone();
        let known = settings.edition();
        let changes = stream::unfold(known, move |known| {
            let (settings, changed) = (settings.clone(), changed.clone());
            async move {
                loop {
                    tokio::time::sleep(LOOK_EVERY).await;
                    let now = settings.edition();
                    if now != known {
                        return Some((changed, now));
                    }
                }
            }
        });
        let events = futures_util::StreamExt::chain(stream::once(async { acknowledged }), changes);
        ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
    }
}
