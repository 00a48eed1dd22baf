//! `search_tools` and `describe_tools`: calls that the gateway answers itself, on the way of every other call.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_catalog::CatalogEntry;
use toolgate_core::approval::Approval;
use toolgate_core::id::{ApprovalId, CallId};
use toolgate_core::port::{BoxFuture, ServerReply};
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError};
use toolgate_discovery::{BuiltIn, DESCRIBED_MAX, SearchRequest, described};
use toolgate_pipeline::{
    CallAnswer, CallAnswerBody, CallPayload, CallRequest, Confirmer, DeliveredReply, DeliveryError, Executor,
    WaitMode,
};
use toolgate_search::{AnswerBudget, DetailLevel, tokens};

use crate::calls::tool_call;
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;

/// One question to the gateway itself.
struct ToolLookup {
    gateway: Arc<Gateway>,
    seat: Arc<Seat>,
    built_in: BuiltIn,
    arguments: RawJson,
    told: Mutex<LookupAnswer>,
}

/// An answer, and the tools that it showed.
#[derive(Default)]
struct LookupAnswer {
    data: Value,
    described: Vec<Arc<CatalogEntry>>,
    shown: Vec<Arc<CatalogEntry>>,
}

#[derive(Deserialize)]
struct SearchArguments {
    query: String,
    #[serde(default)]
    servers: Option<Vec<String>>,
    #[serde(default)]
    detail: Option<String>,
    #[serde(default)]
    budget_tokens: Option<i64>,
}

#[derive(Deserialize)]
struct DescribeArguments {
    names: Vec<String>,
}

/// Answers a question, and says the answer in the words of MCP.
pub(crate) async fn run(
    gateway: &Arc<Gateway>,
    caller: &RequestCaller,
    built_in: BuiltIn,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Result<EnvelopedReply, RpcError> {
    let (answer, data) = answer(gateway, caller, built_in, &request, cancel).await;
    match answer.body {
        CallAnswerBody::Result(result) => {
            let structured = json!({
                "status": "success", "data": data, "refs": [],
                "warnings": answer.envelope.warnings, "tool_call_id": answer.envelope.tool_call_id,
            });
            let mut result: Value = result.decode().unwrap_or_default();
            result["structuredContent"] = structured;
            Ok(EnvelopedReply::enveloped(result.into(), &answer.envelope, ServerReply::Complete))
        }
        CallAnswerBody::Refusal(refusal) => {
            Ok(ServerReply::Complete(refusal.tool_result(built_in.tool(), &answer.envelope)).into())
        }
        CallAnswerBody::Error(error) => Err(error),
        // None of these comes from a tool that never asks.
        CallAnswerBody::InputRequired { .. } | CallAnswerBody::Task(_) | CallAnswerBody::Handle(_) => {
            Err(RpcError::new(
                RpcError::INTERNAL,
                "the search needs an approval, and searches cannot ask for one",
            ))
        }
    }
}

/// Answers a question. The second part is the answer for programs.
pub(crate) async fn answer(
    gateway: &Arc<Gateway>,
    caller: &RequestCaller,
    built_in: BuiltIn,
    request: &OwnedRequest,
    cancel: &CancellationToken,
) -> (CallAnswer, Value) {
    gateway.wait_settled().await;
    let seat = caller.client.seat();
    let lookup = ToolLookup {
        gateway: gateway.clone(),
        seat: seat.clone(),
        built_in,
        arguments: request.parts.arguments.clone().unwrap_or(RawJson::EMPTY),
        told: Mutex::default(),
    };
    let call = CallRequest {
        principal: seat.principal.clone(),
        tool: built_in.tool().clone(),
        arguments: request.parts.arguments.clone(),
        context: tool_call::context(&seat, request),
    };
    let answer = gateway.pipeline.call(call, &SilentClient, &lookup, cancel).await;
    gateway.hub.metrics.tool_call(&answer.envelope);
    let told = lookup.told.into_inner();
    if matches!(answer.body, CallAnswerBody::Result(_)) {
        remember(gateway, caller, &seat, &told);
    }
    (answer, told.data)
}

/// Schemas that were shown are known, and found tools join the list of a client of the older era that wants them there.
fn remember(gateway: &Gateway, caller: &RequestCaller, seat: &Seat, told: &LookupAnswer) {
    gateway.described.note(&seat.session, &told.described);
    if let (true, Some(session)) = (seat.scope.reveal_found, &caller.session)
        && session.reveal(&told.shown)
    {
        gateway.hub.tell_tools_changed(session);
    }
}

impl Executor for ToolLookup {
    fn execute<'a>(
        &'a self,
        _call: &'a CallId,
        load: CallPayload,
    ) -> BoxFuture<'a, Result<DeliveredReply, DeliveryError>> {
        let arguments = load.arguments.unwrap_or_else(|| self.arguments.clone());
        Box::pin(async move {
            let (text, told) = match self.built_in {
                BuiltIn::Describe => self.describe(&arguments)?,
                BuiltIn::Search | BuiltIn::Call => self.search(&arguments).await?,
            };
            *self.told.lock() = told;
            Ok(ServerReply::Complete(json!({ "content": [{ "type": "text", "text": text }] }).into()).into())
        })
    }
}

impl ToolLookup {
    /// Ranking takes processor time, with an encoder a lot of it: other requests of this thread do not wait for it.
    async fn search(&self, arguments: &RawJson) -> Result<(String, LookupAnswer), RpcError> {
        let arguments: SearchArguments = decode(arguments)?;
        let (gateway, seat) = (self.gateway.clone(), self.seat.clone());
        let searching = tokio::task::spawn_blocking(move || search(&gateway, &seat, &arguments));
        searching.await.map_err(|_| RpcError::new(RpcError::INTERNAL, "the search broke off"))
    }

    fn describe(&self, arguments: &RawJson) -> Result<(String, LookupAnswer), RpcError> {
        let DescribeArguments { names } = decode(arguments)?;
        let view = self.gateway.discovery.view(&self.seat);
        let now_ms = self.gateway.pipeline.now_ms();
        let mut told = LookupAnswer::default();
        let mut lines = Vec::new();
        for name in names.iter().take(DESCRIBED_MAX) {
            match view.find(name, now_ms) {
                Some(found) => {
                    lines.push(described(&found.entry).to_string());
                    told.described.push(found.entry);
                }
                None => lines.push(unknown(&self.gateway, &view, name)),
            }
        }
        if names.len() > DESCRIBED_MAX {
            lines.push(format!(
                "{} more were not described: at most {DESCRIBED_MAX} at once",
                names.len() - DESCRIBED_MAX
            ));
        }
        if lines.is_empty() {
            lines.push("`names` is empty: name tools that search_tools has found".to_owned());
        }
        told.shown = told.described.clone();
        told.data = json!({ "tools": wire_names(&told.described) });
        let text = lines.join("\n");
        self.gateway.hub.metrics.answer_tokens(self.built_in.wire(), tokens::count(&text));
        Ok((text, told))
    }
}

fn decode<T: for<'de> Deserialize<'de>>(arguments: &RawJson) -> Result<T, RpcError> {
    arguments.decode().map_err(|error| RpcError::invalid_params(format!("the arguments: {error}")))
}

fn search(gateway: &Gateway, seat: &Seat, arguments: &SearchArguments) -> (String, LookupAnswer) {
    let view = gateway.discovery.view(seat);
    let budget = arguments.budget_tokens.map(|tokens| AnswerBudget::of(usize::try_from(tokens).unwrap_or(0)));
    let wanted = SearchRequest {
        query: &arguments.query,
        servers: arguments.servers.as_deref(),
        detail: arguments.detail.as_deref().and_then(DetailLevel::named).unwrap_or_default(),
        budget: budget.unwrap_or_default(),
    };
    let found = gateway.discovery.search(&view, &wanted);
    let mut text = found.answer.text;
    if !found.unknown_servers.is_empty() {
        text.push_str(&format!("\nThere is no server {}.", found.unknown_servers.join(", ")));
    }
    gateway.hub.metrics.answer_tokens(BuiltIn::Search.wire(), found.answer.tokens);
    let data = json!({ "tools": wire_names(&found.shown), "more": found.answer.more });
    (text, LookupAnswer { data, described: found.described, shown: found.shown })
}

fn wire_names(entries: &[Arc<CatalogEntry>]) -> Vec<&str> {
    entries.iter().map(|entry| entry.wire.as_str()).collect()
}

fn unknown(gateway: &Gateway, view: &toolgate_discovery::View, name: &str) -> String {
    let near = gateway.discovery.nearest(view, name);
    match wire_names(&near)[..] {
        [] => format!("unknown tool: {name}"),
        ref near => format!("unknown tool: {name}; did you mean {}?", near.join(", ")),
    }
}

/// Searches need no approval.
struct SilentClient;

impl Confirmer for SilentClient {
    fn can_confirm(&self) -> bool {
        false
    }

    fn confirm<'a>(
        &'a self,
        _approval: &'a ApprovalId,
        _params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async { Err(RpcError::new(RpcError::INTERNAL, "searches cannot ask for an approval")) })
    }

    fn patience(&self) -> WaitMode {
        WaitMode::NotAtAll
    }

    fn waiting(&self, _approval: &Approval, _waited: Duration) {}
}
