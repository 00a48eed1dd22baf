//! The journey on `rmcp`, in both lifecycles. The same steps as `tests/clients/python/journey.py`.
#![expect(deprecated, reason = "sampling, roots and logging are deprecated and still promised")]

use std::sync::Arc;
use std::time::Duration;

use capability_testkit::speak_with;
use parking_lot::Mutex;
use rmcp::model::*;
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, RequestContext, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ErrorData};
use serde_json::{Map, Value, json};
use toolgate_testkit::gateway::until_async;

use super::{Behind, Door, SdkEra, SdkScene, expect_everything};

const WAIT: Duration = Duration::from_secs(15);
const WATCHED: &str = "test://watched-resource";

/// The unsolicited messages.
#[derive(Default)]
struct Notes {
    asked: Vec<Value>,
    logs: Vec<Value>,
    heard: Vec<Value>,
    progress: Vec<Value>,
}

#[derive(Clone, Default)]
struct Traveller(Arc<Mutex<Notes>>);

impl Traveller {
    fn note<T>(&self, note: impl FnOnce(&mut Notes) -> T) -> T {
        note(&mut self.0.lock())
    }

    async fn hears(&self, what: Value) {
        let heard = || async { self.note(|notes| notes.heard.contains(&what)).then_some(()) };
        assert!(until_async(WAIT, heard).await.is_some(), "waited in vain for {what}");
    }
}

impl ClientHandler for Traveller {
    fn get_info(&self) -> ClientConfig {
        let capabilities =
            ClientCapabilities::builder().enable_elicitation().enable_sampling().enable_roots().build();
        ClientConfig::new(capabilities, Implementation::new("traveller", "1"))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        self.note(|notes| notes.asked.push(json!(["elicitation", message])));
        let form = json!({ "username": "ada", "email": "ada@example.org" });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(form))
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let messages = json!(request.messages);
        let content = &messages[0]["content"];
        let prompt = if content.is_array() { &content[0]["text"] } else { &content["text"] };
        self.note(|notes| notes.asked.push(json!(["sampling", prompt])));
        let content = json!({ "type": "text", "text": "The model says hello" });
        let answer = json!({ "role": "assistant", "content": content, "model": "test-model", "stopReason": "endTurn" });
        Ok(serde_json::from_value(answer).expect("the answer is well formed"))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.note(|notes| notes.asked.push(json!(["roots", null])));
        Ok(ListRootsResult::new(vec![Root::new("file:///test/root").with_name("Test Root")]))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.note(|notes| notes.progress.push(json!([params.progress, params.total])));
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.note(|notes| notes.logs.push(params.data));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.note(|notes| notes.heard.push(json!(["updated", params.uri])));
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.note(|notes| notes.heard.push(json!(["changed", "resources"])));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.note(|notes| notes.heard.push(json!(["changed", "tools"])));
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.note(|notes| notes.heard.push(json!(["changed", "prompts"])));
    }
}

struct SdkClient {
    service: RunningService<RoleClient, Traveller>,
    notes: Traveller,
    era: SdkEra,
}

impl SdkClient {
    async fn connect(scene: &SdkScene, era: SdkEra, door: Door) -> Self {
        let notes = Traveller::default();
        let lifecycle = match era {
            SdkEra::Legacy => ClientLifecycleMode::Initialize,
            SdkEra::Modern => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        };
        let service = match door {
            Door::Http | Door::Sse => {
                let config = StreamableHttpClientTransportConfig::with_uri(scene.gateway.endpoint.as_str())
                    .auth_header(scene.gateway.agent.as_str());
                let transport = StreamableHttpClientTransport::from_config(config);
                notes.clone().serve_with_lifecycle(transport, lifecycle).await.expect("the client connects")
            }
            Door::Stdio | Door::StdioAlone => {
                let words = scene.stdio(matches!(door, Door::StdioAlone));
                let mut command = tokio::process::Command::new(&words[0]);
                command.args(&words[1..]);
                let transport = speak_with(command);
                notes.clone().serve_with_lifecycle(transport, lifecycle).await.expect("the client connects")
            }
        };
        Self { service, notes, era }
    }

    async fn try_call(&self, tool: &str, arguments: Value) -> Result<Value, ServiceError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let params = CallToolRequestParams::new(format!("conf__{tool}")).with_arguments(arguments);
        Ok(json!(self.service.call_tool(params).await?))
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.try_call(tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    async fn text(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).await["content"][0]["text"].take()
    }

    async fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let result = self.service.read_resource(ReadResourceRequestParams::new(uri)).await?;
        Ok(json!(result)["contents"][0]["text"].take())
    }

    async fn lists(&self, saw: &mut Map<String, Value>) {
        let service = &self.service;
        let tools = service.list_all_tools().await.expect("tools are listed");
        let prompts = service.list_all_prompts().await.expect("prompts are listed");
        let resources = service.list_all_resources().await.expect("resources are listed");
        let templates = service.list_all_resource_templates().await.expect("templates are listed");
        saw.insert("tools".into(), tools.iter().map(|tool| tool.name.to_string()).collect());
        saw.insert("prompts".into(), prompts.iter().map(|prompt| prompt.name.clone()).collect());
        saw.insert("resources".into(), resources.iter().map(|resource| resource.uri.clone()).collect());
        saw.insert(
            "templates".into(),
            templates.iter().map(|template| template.uri_template.clone()).collect(),
        );
    }

    async fn calls(&self, saw: &mut Map<String, Value>) {
        saw.insert("echo".into(), self.text("echo", json!({ "text": "grüße" })).await);
        let structured =
            self.call("test_structured_content", json!({ "number": 21 })).await["structuredContent"].take();
        saw.insert("structured".into(), structured);
        let mixed = self.call("test_multiple_content_types", json!({})).await;
        let types =
            mixed["content"].as_array().into_iter().flatten().map(|block| block["type"].clone()).collect();
        saw.insert("mixed".into(), types);
        self.call("test_tool_with_progress", json!({})).await;
        saw.insert("progress".into(), self.notes.note(|notes| notes.progress.clone()).into());
        let failed = self.call("test_error_handling", json!({})).await;
        saw.insert(
            "failed".into(),
            json!({ "isError": failed["isError"], "text": failed["content"][0]["text"] }),
        );
        let unknown = refusal(self.try_call("no_such_tool", json!({})).await);
        saw.insert("unknown_tool".into(), json!({ "code": unknown.code, "message": unknown.message }));
    }

    async fn questions(&self, saw: &mut Map<String, Value>) {
        saw.insert(
            "elicitation".into(),
            self.text("test_elicitation", json!({ "message": "Who are you?" })).await,
        );
        saw.insert("sampling".into(), self.text("test_sampling", json!({ "prompt": "Say hello" })).await);
        saw.insert("roots".into(), self.text("test_roots", json!({})).await);
        saw.insert("asked".into(), self.notes.note(|notes| notes.asked.clone()).into());
    }

    async fn logs(&self, saw: &mut Map<String, Value>) {
        let mut params = json!({ "name": "conf__test_tool_with_logging", "arguments": {} });
        match self.era {
            SdkEra::Legacy => {
                let level = SetLevelRequestParams::new(LoggingLevel::Debug);
                self.service.set_level(level).await.expect("the level is set");
            }
            SdkEra::Modern => params["_meta"] = json!({ "io.modelcontextprotocol/logLevel": "debug" }),
        }
        let params = serde_json::from_value(params).expect("the request is well formed");
        self.service.call_tool(params).await.expect("the tool runs");
        let logs = || async { self.notes.note(|notes| (notes.logs.len() >= 3).then(|| notes.logs.clone())) };
        saw.insert("logs".into(), until_async(WAIT, logs).await.expect("three lines of log").into());
    }

    async fn reads(&self, saw: &mut Map<String, Value>) {
        saw.insert("read".into(), self.read("test://static-text").await.expect("it reads"));
        let text = self.read("test://template/123/data").await.expect("it reads");
        let data: Value = serde_json::from_str(text.as_str().unwrap_or_default()).expect("it is JSON");
        saw.insert("read_template".into(), data["id"].clone());
        saw.insert(
            "unknown_resource".into(),
            refusal(self.read("test://no-such-resource").await).code.0.into(),
        );
        let arguments = json!({ "name": "conf__test_prompt_with_arguments", "arguments": { "arg1": "one", "arg2": "two" } });
        let params = serde_json::from_value(arguments).expect("the request is well formed");
        let prompt = json!(self.service.get_prompt(params).await.expect("the prompt renders"));
        saw.insert("prompt".into(), prompt["messages"][0]["content"]["text"].clone());
        let values =
            self.service.complete_prompt_simple("conf__test_prompt_with_arguments", "arg1", "par").await;
        saw.insert("completion".into(), json!(values.expect("there are completions")));
    }

    async fn changes(&self, saw: &mut Map<String, Value>) {
        // A list that was still filling up when the client came has changed too; that is not the awaited
        // change.
        self.notes.note(|notes| notes.heard.clear());
        let listening = self.listen().await;
        self.call("test_trigger_resource_update", json!({})).await;
        self.notes.hears(json!(["updated", WATCHED])).await;
        saw.insert("read_updated".into(), self.read(WATCHED).await.expect("it reads"));
        for (kind, trigger) in [("tools", "tool"), ("prompts", "prompt"), ("resources", "resource")] {
            self.call(&format!("test_trigger_{trigger}_change"), json!({})).await;
            self.notes.hears(json!(["changed", kind])).await;
        }
        if let Some(listening) = listening {
            listening.abort();
        }
        let mut heard = self.notes.note(|notes| notes.heard.iter().map(Value::to_string).collect::<Vec<_>>());
        heard.sort();
        heard.dedup();
        let heard =
            heard.iter().map(|one| serde_json::from_str::<Value>(one).expect("it was JSON before")).collect();
        saw.insert("heard".into(), heard);
        let tools = self.service.list_all_tools().await.expect("tools are listed");
        saw.insert("changed_tools".into(), tools.iter().map(|tool| tool.name.to_string()).collect());
    }

    /// Subscribes; in the newer era that is a separate stream.
    async fn listen(&self) -> Option<tokio::task::JoinHandle<()>> {
        if self.era == SdkEra::Legacy {
            self.service.subscribe(SubscribeRequestParams::new(WATCHED)).await.expect("it is watched");
            return None;
        }
        let filter = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed()
            .resource_subscriptions([WATCHED])
            .build();
        let mut subscription = self.service.listen(filter).await.expect("the subscription is acknowledged");
        let notes = self.notes.clone();
        Some(tokio::spawn(async move {
            while let Ok(Some(notification)) = subscription.next().await {
                let note = match notification {
                    ServerNotification::ResourceUpdatedNotification(updated) => {
                        json!(["updated", updated.params.uri])
                    }
                    ServerNotification::ToolListChangedNotification(_) => json!(["changed", "tools"]),
                    ServerNotification::PromptListChangedNotification(_) => json!(["changed", "prompts"]),
                    ServerNotification::ResourceListChangedNotification(_) => json!(["changed", "resources"]),
                    _ => continue,
                };
                notes.note(|notes| notes.heard.push(note));
            }
        }))
    }

    /// Cancels a call until the server reports that it noticed.
    async fn cancel(&self, saw: &mut Map<String, Value>) {
        let noticed = || async {
            let call = self.try_call("test_cancellation", json!({}));
            drop(tokio::time::timeout(Duration::from_millis(300), call).await);
            let seen = self.text("test_cancellations_seen", json!({})).await;
            seen.as_str()?.parse::<u64>().ok().filter(|seen| *seen > 0)
        };
        saw.insert("cancelled".into(), json!(until_async(WAIT, noticed).await));
    }
}

fn refusal<T>(answer: Result<T, ServiceError>) -> ErrorData {
    match answer {
        Err(ServiceError::McpError(error)) => error,
        Err(other) => panic!("not a refusal: {other}"),
        Ok(_) => panic!("it was not refused"),
    }
}

async fn travel(era: SdkEra, door: Door, behind: Behind) {
    let scene = SdkScene::set(behind);
    let client = SdkClient::connect(&scene, era, door).await;
    let info = client.service.peer_info().expect("the gateway said who it is");
    let revision = if era == SdkEra::Modern { "2026-07-28" } else { "2025-11-25" };
    assert_eq!(info.protocol_version.as_str(), revision);
    let mut saw = Map::new();
    saw.insert("server".into(), json!(info)["serverInfo"]["name"].clone());
    client.lists(&mut saw).await;
    client.calls(&mut saw).await;
    client.questions(&mut saw).await;
    client.logs(&mut saw).await;
    client.reads(&mut saw).await;
    client.changes(&mut saw).await;
    client.cancel(&mut saw).await;
    expect_everything(&Value::Object(saw), era.not_found());
    client.service.cancel().await.expect("the client ends well");
}

#[tokio::test]
async fn rust_in_the_older_era_reaches_an_older_server() {
    travel(SdkEra::Legacy, Door::Http, Behind::Http(SdkEra::Legacy)).await;
}

#[tokio::test]
async fn rust_in_the_older_era_reaches_a_newer_child() {
    travel(SdkEra::Legacy, Door::Http, Behind::Child(SdkEra::Modern)).await;
}

#[tokio::test]
async fn rust_in_the_newer_era_reaches_an_older_child() {
    travel(SdkEra::Modern, Door::Http, Behind::Child(SdkEra::Legacy)).await;
}

#[tokio::test]
async fn rust_in_the_newer_era_reaches_a_newer_server() {
    travel(SdkEra::Modern, Door::Http, Behind::Http(SdkEra::Modern)).await;
}

#[tokio::test]
async fn rust_over_stdio_joins_the_running_gateway() {
    travel(SdkEra::Legacy, Door::Stdio, Behind::Child(SdkEra::Modern)).await;
}

#[tokio::test]
async fn rust_over_stdio_needs_no_running_gateway() {
    travel(SdkEra::Modern, Door::StdioAlone, Behind::Child(SdkEra::Legacy)).await;
}
