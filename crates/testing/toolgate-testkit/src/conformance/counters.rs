//! A third set of tools: a count for each caller that a gateway names, kept until the gateway says that this caller has ended.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use parking_lot::Mutex;
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};

use super::pages;
use super::settings::{Settings, versions_of};

/// The capability, and the member of `_meta` that names the caller.
const CALLER: &str = "dev.toolgate/caller";
const ENDED: &str = "notifications/dev.toolgate/caller_ended";
const NOTIFICATION_BYTES_MAX: usize = 16 << 10;

/// The counts, by run, or by session outside of runs.
#[derive(Default)]
pub(super) struct Counts(Mutex<BTreeMap<String, u64>>);

impl Counts {
    fn add(&self, caller: &Value) -> u64 {
        let key = caller["run"].as_str().or(caller["session"].as_str()).unwrap_or("nobody");
        let mut counts = self.0.lock();
        let count = counts.entry(key.to_owned()).or_default();
        *count += 1;
        *count
    }

    fn forget(&self, ended: &Value) {
        for kind in ["session", "run"] {
            if let Some(id) = ended[kind].as_str() {
                self.0.lock().remove(id);
            }
        }
    }
}

/// One handler per session, per request or per process; the counts are shared by all.
pub(super) struct CountingServer {
    settings: Settings,
    counts: Arc<Counts>,
}

impl CountingServer {
    pub(super) fn new(settings: Settings, counts: Arc<Counts>) -> Self {
        Self { settings, counts }
    }
}

impl ServerHandler for CountingServer {
    fn get_info(&self) -> ServerConfig {
        let mut offered = ServerCapabilities::builder().enable_tools().build();
        offered.experimental = Some([(CALLER.to_owned(), JsonObject::new())].into());
        ServerConfig::new(offered)
            .with_server_info(Implementation::new("counting-server", env!("CARGO_PKG_VERSION")))
            .with_instructions("Counts for each of its callers.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        versions_of(self.settings.era)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let page = pages::page(tools(), self.settings.page_size, request)?;
        Ok(ListToolsResult {
            next_cursor: page.next,
            ..ListToolsResult::with_all_items(page.items)
                .with_ttl_ms(pages::TTL_MS)
                .with_cache_scope(CacheScope::Public)
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = match request.name.as_ref() {
            "count" => {
                let caller = context.meta.get(CALLER).cloned().unwrap_or_default();
                json!({ "count": self.counts.add(&caller), "caller": caller })
            }
            "callers" => json!({ "callers": *self.counts.0.lock() }),
            unknown => return Err(ErrorData::invalid_params(format!("Unknown tool: {unknown}"), None)),
        };
        Ok(CallToolResult::structured(said).into())
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _context: NotificationContext<RoleServer>,
    ) {
        if notification.method == ENDED {
            self.counts.forget(&notification.params.unwrap_or_default());
        }
    }
}

fn tools() -> Vec<Tool> {
    let tool = |name: &'static str, description: &'static str| {
        let schema = json!({ "type": "object", "properties": {} });
        let schema: JsonObject = schema.as_object().expect("it was made as an object").clone();
        let annotations = ToolAnnotations::new().read_only(true).open_world(false);
        Tool::new(name, description, Arc::new(schema)).annotate(annotations)
    };
    vec![
        tool("callers", "The counts of all callers"),
        tool("count", "Adds one for its caller, and tells the sum"),
    ]
}

/// Hears notifications of the newer era, which the SDK takes and drops.
pub(super) async fn hear(State(counts): State<Arc<Counts>>, request: Request, next: Next) -> Response {
    if request.headers().get("mcp-method").is_none_or(|method| method != ENDED) {
        return next.run(request).await;
    }
    let read = Limited::new(request.into_body(), NOTIFICATION_BYTES_MAX).collect().await;
    let body = read.map(|read| read.to_bytes()).unwrap_or_default();
    match serde_json::from_slice::<Value>(&body) {
        Ok(message) => {
            counts.forget(&message["params"]);
            StatusCode::ACCEPTED.into_response()
        }
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    }
}
