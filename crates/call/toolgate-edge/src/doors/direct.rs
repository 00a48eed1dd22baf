//! Calls that come from within the gateway's own walls: REST, and whatever else is not a client of MCP.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_catalog::Missing;
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError, Tool};
use toolgate_pipeline::{Answer, Labels, Patience};
use toolgate_wire::Version;
use toolgate_wire::object::push_member;

use crate::calls::find::{self, Found};
use crate::calls::tool_call::{SchemaNote, ToolCall, Whole};
use crate::clients::caller::RequestCaller;
use crate::clients::client::Client;
use crate::gateway::Gateway;
use crate::messages::parts::{Meta, OwnedRequest, TRACE_KEY};
use crate::messages::text::quoted;

/// A call by name.
#[derive(Clone, Debug)]
pub struct DirectCall {
    pub seat: Arc<Seat>,
    /// Canonical or wire name.
    pub name: String,
    pub arguments: RawJson,
    /// What the caller says that the call belongs to.
    pub labels: Labels,
    /// W3C `traceparent`.
    pub trace: Option<Arc<str>>,
    pub patience: Patience,
}

/// Why a call did not come as far as the pipeline.
#[derive(Clone, Debug)]
pub enum NotCalled {
    Missing(Missing),
    Refused(RpcError),
    /// The gateway is ending.
    Ended,
}

impl Gateway {
    /// Calls a tool through the pipeline, if there is one of that name. A call that was sent goes on to its end even if the future
    /// is dropped; one that waits for people is not sent then, unless policy lets it.
    pub async fn call_tool(self: &Arc<Self>, call: DirectCall) -> Result<(Arc<Tool>, Answer), NotCalled> {
        let Found { entry, warning, barred } = match find::tool(self, &call.seat, &call.name).await {
            Ok(found) => found,
            Err(missing) => {
                find::record_nowhere(self, &call.seat, &call.name, &missing).await;
                return Err(NotCalled::Missing(missing));
            }
        };
        let mut request = OwnedRequest::of_tool_call(&call.name, &call.arguments);
        request.parts.meta = meta_of(call.labels, call.trace);
        let client = Client::new(call.seat, Version::LATEST_MODERN, RawJson::EMPTY);
        let caller = Arc::new(RequestCaller::quiet(client, self.limits.input_wait));
        // Whoever asked is there for as long as this future is.
        let _presence = Presence(caller.clone());
        let tool_call = ToolCall {
            gateway: self.clone(),
            caller,
            entry,
            request: Arc::new(request),
            patience: call.patience,
            warnings: warning.into_iter().collect(),
            barred,
            note: SchemaNote::Never,
            whole: Whole::ForClient,
        };
        if tool_call.barred.is_some() {
            tool_call.record_attempt().await;
            return Err(NotCalled::Missing(Missing::Unknown));
        }
        let tool = tool_call.tool().clone();
        let cancel = CancellationToken::new();
        let running = self.calls.spawn(async move { tool_call.govern(&cancel).await });
        let answer = running.await.map_err(|_| NotCalled::Ended)?.map_err(NotCalled::Refused)?;
        Ok((tool, answer))
    }
}

/// Says that nobody waits for the answer any more once it is dropped.
struct Presence(Arc<RequestCaller>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.mailbox.abandon();
    }
}

/// What MCP would have in `_meta`. The trace also goes to the server, as text.
fn meta_of(labels: Labels, trace: Option<Arc<str>>) -> Meta {
    let mut cargo = String::new();
    if let Some(trace) = &trace {
        push_member(&mut cargo, TRACE_KEY, &quoted(trace));
    }
    Meta { labels, trace, cargo, ..Meta::default() }
}
