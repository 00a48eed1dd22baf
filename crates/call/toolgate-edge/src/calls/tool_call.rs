//! A tool call between the client that makes it and the pipeline that governs it.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::CatalogEntry;
use toolgate_core::codes;
use toolgate_core::port::ServerReply;
use toolgate_core::run::RunOwnership;
use toolgate_core::scope::Seat;
use toolgate_core::server::Era;
use toolgate_core::{PrincipalId, RawJson, RpcError, ServerName, Tool};
use toolgate_discovery::exact_schema;
use toolgate_pipeline::{CallAnswer, CallAnswerBody, CallContext, CallRequest, CallWarning, WaitMode};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{self, with_member};

use crate::calls::errand::Errand;
use crate::calls::find::{self, ResolvedTool};
use crate::calls::jobs;
use crate::calls::own;
use crate::calls::requester::Requester;
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::{ClientInput, OwnedRequest, ParsedMeta};
use crate::messages::reply::EnvelopedReply;
use crate::messages::server_state;

pub(crate) const METHOD: &str = "tools/call";

/// One call and everything it needs on its way.
pub(crate) struct ToolCall {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) caller: Arc<RequestCaller>,
    pub(crate) entry: Arc<CatalogEntry>,
    pub(crate) request: Arc<OwnedRequest>,
    pub(crate) patience: WaitMode,
    /// Remarks about the way it was called.
    pub(crate) warnings: Vec<CallWarning>,
    /// The reason why its caller must not learn that the tool exists.
    pub(crate) barred: Option<Arc<str>>,
    pub(crate) note: SchemaNote,
    pub(crate) whole: ResultAudience,
}

/// The receiver of a result: a client, or the gateway itself, which takes it as it is and outside of any run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResultAudience {
    ForClient,
    ForGateway,
}

/// When the answer shows the tool's schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SchemaNote {
    Never,
    /// Only if the arguments do not fit it.
    OnMistake,
    Always,
}

impl ToolCall {
    /// A call of a client that is there.
    pub(crate) fn new(
        gateway: &Arc<Gateway>,
        caller: Arc<RequestCaller>,
        found: ResolvedTool,
        request: OwnedRequest,
    ) -> Self {
        let modern = caller.client.era() == Era::Modern && caller.session.is_none();
        let patience =
            if modern && caller.client.abilities.tasks { WaitMode::Handle } else { WaitMode::Hold };
        let ResolvedTool { entry, warning, barred } = found;
        Self {
            gateway: gateway.clone(),
            caller,
            entry,
            request: Arc::new(request),
            patience,
            warnings: warning.into_iter().collect(),
            barred,
            note: SchemaNote::Never,
            whole: ResultAudience::ForClient,
        }
    }

    pub(crate) fn tool(&self) -> &Arc<Tool> {
        self.entry.tool.as_ref().expect("the tools section has nothing but tools")
    }

    /// Takes the call through the pipeline and says its end in the words of MCP.
    pub(crate) async fn run(self, cancel: &CancellationToken) -> Result<EnvelopedReply, RpcError> {
        if self.barred.is_some() {
            let asked = self.request.parts.target(METHOD)?;
            let unknown = find::unknown(&self.gateway, &self.caller.client.seat(), asked);
            self.record_attempt().await;
            return Err(unknown);
        }
        let answer = self.govern(cancel).await?;
        self.say(answer)
    }

    /// Records an attempt to call a tool that the caller may not see.
    pub(crate) async fn record_attempt(self) {
        let gateway = self.gateway.clone();
        gateway.record_aside(async move { drop(self.govern(&CancellationToken::new()).await) }).await;
    }

    /// Takes the call through the pipeline.
    pub(crate) async fn govern(&self, cancel: &CancellationToken) -> Result<CallAnswer, RpcError> {
        // Nothing that comes with it is looked at where there is no such tool for its caller.
        let input = if self.barred.is_some() { ClientInput::default() } else { self.input()? };
        let mut context = context(&self.caller.client.seat(), &self.request);
        context.warnings.clone_from(&self.warnings);
        vouch(&self.gateway, &self.caller.client.principal.id, &mut context).await;
        context.barred.clone_from(&self.barred);
        context.called = Some(self.entry.wire.as_str().into());
        context.round = input.round.clone();
        let request = CallRequest {
            principal: self.caller.client.principal.clone(),
            tool: self.tool().clone(),
            arguments: self.request.parts.arguments.clone(),
            context,
        };
        // The call ends with its run, or with the patience of its caller.
        let run = request.context.run.as_ref();
        let entry = run.map(|run| self.gateway.in_runs.enter(run, cancel.child_token()));
        let cancel = entry.as_ref().map_or(cancel, |entry| &entry.cancel);
        let errand = Errand::new(self, input, request.context.run.clone());
        let requester = Requester { gateway: &self.gateway, caller: &self.caller, patience: self.patience };
        let answer = self.gateway.pipeline.call(request, &requester, &errand, cancel).await;
        errand.finish(&answer).await;
        self.gateway.hub.metrics.tool_call(&answer.envelope);
        Ok(answer)
    }

    fn input(&self) -> Result<ClientInput, RpcError> {
        let ToolCall { gateway, caller, entry, .. } = self;
        let open =
            |sealed: &str| server_state::open(&gateway.sealer, &entry.server, &caller.client.owner(), sealed);
        self.request.parts.input(open)
    }

    /// The same answer with the state of a server that asks sealed, so that it leads back to this call.
    pub(crate) fn sealed(&self, answer: CallAnswer) -> CallAnswer {
        let CallAnswer { tool, envelope, body } = answer;
        let body = match body {
            CallAnswerBody::InputRequired { result, round } => {
                let (sealer, owner) = (&self.gateway.sealer, self.caller.client.owner());
                let result = server_state::seal_in(sealer, &self.entry.server, &owner, &round, &result);
                CallAnswerBody::InputRequired { result, round }
            }
            body => body,
        };
        CallAnswer { tool, envelope, body }
    }

    pub(crate) fn say(self, answer: CallAnswer) -> Result<EnvelopedReply, RpcError> {
        let CallAnswer { envelope, body, .. } = answer;
        let principal = self.caller.client.principal.id.clone();
        Ok(match body {
            CallAnswerBody::Result(result) if own::is_own(&self.entry) => own::say(&result, &envelope),
            CallAnswerBody::Result(result) => {
                remember_links(&self.gateway, &principal, &self.entry.server, &result);
                let result = if self.note == SchemaNote::Always { self.with_schema(&result) } else { result };
                EnvelopedReply::enveloped(result, &envelope, ServerReply::Complete)
            }
            CallAnswerBody::Error(error) => return Err(error),
            CallAnswerBody::Task(result) => EnvelopedReply::enveloped(result, &envelope, ServerReply::Task),
            CallAnswerBody::InputRequired { result, round } => {
                let (sealer, owner) = (&self.gateway.sealer, self.caller.client.owner());
                let sealed = server_state::seal_in(sealer, &self.entry.server, &owner, &round, &result);
                EnvelopedReply::enveloped(sealed, &envelope, ServerReply::InputRequired)
            }
            CallAnswerBody::Refusal(refusal) => {
                let result = refusal.tool_result(self.tool(), &envelope);
                let mistake = self.note != SchemaNote::Never && refusal.code == &codes::INVALID_ARGUMENTS;
                ServerReply::Complete(if mistake { self.with_schema(&result) } else { result }).into()
            }
            CallAnswerBody::Handle(approval) => {
                EnvelopedReply::enveloped(jobs::start(self, &approval), &envelope, ServerReply::Task)
            }
        })
    }

    /// The result with one more text: what the tool takes, exactly.
    fn with_schema(&self, result: &RawJson) -> RawJson {
        let text = format!("{} takes exactly: {}", self.entry.wire, exact_schema(&self.entry));
        let block = json!({ "type": "text", "text": text }).to_string();
        let content = ObjectMembers::of(result)
            .ok()
            .and_then(|members| members.get("content").map(|raw| raw.get().to_owned()));
        let content = match content.as_deref().map(str::trim_end).and_then(|text| text.strip_suffix(']')) {
            Some(open) if open.trim_end().ends_with('[') => format!("{open}{block}]"),
            Some(open) => format!("{open},{block}]"),
            None => return result.clone(),
        };
        with_member(result.as_str(), "content", &content)
            .map_or_else(|_| result.clone(), RawJson::from_composed)
    }
}

/// The run, task and trace that a call names.
pub(crate) fn context(seat: &Seat, request: &OwnedRequest) -> CallContext {
    let mut context = CallContext {
        session: Some(seat.session.clone()),
        opened_by: seat.opened_by.clone(),
        agent: Some(seat.agent.clone()),
        template: seat.scope.template,
        ..CallContext::default()
    };
    let ParsedMeta { labels, trace, extras, .. } = &request.parts.meta;
    context.labels.clone_from(labels);
    context.trace.clone_from(trace);
    context.extras = (!extras.is_empty()).then(|| RawJson::from_composed(format!("{{{extras}}}")));
    // What the session was opened for is not for its calls to say. A caller that opened it for itself could say anything.
    context.run = seat.run.clone();
    match seat.opened_by.as_ref() == Some(&seat.principal.id) {
        true => context.labels.task = seat.task.clone().or(context.labels.task),
        false => context.task = seat.task.clone(),
    }
    context
}

/// Holds the run that a call says it belongs to against the runs there are. One of the caller's own is as good as that of its
/// session; another caller's run collects nothing.
pub(crate) async fn vouch(gateway: &Gateway, caller: &PrincipalId, context: &mut CallContext) {
    if context.run.is_some() {
        return;
    }
    let Some(run) = context.labels.run.take() else { return };
    match gateway.runs.whose(&run, caller).await {
        RunOwnership::Callers => context.run = Some(run),
        RunOwnership::Nobodys => context.labels.run = Some(run),
        RunOwnership::Somebodys => {
            let message = format!("the call was not recorded under {run}, which is not a run of its caller");
            context.warnings.push(CallWarning::new(&codes::RUN_NOT_YOURS, message));
        }
    }
}

fn remember_links(gateway: &Gateway, principal: &PrincipalId, server: &ServerName, result: &RawJson) {
    if !object::may_say(result.as_bytes(), "resource_link") {
        return;
    }
    let Ok(members) = ObjectMembers::of(result) else { return };
    let blocks =
        members.get("content").and_then(|content| object::elements(content).ok()).unwrap_or_default();
    let blocks = blocks.into_iter().filter_map(|block| ObjectMembers::parse(block).ok());
    let uris: HashSet<String> = blocks
        .filter(|block| block.get_str("type").as_deref() == Some("resource_link"))
        .filter_map(|block| block.get_str("uri").map(|uri| uri.into_owned()))
        .collect();
    gateway.links.remember(principal, server, uris);
}
