//! Starting the server and talking to it.

use std::time::Duration;

use capability_testkit::speak_with;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use serde_json::Value;
use tokio::process::Command;

pub(crate) const LIMIT: Duration = Duration::from_secs(60);
/// The key of the language model in tests.
pub(crate) const KEY: &str = "a-key-that-nobody-may-see";

pub(crate) struct Client(pub(crate) RunningService<RoleClient, ()>);

pub(crate) async fn start(arguments: &[&str]) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_text-analysis-mcp"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["CAPABILITY_", "TOOLGATE_", "TEXT_ANALYSIS_"].iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.args(["--workers", "1"]).args(arguments).env("TEST_LLM_KEY", KEY).kill_on_drop(true);
    Client(().serve(speak_with(command)).await.unwrap())
}

impl Client {
    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let params = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
        tokio::time::timeout(LIMIT, self.0.call_tool(params)).await.unwrap().unwrap()
    }

    pub(crate) async fn answer(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.unwrap()
    }

    /// The error of a failing call.
    pub(crate) async fn trouble(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        result.content[0].as_text().unwrap().text.clone()
    }
}

/// The texts of a field of each entry of a list.
pub(crate) fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|entry| entry[field].as_str().unwrap()).collect()
}
