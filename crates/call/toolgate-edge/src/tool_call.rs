//! A tool call between the client that makes it and the pipeline that governs it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::Entry;
use toolgate_core::approval::Approval;
use toolgate_core::id::RunId;
use toolgate_core::port::{AskKind, BoxFuture, Caller, Reply};
use toolgate_core::run::Whose;
use toolgate_core::scope::Seat;
use toolgate_core::server::Era;
use toolgate_core::{PrincipalId, RawJson, RpcError, ServerName, Tool};
use toolgate_discovery::exact_schema;
use toolgate_pipeline::{Answer, AnswerBody, CallContext, CallRequest, Client, Patience, Round, Warning};
use toolgate_wire::Members;
use toolgate_wire::object::{self, with_member};

use crate::caller::RequestCaller;
use crate::dispatch;
use crate::errand::Errand;
use crate::find::{self, Found};
use crate::gateway::Gateway;
use crate::jobs;
use crate::own;
use crate::parts::{Input, Meta, OwnedRequest};
use crate::said::Said;
use crate::server_state;

pub(crate) const METHOD: &str = "tools/call";
const INVALID_ARGUMENTS: &str = "invalid_arguments";
pub(crate) const RUN_KEY: &str = "dev.toolgate/run_id";
pub(crate) const TASK_KEY: &str = "dev.toolgate/task_id";
pub(crate) const TRACE_KEY: &str = "traceparent";

/// One call and everything it needs on its way.
pub(crate) struct ToolCall {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) caller: Arc<RequestCaller>,
    pub(crate) entry: Arc<Entry>,
    pub(crate) request: Arc<OwnedRequest>,
    pub(crate) patience: Patience,
    /// What is to be said about how it was called.
    pub(crate) warnings: Vec<Warning>,
    /// Why its caller must not learn that the tool exists.
    pub(crate) barred: Option<Arc<str>>,
    pub(crate) note: SchemaNote,
    pub(crate) whole: Whole,
}

/// Whether a result is for a client, or for the gateway itself, which takes it as it is and outside of any run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Whole {
    ForClient,
    ForGateway,
}

/// When the answer shows the tool's schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SchemaNote {
    Never,
    /// Where the arguments do not fit it.
    OnMistake,
    Always,
}

impl ToolCall {
    /// A call of a client that is there.
    pub(crate) fn new(
        gateway: &Arc<Gateway>,
        caller: Arc<RequestCaller>,
        found: Found,
        request: OwnedRequest,
    ) -> Self {
        let modern = caller.client.era() == Era::Modern && caller.session.is_none();
        let patience =
            if modern && caller.client.abilities.tasks { Patience::Handle } else { Patience::Hold };
        let Found { entry, warning, barred } = found;
        Self {
            gateway: gateway.clone(),
            caller,
            entry,
            request: Arc::new(request),
            patience,
            warnings: warning.into_iter().collect(),
            barred,
            note: SchemaNote::Never,
            whole: Whole::ForClient,
        }
    }

    pub(crate) fn tool(&self) -> &Arc<Tool> {
        self.entry.tool.as_ref().expect("the tools section has nothing but tools")
    }

    /// Takes the call through the pipeline and says its end in the words of MCP.
    pub(crate) async fn run(self, cancel: &CancellationToken) -> Result<Said, RpcError> {
        if self.barred.is_some() {
            let asked = self.request.parts.target(METHOD)?;
            let unknown = find::unknown(&self.gateway, &self.caller.client.seat(), asked);
            self.record_attempt().await;
            return Err(unknown);
        }
        let answer = self.govern(cancel).await?;
        self.say(answer)
    }

    /// Records that somebody tried to call what is not there for them.
    pub(crate) async fn record_attempt(self) {
        let gateway = self.gateway.clone();
        gateway.record_aside(async move { drop(self.govern(&CancellationToken::new()).await) }).await;
    }

    /// Takes the call through the pipeline.
    pub(crate) async fn govern(&self, cancel: &CancellationToken) -> Result<Answer, RpcError> {
        // Nothing that comes with it is looked at where there is no such tool for its caller.
        let input = if self.barred.is_some() { Input::default() } else { self.input()? };
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
        let errand = Errand::new(self, input);
        let answer = self.gateway.pipeline.call(request, self, &errand, cancel).await;
        errand.finish(&answer).await;
        self.gateway.hub.metrics.tool_call(&answer.envelope);
        Ok(answer)
    }

    fn input(&self) -> Result<Input, RpcError> {
        let ToolCall { gateway, caller, entry, .. } = self;
        let open =
            |sealed: &str| server_state::open(&gateway.sealer, &entry.server, &caller.client.owner(), sealed);
        self.request.parts.input(open)
    }

    fn say(self, answer: Answer) -> Result<Said, RpcError> {
        let Answer { envelope, body, .. } = answer;
        let principal = self.caller.client.principal.id.clone();
        Ok(match body {
            AnswerBody::Result(result) if own::is_own(&self.entry) => own::say(&result, &envelope),
            AnswerBody::Result(result) => {
                remember_links(&self.gateway, &principal, &self.entry.server, &result);
                let result = if self.note == SchemaNote::Always { self.with_schema(&result) } else { result };
                Said::enveloped(result, &envelope, Reply::Complete)
            }
            AnswerBody::Error(error) => return Err(error),
            AnswerBody::Task(result) => Said::enveloped(result, &envelope, Reply::Task),
            AnswerBody::InputRequired { result, round } => {
                Said::enveloped(self.mark_state(&result, &round), &envelope, Reply::InputRequired)
            }
            AnswerBody::Refusal(refusal) => {
                let result = refusal.tool_result(self.tool(), &envelope);
                let mistake = self.note != SchemaNote::Never && refusal.code == INVALID_ARGUMENTS;
                Reply::Complete(if mistake { self.with_schema(&result) } else { result }).into()
            }
            AnswerBody::Handle(approval) => {
                Said::enveloped(jobs::start(self, &approval), &envelope, Reply::Task)
            }
        })
    }

    /// The result with one more text: what the tool takes, exactly.
    fn with_schema(&self, result: &RawJson) -> RawJson {
        let text = format!("{} takes exactly: {}", self.entry.wire, exact_schema(&self.entry));
        let block = json!({ "type": "text", "text": text }).to_string();
        let content = Members::of(result)
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

    /// Seals a server's `requestState`, so that it is told apart from handles of ours and leads back to this call.
    fn mark_state(&self, result: &RawJson, round: &Round) -> RawJson {
        let owner = self.caller.client.owner();
        dispatch::mark_state(result, |own| {
            server_state::seal(&self.gateway.sealer, &self.entry.server, &owner, Some(round), own)
        })
    }
}

/// What a call says it belongs to.
pub(crate) fn context(seat: &Seat, request: &OwnedRequest) -> CallContext {
    let mut context = CallContext {
        session: Some(seat.session.clone()),
        opened_by: seat.opened_by.clone(),
        agent: Some(seat.agent.clone()),
        template: seat.scope.template,
        ..CallContext::default()
    };
    let Meta { cargo, claims, extras, .. } = &request.parts.meta;
    if !claims.is_empty() {
        let claims = format!("{{{claims}}}");
        let members = Members::of_str(&claims).unwrap_or_default();
        context.labels.run = members.get_str(RUN_KEY).map(|run| RunId::new(run.as_ref()));
        context.labels.task = members.get_str(TASK_KEY).map(|task| task.as_ref().into());
    }
    if cargo.contains(TRACE_KEY) {
        let cargo = format!("{{{cargo}}}");
        let members = Members::of_str(&cargo).unwrap_or_default();
        context.trace = members.get_str(TRACE_KEY).map(|trace| trace.as_ref().into());
    }
    context.extras = (!extras.is_empty()).then(|| RawJson::from_composed(format!("{{{extras}}}")));
    // What the session was opened for is not for its calls to say. Whoever opened it for itself could say anything.
    context.run = seat.run.clone();
    match seat.opened_by.as_ref() == Some(&seat.principal.id) {
        true => context.labels.task = seat.task.clone().or(context.labels.task),
        false => context.task = seat.task.clone(),
    }
    context
}

/// Holds the run that a call says it belongs to against the runs there are. One of the caller's own is as good as that of its
/// session; one of somebody else's collects nothing.
pub(crate) async fn vouch(gateway: &Gateway, caller: &PrincipalId, context: &mut CallContext) {
    if context.run.is_some() {
        return;
    }
    let Some(run) = context.labels.run.take() else { return };
    match gateway.runs.whose(&run, caller).await {
        Whose::Callers => context.run = Some(run),
        Whose::Nobodys => context.labels.run = Some(run),
        Whose::Somebodys => {
            let message = format!("the call was not recorded under {run}, which is not a run of its caller");
            context.warnings.push(Warning::new("run_not_yours", message));
        }
    }
}

/// Puts the members of an object behind those that are there, as text without braces.
pub(crate) fn add_members(text: &mut String, object: &RawJson) {
    Members::of(object).unwrap_or_default().write_without(text, |_| false);
}

impl Client for ToolCall {
    fn can_confirm(&self) -> bool {
        self.patience != Patience::Unbounded && self.caller.client.abilities.elicitation_form
    }

    fn confirm(&self, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        self.caller.ask(AskKind::Elicitation, params)
    }

    fn patience(&self) -> Patience {
        self.patience
    }

    fn waiting(&self, approval: &Approval, waited: Duration) {
        let message = format!("waiting for approval {}", approval.id);
        self.caller.progress(json!({ "progress": waited.as_secs_f64(), "message": message }).into());
    }

    fn may_ask(&self) -> Option<BoxFuture<'_, Result<(), toolgate_core::Refusal>>> {
        Some(Box::pin(self.gateway.quotas.may_ask(&self.caller.client.principal.id)))
    }

    fn is_there(&self) -> bool {
        self.caller.is_there()
    }

    fn has_withdrawn(&self) -> bool {
        self.caller.has_withdrawn()
    }
}

fn remember_links(gateway: &Gateway, principal: &PrincipalId, server: &ServerName, result: &RawJson) {
    if !object::may_say(result.as_bytes(), "resource_link") {
        return;
    }
    let Ok(members) = Members::of(result) else { return };
    let blocks =
        members.get("content").and_then(|content| object::elements(content).ok()).unwrap_or_default();
    let blocks = blocks.into_iter().filter_map(|block| Members::parse(block).ok());
    let uris: HashSet<String> = blocks
        .filter(|block| block.get_str("type").as_deref() == Some("resource_link"))
        .filter_map(|block| block.get_str("uri").map(|uri| uri.into_owned()))
        .collect();
    gateway.links.remember(principal, server, uris);
}
