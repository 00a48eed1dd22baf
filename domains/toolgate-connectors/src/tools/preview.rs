//! `connector.preview`: the requests that a call would send, for its caller. Nothing is sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolgate_core::id::CallId;
use toolgate_core::port::{ServerError, ServerReply, ServerRequest};
use toolgate_core::{Refusal, RpcError, ServerName, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use crate::connectors::Connectors;
use crate::reach::ConnectorServer;
use crate::refusal::{of_fault, shown};

pub(super) const PREVIEW: ToolDefinition = ToolDefinition::reads(
    "connector.preview",
    "Try a call without sending it",
    "Shows the requests that a call of a connector's tool would send, every secret masked: a dry run. Nothing is sent, and nothing is checked at the provider.",
);

/// Only the gateway sends it, and never a client.
const METHOD: &str = "toolgate/preview";
/// Stands for the id of the call where a request would name it.
const SHOWN_CALL: &str = "tc_of_this_call";

#[derive(Deserialize, JsonSchema)]
pub(super) struct PreviewCallArguments {
    /// Such as connector.slack.post_message
    tool: String,
    /// Those of the call
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PreviewCallOutput {
    server: String,
    /// In their order. What a later one takes from the answer to an earlier one is ‹name›.
    requests: Vec<PreviewedRequestOutput>,
}

#[derive(Serialize, JsonSchema)]
struct PreviewedRequestOutput {
    method: String,
    /// Within the address of the connector
    path: String,
    headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<String>,
    /// The size of a body that is no text
    #[serde(skip_serializing_if = "Option::is_none")]
    body_bytes: Option<u64>,
}

/// The answer of a connector's server: one request, or several.
#[derive(Deserialize)]
struct CallPreview {
    request: CallRequest,
    #[serde(default)]
    requests: Vec<CallRequest>,
}

#[derive(Deserialize)]
struct CallRequest {
    method: String,
    #[serde(default)]
    url: String,
    path: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body_text: Option<String>,
    body_bytes: Option<u64>,
}

pub(super) async fn preview(
    connectors: Arc<Connectors>,
    context: ToolContext,
    arguments: PreviewCallArguments,
) -> Result<ToolReply<PreviewCallOutput>, Refusal> {
    let PreviewCallArguments { tool, arguments } = arguments;
    let (of, own) = connectors.tool(&context, &tool)?;
    let params = format!("\"name\":{},\"arguments\":{}", json!(own), Value::from(arguments));
    let mut request = ServerRequest::new(METHOD, params);
    request.call = Some(CallId::new(SHOWN_CALL));
    let asked = connectors.servers.request(&of.server, request, Arc::clone(&context.caller)).await;
    let CallPreview { request, requests } = answered(&of, asked)?;
    let requests = if requests.is_empty() { vec![request] } else { requests };
    let requests = requests.into_iter().map(PreviewedRequestOutput::of).collect();
    Ok(ToolReply::new(PreviewCallOutput { server: of.server.to_string(), requests }))
}

impl Connectors {
    /// The connector of a tool, and the tool's own name there. One that the session does not see is unknown.
    fn tool(&self, context: &ToolContext, tool: &str) -> Result<(ConnectorServer, String), Refusal> {
        let seen = self.seen(context).into_iter().filter(|one| context.scope().could_hold(&one.server));
        let named = seen.filter_map(|one| {
            let own = own_name(&one.server, tool)?.to_owned();
            Some((one, own))
        });
        // Of `connector.slack` and `connector.slack.sales` the one with the longer name.
        named.min_by_key(|(_, own)| own.len()).ok_or_else(|| {
            Refusal::new(&codes::UNKNOWN_TOOL, format!("there is no tool {:?} of a connector", shown(tool)))
                .hint("connector.list shows the tools of connectors")
                .field("tool")
        })
    }
}

/// The name after that of the server: as agents, policies or clients of the wire write it.
fn own_name<'a>(server: &ServerName, tool: &'a str) -> Option<&'a str> {
    let wire = server.as_str().replace('.', "__");
    let after = |server: &str, mark: &str| tool.strip_prefix(server)?.strip_prefix(mark);
    let own = after(server.as_str(), ":").or_else(|| after(server.as_str(), "."));
    own.or_else(|| after(&wire, "__")).filter(|own| !own.is_empty())
}

fn answered(of: &ConnectorServer, asked: Result<ServerReply, ServerError>) -> Result<CallPreview, Refusal> {
    let connector = &of.connector;
    let failed = |why: &str| {
        let message = format!("{connector} cannot show the request: {}", shown(why));
        Refusal::new(&codes::CONNECTOR_FAILED, message)
    };
    match asked {
        Ok(ServerReply::Complete(result) | ServerReply::Cached(result)) => {
            result.decode().map_err(|_| failed("its answer has none"))
        }
        Ok(ServerReply::InputRequired(_) | ServerReply::Task(_)) => {
            Err(failed("it answered with a question"))
        }
        Err(ServerError::Rpc(error)) if error.code == RpcError::INVALID_PARAMS => {
            Err(Refusal::new(&codes::INVALID_ARGUMENTS, error.message).field("arguments"))
        }
        Err(ServerError::Rpc(error)) => Err(failed(&error.message)),
        Err(ServerError::Fault(fault)) => Err(of_fault(connector, &fault)),
    }
}

impl PreviewedRequestOutput {
    /// Agents are not told where a connector leads: its address may have a secret in it.
    fn of(request: CallRequest) -> Self {
        let CallRequest { method, url, path, headers, body_text, body_bytes } = request;
        let path = path.unwrap_or_else(|| path_of(&url).to_owned());
        Self { method, path, headers, body_text, body_bytes }
    }
}

/// The path of an address, without the host before it and the query after it.
fn path_of(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    let path = after.find('/').map_or("/", |at| &after[at..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_as_anybody_writes_it() {
        let server = ServerName::new("connector.slack").expect("a name");
        for name in
            ["connector.slack:post_message", "connector.slack.post_message", "connector__slack__post_message"]
        {
            assert_eq!(own_name(&server, name), Some("post_message"), "{name}");
        }
        for name in ["connector.slack", "connector.slack:", "connector.slackpost", "post_message"] {
            assert_eq!(own_name(&server, name), None, "{name}");
        }
    }

    #[test]
    fn a_request_is_shown_without_the_address() {
        let request = |path: Option<&str>| CallRequest {
            method: "POST".to_owned(),
            url: "https://hooks.example/services/secret/send?a=1".to_owned(),
            path: path.map(str::to_owned),
            headers: BTreeMap::new(),
            body_text: None,
            body_bytes: Some(7),
        };
        assert_eq!(PreviewedRequestOutput::of(request(Some("/send?a=1"))).path, "/send?a=1");
        assert_eq!(PreviewedRequestOutput::of(request(None)).path, "/services/secret/send");
    }
}
