//! Starting the server and talking to it.

use std::time::Duration;

use capability_documents::{Document, OpenOptions, open};
use capability_testkit::speak_with;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ReadResourceRequestParams};
use rmcp::service::{RoleClient, RunningService};
use serde_json::Value;
use tokio::process::Command;

const LIMIT: Duration = Duration::from_secs(110);

pub(crate) struct Client(pub(crate) RunningService<RoleClient, ()>);

pub(crate) async fn start() -> Client {
    start_with(&["--embedded-fonts"]).await
}

pub(crate) async fn start_with(arguments: &[&str]) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_media-transform-mcp"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CAPABILITY_") || name.starts_with("MEDIA_TRANSFORM_") {
            command.env_remove(name);
        }
    }
    command.args(["--workers", "1"]).args(arguments).env_remove("RUST_BACKTRACE").kill_on_drop(true);
    Client(().serve(speak_with(command)).await.unwrap())
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

    /// The bytes behind a ref.
    pub(crate) async fn bytes(&self, answer: &Value) -> Vec<u8> {
        let id = answer["ref_id"].as_str().unwrap();
        let templates = self.0.list_all_resource_templates().await.unwrap();
        let uri = templates[0].uri_template.replace("{ref_id}", id);
        let read = self.0.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        let contents = serde_json::to_value(&read.contents[0]).unwrap();
        match contents["blob"].as_str() {
            Some(blob) => base64_simd::STANDARD.decode_to_vec(blob).unwrap(),
            None => contents["text"].as_str().unwrap().as_bytes().to_vec(),
        }
    }

    pub(crate) async fn document(&self, answer: &Value) -> Document {
        open(&self.bytes(answer).await, None, &OpenOptions::default()).unwrap()
    }

    /// The words of a document that was made.
    pub(crate) async fn words(&self, answer: &Value) -> String {
        words(&self.document(answer).await.text())
    }
}

pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}
