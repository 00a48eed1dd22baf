//! A client that accepts everything: it accepts every form with its defaults, answers for a model, has a
//! root. It remembers its notifications, so that a test can wait for one.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated but servers may still ask for them"
)]

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::*;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext, RequestContext,
    RoleClient, RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ErrorData};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// The answer of such a client as a model.
pub const MODEL_ANSWER: &str = "This is a test response from the client";
/// The only root it has.
pub const ROOT_URI: &str = "file:///test/root";

#[derive(Clone, Default)]
pub struct ObligingClient {
    heard: Arc<HeardMethods>,
}

#[derive(Default)]
struct HeardMethods {
    methods: Mutex<Vec<&'static str>>,
    news: Notify,
}

impl ObligingClient {
    /// Waits until a notification of this method arrives; false if none does in time.
    pub async fn hears(&self, method: &str, limit: Duration) -> bool {
        let heard = async {
            loop {
                // Created before the check, so that nothing is lost between check and wait.
                let news = self.heard.news.notified();
                if self.methods().contains(&method) {
                    return;
                }
                news.await;
            }
        };
        tokio::time::timeout(limit, heard).await.is_ok()
    }

    /// Methods of all notifications so far, oldest first.
    pub fn methods(&self) -> Vec<&'static str> {
        self.heard.methods.lock().clone()
    }

    fn note(&self, method: &'static str) {
        self.heard.methods.lock().push(method);
        self.heard.news.notify_waiters();
    }

    /// Connects over streamable HTTP.
    pub async fn connect(
        self,
        url: &str,
        token: Option<&str>,
        lifecycle: ClientLifecycleMode,
    ) -> Result<RunningService<RoleClient, Self>, ClientInitializeError> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(url);
        if let Some(token) = token {
            config = config.auth_header(token);
        }
        self.serve_with_lifecycle(StreamableHttpClientTransport::from_config(config), lifecycle).await
    }
}

/// Every field that has a default, filled with it; required ones without get something of their type.
fn filled_in(schema: &Value) -> Value {
    let required = |name: &String| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
    };
    let fields = schema["properties"].as_object().into_iter().flatten();
    let value = |(name, field): (&String, &Value)| match field.get("default") {
        Some(default) => Some((name.clone(), default.clone())),
        None if required(name) || field["type"] == "boolean" => Some((name.clone(), example(field))),
        None => None,
    };
    Value::Object(fields.filter_map(value).collect())
}

fn example(field: &Value) -> Value {
    if let Some(first) = field["enum"].get(0) {
        return first.clone();
    }
    match field["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(1),
        Some("array") => json!([]),
        _ => json!("example"),
    }
}

impl ClientHandler for ObligingClient {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder()
            .enable_elicitation()
            .enable_sampling()
            .enable_roots()
            .enable_roots_list_changed()
            .build();
        ClientConfig::new(capabilities, Implementation::new("obliging-client", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let accepted = ElicitResult::new(ElicitationAction::Accept);
        let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = request else {
            return Ok(accepted);
        };
        let schema = serde_json::to_value(requested_schema).expect("a schema read from JSON turns into JSON");
        Ok(accepted.with_content(filled_in(&schema)))
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let answer = json!({
            "role": "assistant",
            "content": { "type": "text", "text": MODEL_ANSWER },
            "model": "test-model",
            "stopReason": "endTurn"
        });
        Ok(serde_json::from_value(answer).expect("the answer is well formed"))
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new(ROOT_URI).with_name("Test Root")]))
    }

    async fn on_progress(
        &self,
        _params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.note("notifications/progress");
    }

    async fn on_logging_message(
        &self,
        _params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.note("notifications/message");
    }

    async fn on_resource_updated(
        &self,
        _params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.note("notifications/resources/updated");
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.note("notifications/resources/list_changed");
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.note("notifications/tools/list_changed");
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.note("notifications/prompts/list_changed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_filled_with_their_defaults_and_what_they_require() {
        let schema = json!({
            "properties": {
                "age": { "type": "integer", "default": 30 },
                "name": { "type": "string" },
                "nick": { "type": "string" },
                "ok": { "type": "boolean" }
            },
            "required": ["name"]
        });
        assert_eq!(filled_in(&schema), json!({ "age": 30, "name": "example", "ok": true }));
    }
}
