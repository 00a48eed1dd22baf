//! Starting the server and talking to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use capability_testkit::speak_with;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ProgressNotificationParam, ReadResourceRequestParams,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::process::Command;

const LIMIT: Duration = Duration::from_secs(60);

/// A client that remembers its notifications.
#[derive(Clone, Default)]
pub(crate) struct Ears(Arc<Mutex<Vec<ProgressNotificationParam>>>);

impl ClientHandler for Ears {
    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(told);
    }
}

pub(crate) struct Client(pub(crate) RunningService<RoleClient, Ears>);

pub(crate) async fn start() -> Client {
    start_with(&[]).await
}

pub(crate) async fn start_with(arguments: &[&str]) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_doc-parser-mcp"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CAPABILITY_") {
            command.env_remove(name);
        }
    }
    command.args(["--workers", "1"]).args(arguments).env_remove("RUST_BACKTRACE").kill_on_drop(true);
    Client(Ears::default().serve(speak_with(command)).await.unwrap())
}

impl Client {
    async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let params = CallToolRequestParams::new(tool.to_owned())
            .with_arguments(arguments.as_object().unwrap().clone());
        tokio::time::timeout(LIMIT, self.0.call_tool(params)).await.unwrap().unwrap()
    }

    pub(crate) async fn answer(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.unwrap()
    }

    /// Code and text of a failing call.
    pub(crate) async fn trouble(&self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        let code = result.meta.unwrap()["dev.toolgate/trouble"]["code"].as_str().unwrap().to_owned();
        (code, result.content[0].as_text().unwrap().text.clone())
    }

    /// The whole content of a stored item, read through the server's resource template.
    pub(crate) async fn resource(&self, id: &str) -> Value {
        let templates = self.0.list_all_resource_templates().await.unwrap();
        let uri = templates[0].uri_template.replace("{ref_id}", id);
        let read = self.0.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        serde_json::to_value(&read.contents[0]).unwrap()
    }
}

/// Arguments with a file.
pub(crate) fn file(bytes: &[u8], more: Value) -> Value {
    let mut arguments = json!({ "file_data": base64_simd::STANDARD.encode_to_string(bytes) });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}
