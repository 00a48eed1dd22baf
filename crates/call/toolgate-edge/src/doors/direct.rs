//! Calls that come from within the gateway's own walls: REST, and whatever else is not a client of MCP.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_catalog::MissingTool;
use toolgate_core::port::{CallListener, InputRounds};
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError, Tool};
use toolgate_discovery::BuiltIn;
use toolgate_pipeline::{CallAnswer, CallerLabels, WaitMode};
use toolgate_wire::ProtocolVersion;
use toolgate_wire::object::push_member;

use crate::calls::find::{self, ResolvedTool};
use crate::calls::lookup;
use crate::calls::through::{self, TargetCall};
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
    pub rounds: InputRounds,
    /// Set where the server is asked for progress.
    pub listener: Option<Arc<dyn CallListener>>,
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
    /// is dropped; one that waits for people is not sent then, unless policy lets it. Agents in runs also have the tools by which
    /// others are found and called.
    pub async fn call_tool(self: &Arc<Self>, call: DirectCall) -> Result<(Arc<Tool>, CallAnswer), NotCalled> {
        match BuiltIn::named(&call.name).filter(|_| call.seat.run.is_some()) {
            None => {
                let found = self.found(&call.seat, &call.name).await?;
                self.call_found(call, found).await
            }
            Some(BuiltIn::Call) => self.call_target(call).await,
            Some(built_in) => self.look_up(call, built_in).await,
        }
    }

    async fn found(self: &Arc<Self>, seat: &Arc<Seat>, name: &str) -> Result<ResolvedTool, NotCalled> {
        match find::tool(self, seat, name).await {
            Ok(found) => Ok(found),
            Err(missing) => {
                find::record_nowhere(self, seat, name, &missing).await;
                Err(NotCalled::Missing(missing))
            }
        }
    }

    /// The call that `call_tool` was asked to make.
    async fn call_target(self: &Arc<Self>, call: DirectCall) -> Result<(Arc<Tool>, CallAnswer), NotCalled> {
        let refused = |message: String| NotCalled::Refused(RpcError::invalid_params(message));
        let TargetCall { name, arguments, .. } = TargetCall::read(Some(&call.arguments)).map_err(refused)?;
        let found = self.found(&call.seat, &name).await?;
        if let Err(schema) = through::schema_note(self, &call.seat, &found) {
            return Err(refused(format!("{schema}\n{}", through::FITTING)));
        }
        self.call_found(DirectCall { name, arguments, ..call }, found).await
    }

    /// The answer of a tool that finds others.
    async fn look_up(
        self: &Arc<Self>,
        call: DirectCall,
        built_in: BuiltIn,
    ) -> Result<(Arc<Tool>, CallAnswer), NotCalled> {
        let (request, caller) = self.prepared(call);
        let (gateway, cancel) = (self.clone(), CancellationToken::new());
        let running = self
            .calls
            .spawn(async move { lookup::answer(&gateway, &caller, built_in, &request, &cancel).await.0 });
        let answer = running.await.map_err(|_| NotCalled::Ended)?;
        Ok((built_in.tool().clone(), answer))
    }

    /// The request of a call, and its caller, who hears of nothing but the answer; a listener hears of progress.
    fn prepared(&self, call: DirectCall) -> (OwnedRequest, RequestCaller) {
        let mut request = OwnedRequest::of_tool_call(&call.name, &call.arguments);
        request.parts.meta = meta_of(call.labels, call.trace);
        let client = match call.rounds {
            InputRounds::Closed => Client::new(call.seat, ProtocolVersion::LATEST_MODERN, RawJson::EMPTY),
            InputRounds::Open => Client::driven(call.seat),
            InputRounds::Answered(answers) => {
                request.parts.input_responses = answers.responses;
                request.parts.request_state = answers.state;
                Client::driven(call.seat)
            }
        };
        let quiet = RequestCaller::quiet(client, self.limits.input_wait);
        let caller = RequestCaller { listener: call.listener, ..quiet };
        match call.patience {
            WaitMode::NotAtAll => (request, caller.impatient()),
            WaitMode::Hold | WaitMode::Handle | WaitMode::Unbounded => (request, caller),
        }
    }

    async fn call_found(
        self: &Arc<Self>,
        call: DirectCall,
        found: ResolvedTool,
    ) -> Result<(Arc<Tool>, CallAnswer), NotCalled> {
        let ResolvedTool { entry, warning, barred } = found;
        let patience = call.patience;
        let (request, caller) = self.prepared(call);
        let caller = Arc::new(caller);
        // The caller is there for as long as this future is.
        let _presence = CallerPresence(caller.clone());
        let tool_call = ToolCall {
            gateway: self.clone(),
            caller,
            entry,
            request: Arc::new(request),
            patience,
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
        let running = self.calls.spawn(async move {
            let answer = tool_call.govern(&cancel).await;
            answer.map(|answer| tool_call.sealed(answer))
        });
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
