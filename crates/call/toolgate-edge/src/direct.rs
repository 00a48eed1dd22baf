//! Calls that come from within the gateway's own walls: REST, and whatever else is not a client of MCP.

use std::sync::{Arc, Mutex, OnceLock};

use tokio_util::sync::CancellationToken;
use toolgate_catalog::Missing;
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError, Tool};
use toolgate_pipeline::{Answer, Patience};
use toolgate_wire::Version;
use toolgate_wire::object::push_member;

use crate::caller::{Client, RequestCaller};
use crate::find::{self, Found};
use crate::gateway::Gateway;
use crate::mailbox::Mailbox;
use crate::parts::OwnedRequest;
use crate::tool_call::{RUN_KEY, SchemaNote, TASK_KEY, TRACE_KEY, ToolCall, Whole};

/// A call by name.
#[derive(Clone, Debug)]
pub struct DirectCall {
    pub seat: Arc<Seat>,
    /// Canonical or wire name.
    pub name: String,
    pub arguments: RawJson,
    pub run: Option<String>,
    pub task: Option<String>,
    /// W3C `traceparent`.
    pub trace: Option<String>,
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
        let found = find::tool(self, &call.seat, &call.name).await.map_err(NotCalled::Missing)?;
        let Found { entry, warning, barred } = found;
        let mut request = OwnedRequest::of_tool_call(&call.name, &call.arguments);
        let (claims, cargo) = belongings(&call);
        request.parts.meta.claims = claims;
        request.parts.meta.cargo = cargo;
        let caller = Arc::new(RequestCaller {
            client: Arc::new(Client::new(call.seat, Version::LATEST_MODERN, RawJson::EMPTY)),
            session: None,
            progress_token: None,
            log_level: None,
            input_wait: self.limits.input_wait,
            mailbox: Mailbox::default(),
            leash: None,
            stream: OnceLock::new(),
            answered_by: Mutex::default(),
        });
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

/// What the call says that it belongs to, and its trace, where MCP would have them.
fn belongings(call: &DirectCall) -> (String, String) {
    let mut texts = (String::new(), String::new());
    let push = |text: &mut String, key: &str, value: &Option<String>| {
        if let Some(value) = value {
            push_member(text, key, &crate::era::quoted(value));
        }
    };
    push(&mut texts.0, RUN_KEY, &call.run);
    push(&mut texts.0, TASK_KEY, &call.task);
    push(&mut texts.1, TRACE_KEY, &call.trace);
    texts
}
