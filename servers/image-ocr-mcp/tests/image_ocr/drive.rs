//! Starting the server and talking to it.

use std::path::PathBuf;
use std::time::Duration;

use capability_testkit::speak_with;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};
use tokio::process::Command;

/// Networks in a build for tests, on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

pub(crate) struct Client(pub(crate) RunningService<RoleClient, ()>);

async fn start(arguments: &[&str], path: Option<&str>) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_image-ocr-mcp"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CAPABILITY_") {
            command.env_remove(name);
        }
    }
    if let Some(path) = path {
        command.env("PATH", path);
    }
    command.args(["--workers", "1"]).args(arguments).env_remove("RUST_BACKTRACE").kill_on_drop(true);
    Client(().serve(speak_with(command)).await.unwrap())
}

/// With the weights, if available: without them the test is skipped and says so, unless `TOOLGATE_TEST_OCR`
/// requires it. The variable is the folder with the weights, or just set.
pub(crate) async fn with_weights() -> Option<Client> {
    let said = std::env::var_os("TOOLGATE_TEST_OCR").map(PathBuf::from);
    let usual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/ocr");
    let folder = said.clone().filter(|folder| folder.is_dir()).unwrap_or(usual);
    if folder.join("PP-OCRv6_rec_small.onnx").is_file() {
        return Some(start(&["--ocr-models", folder.to_str().unwrap()], None).await);
    }
    assert!(said.is_none(), "TOOLGATE_TEST_OCR is set, but there are no weights in {}", folder.display());
    eprintln!("skipped: there are no weights in {}; script/ocr-model fetches them", folder.display());
    None
}

/// On a machine that has neither weights nor Tesseract.
pub(crate) async fn without_anything() -> Client {
    let empty = tempfile::tempdir().unwrap();
    let folder = empty.path().to_str().unwrap();
    start(&["--ocr-models", folder], Some(folder)).await
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
}

/// Arguments with a picture.
pub(crate) fn picture(bytes: &[u8], more: Value) -> Value {
    let mut arguments = json!({ "image_data": base64_simd::STANDARD.encode_to_string(bytes) });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}
