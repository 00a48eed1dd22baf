//! Calls that come from within the gateway's own walls: REST, and whatever else is not a client of MCP.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_catalog::MissingTool;
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError, Tool};
use toolgate_pipeline::{CallAnswer, CallerLabels, WaitMode};
use toolgate_wire::ProtocolVersion;
use toolgate_wire::object::push_member;

use crate::calls::find::{self, ResolvedTool};
use crate::calls::tool_call::{ResultAudience, SchemaNote, ToolCall};
use crate::clients::caller::RequestCaller;
use crate::clients::client::Client;
use crate::gateway::Gateway;
use crate::messages::parts::{OwnedRequest, ParsedMeta, TRACE_KEY};
use crate::messages::text::quoted;

/// A call by name.
#[derive(Clone, Debug)]
pub struct DirectCall {
    pub seat: Arc<Seat>,
    /// Canonical or wire name.
    pub name: String,
    pub arguments: RawJson,
    /// The run, task and trace that the caller names.
    pub labels: CallerLabels,
    /// W3C `traceparent`.
    pub trace: Option<Arc<str>>,
    pub patience: WaitMode,
}

/// The reason why a call did not reach the pipeline.
#[derive(Clone, Debug)]
pub enum NotCalled {
    Missing(MissingTool),
    Refused(RpcError),
    /// The gateway is ending.
    Ended,
}

impl Gateway {
    /// Calls a tool through the pipeline, if there is one of that name. A call that was sent goes on to its end even if the future
    /// is dropped; one that waits for people is not sent then, unless policy lets it.
    pub async fn call_tool(self: &Arc<Self>, call: DirectCall) -> Result<(Arc<Tool>, CallAnswer), NotCalled> {
        let ResolvedTool { entry, warning, barred } = match find::tool(self, &call.seat, &call.name).await {
            Ok(found) => found,
            Err(missing) => {
                find::record_nowhere(self, &call.seat, &call.name, &missing).await;
                return Err(NotCalled::Missing(missing));
            }
        };
        let mut request = OwnedRequest::of_tool_call(&call.name, &call.arguments);
        request.parts.meta = meta_of(call.labels, call.trace);
        let client = Client::new(call.seat, ProtocolVersion::LATEST_MODERN, RawJson::EMPTY);
        let caller = Arc::new(RequestCaller::quiet(client, self.limits.input_wait));
        // The caller is there for as long as this future is.
        let _presence = CallerPresence(caller.clone());
        let tool_call = ToolCall {
            gateway: self.clone(),
            caller,
            entry,
            request: Arc::new(request),
            patience: call.patience,
            warnings: warning.into_iter().collect(),
            barred,
            note: SchemaNote::Never,
            whole: ResultAudience::ForClient,
        };
        if tool_call.barred.is_some() {
            tool_call.record_attempt().await;
            return Err(NotCalled::Missing(MissingTool::Unknown));
        }
        let tool = tool_call.tool().clone();
        let cancel = CancellationToken::new();
        let running = self.calls.spawn(async move { tool_call.govern(&cancel).await });
        let answer = running.await.map_err(|_| NotCalled::Ended)?.map_err(NotCalled::Refused)?;
        Ok((tool, answer))
    }
}

/// Says, once it is dropped, that the caller no longer waits for the answer.
struct CallerPresence(Arc<RequestCaller>);

impl Drop for CallerPresence {
    fn drop(&mut self) {
        self.0.mailbox.abandon();
    }
}

/// The members that MCP has in `_meta`. The trace also goes to the server, as text.
fn meta_of(labels: CallerLabels, trace: Option<Arc<str>>) -> ParsedMeta {
    let mut cargo = String::new();
    if let Some(trace) = &trace {
        push_member(&mut cargo, TRACE_KEY, &quoted(trace));
    }
    ParsedMeta { labels, trace, cargo, ..ParsedMeta::default() }
}
