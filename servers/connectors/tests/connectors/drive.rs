//! Starting a connector, and asking it what only gateways ask.

use std::time::Duration;

use capability_testkit::{Client, server};
use rmcp::model::{ClientRequest, CustomRequest, ServerResult};
use rmcp::service::ServiceError;
use serde_json::{Value, json};
use tokio::process::Command;

const LIMIT: Duration = Duration::from_secs(30);
const PROGRAM: &str = env!("CARGO_BIN_EXE_connectors-mcp");
pub(crate) const PASSWORD: &str = "hunter2-of-tests";

pub(crate) struct Connector {
    pub(crate) client: Client,
}

/// The program without variables of this machine.
pub(crate) fn command(arguments: &[&str]) -> Command {
    server(PROGRAM, arguments)
}

pub(crate) async fn start(arguments: &[&str], secrets: &[(&str, &str)]) -> Connector {
    let mut command = command(arguments);
    command.envs(secrets.iter().copied());
    Connector { client: Client::start(command).await }
}

impl Connector {
    pub(crate) async fn answer(&self, tool: &str, arguments: Value) -> Value {
        self.client.answer(tool, arguments).await
    }

    /// Code and text of a refusal, which always has advice and never a secret.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value) -> (String, String) {
        let (code, text) = self.client.trouble(tool, arguments).await;
        assert!(text.contains("hint:"), "{text}");
        assert!(!text.contains(PASSWORD), "{text}");
        (code, text)
    }

    /// The same for a call that a gateway names.
    pub(crate) async fn named_call(
        &self,
        call: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, (String, String)> {
        let result = self.client.call_with_meta(tool, arguments, json!({ "dev.toolgate/call": call })).await;
        if result.is_error != Some(true) {
            return Ok(result.structured_content.unwrap());
        }
        let code = result.meta.unwrap()["dev.toolgate/trouble"]["code"].as_str().unwrap().to_owned();
        Err((code, result.content[0].as_text().unwrap().text.clone()))
    }

    /// A request that only gateways send.
    pub(crate) async fn privately(&self, method: &str, params: Value) -> Result<Value, String> {
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let asked = tokio::time::timeout(LIMIT, self.client.service.send_request(request)).await.unwrap();
        match asked {
            Ok(ServerResult::CustomResult(result)) => Ok(result.0),
            Ok(other) => Ok(serde_json::to_value(other).unwrap()),
            Err(ServiceError::McpError(error)) => Err(error.message.to_string()),
            Err(error) => panic!("{error}"),
        }
    }

    /// All records of a stream, by its pages, and the last page.
    pub(crate) async fn records(&self, stream: &str, cursor: Value) -> (Vec<Value>, Value) {
        const PAGES_MAX: usize = 50;
        let (mut records, mut page) = (Vec::new(), Value::Null);
        for _ in 0..PAGES_MAX {
            let params = json!({ "stream": stream, "cursor": cursor, "page": page });
            let answer = self.privately("toolgate/stream", params).await.unwrap();
            records.extend(answer["records"].as_array().unwrap().iter().cloned());
            assert_eq!(answer["done"] == true, answer.get("next_page").is_none(), "{answer}");
            if answer["done"] == true {
                return (records, answer);
            }
            page = answer["next_page"].clone();
        }
        panic!("the stream {stream} does not end");
    }
}
