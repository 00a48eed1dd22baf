//! Requests to a server for anything beside its tools (resources, prompts, completion, tasks of servers): on the one path, like a
//! tool call. What policy judges and people agree to is the very text of `params` that is sent. What the gateway keeps itself
//! (refs) is read on the same path, and answered here.

use std::borrow::Cow;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::content::{AttachedContents, ContentHolder};
use toolgate_core::id::CallId;
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::port::{BoxFuture, ServerReply, ServerRequest};
use toolgate_core::tool::Action;
use toolgate_core::{Blame, RawJson, Refusal, RefusalKind, RpcError, ServerName, Tool};
use toolgate_pipeline::{
    CallAnswer, CallAnswerBody, CallPayload, CallRefusal, CallRequest, DeliveredReply, DeliveryError,
    Envelope, Executor, WaitMode,
};
use toolgate_wire::object::{push_member, with_member};
use toolgate_wire::{ObjectMembers, header};

use crate::calls::find::resource_not_found;
use crate::calls::forward;
use crate::calls::requester::Requester;
use crate::calls::tool_call::{context, vouch};
use crate::clients::caller::RequestCaller;
use crate::clients::questions::QuestionSource;
use crate::gateway::Gateway;
use crate::messages::parts::{ClientInput, OwnedRequest};
use crate::messages::reply::EnvelopedReply;
use crate::messages::server_state;
use crate::messages::task_id;
use crate::messages::text::{add_members, quoted, without_braces};
use crate::quotas::CallSlots;

/// The reason why a caller may not have a part of a server.
const OUT_OF_SIGHT: &str = "the session does not show this part of the server";

/// Something of a server that a client asks for.
pub(crate) struct Deed {
    gateway: Arc<Gateway>,
    caller: Arc<RequestCaller>,
    action: Action,
    tool: Arc<Tool>,
    request: OwnedRequest,
    /// `params` as the server gets them, less `_meta` and answers to questions.
    params: RawJson,
    input: ClientInput,
    /// Its share of the quotas, while it runs.
    places: Mutex<CallSlots>,
}

impl Deed {
    /// `own` is what the server calls its target.
    pub(crate) fn new(
        gateway: &Arc<Gateway>,
        caller: Arc<RequestCaller>,
        request: OwnedRequest,
        server: &ServerName,
        own: &str,
    ) -> Result<Self, RpcError> {
        let params = request.parts.params_for(&request.head.method, own);
        Self::with_params(gateway, caller, request, server, params)
    }

    /// The same where the gateway itself has what is asked for.
    pub(crate) fn own(
        gateway: &Arc<Gateway>,
        caller: Arc<RequestCaller>,
        request: OwnedRequest,
    ) -> Result<Self, RpcError> {
        let server = ServerName::new(OWN_SERVER).expect("letters alone");
        let uri = request.parts.target(&request.head.method)?.to_owned();
        Self::new(gateway, caller, request, &server, &uri)
    }

    /// The same where more than the target's name is the server's own: `params` as text without braces.
    pub(crate) fn with_params(
        gateway: &Arc<Gateway>,
        caller: Arc<RequestCaller>,
        request: OwnedRequest,
        server: &ServerName,
        params: String,
    ) -> Result<Self, RpcError> {
        let method = &request.head.method;
        let action = Action::of_method(method).ok_or_else(|| RpcError::method_not_found(method))?;
        let open = |sealed: &str| server_state::open(&gateway.sealer, server, &caller.client.owner(), sealed);
        let input = request.parts.input(open)?;
        Ok(Self {
            gateway: gateway.clone(),
            tool: Arc::new(Tool::of_action(server, action)),
            params: RawJson::from_composed(format!("{{{params}}}")),
            caller,
            action,
            request,
            input,
            places: Mutex::default(),
        })
    }

    /// Takes what a client asks for on its way, if its session shows it. The attempt is recorded in any case.
    pub(crate) async fn run_if(
        self,
        is_shown: bool,
        not_shown: RpcError,
        cancel: &CancellationToken,
    ) -> Result<EnvelopedReply, RpcError> {
        if is_shown {
            return Box::pin(self.run(cancel)).await;
        }
        self.record_attempt(OUT_OF_SIGHT).await;
        Err(not_shown)
    }

    pub(crate) async fn run(self, cancel: &CancellationToken) -> Result<EnvelopedReply, RpcError> {
        let CallAnswer { envelope, body, .. } = self.govern(None, cancel).await;
        match body {
            CallAnswerBody::Result(result) => Ok(said(result, &envelope)),
            CallAnswerBody::Error(error) => Err(error),
            CallAnswerBody::InputRequired { result, round } => {
                let (sealer, owner) = (&self.gateway.sealer, self.caller.client.owner());
                let sealed = server_state::seal_in(sealer, &self.tool.server, &owner, &round, &result);
                Ok(ServerReply::InputRequired(sealed).into())
            }
            CallAnswerBody::Task(result) => Ok(ServerReply::Task(result).into()),
            CallAnswerBody::Refusal(refusal) => Err(self.refused(&refusal, &envelope)),
            CallAnswerBody::Handle(approval) => {
                let message = format!("people are asked for this: {}", approval.id);
                Err(RpcError::new(RpcError::INTERNAL, message))
            }
        }
    }

    /// Records a request for something that the caller may not see.
    async fn record_attempt(self, why: &'static str) {
        let gateway = self.gateway.clone();
        gateway
            .record_aside(async move { drop(self.govern(Some(why), &CancellationToken::new()).await) })
            .await;
    }

    async fn govern(&self, barred: Option<&'static str>, cancel: &CancellationToken) -> CallAnswer {
        let mut context = context(&self.caller.client.seat(), &self.request);
        vouch(&self.gateway, &self.caller.client.principal.id, &mut context).await;
        context.barred = barred.map(Arc::from);
        context.round.clone_from(&self.input.round);
        let request = CallRequest {
            principal: self.caller.client.principal.clone(),
            tool: self.tool.clone(),
            arguments: Some(self.params.clone()),
            context,
        };
        let requester = Requester { gateway: &self.gateway, caller: &self.caller, patience: WaitMode::Hold };
        let answer = self.gateway.pipeline.call(request, &requester, self, cancel).await;
        self.gateway.hub.metrics.tool_call(&answer.envelope);
        answer
    }

    async fn send(&self, call: &CallId, load: CallPayload) -> Result<DeliveredReply, DeliveryError> {
        let server = &self.tool.server;
        if self.action == Action::WatchResource {
            // Sessions share one subscription, which the gateway keeps, under the address that the client knows.
            return match load.arguments {
                None => Ok(ServerReply::Complete(RawJson::EMPTY).into()),
                Some(_) => Err(RpcError::invalid_params(
                    "an approver or a filter changed the address; subscribe to that one",
                )
                .into()),
            };
        }
        let params = load.arguments.as_ref().unwrap_or(&self.params);
        if server.as_str() == OWN_SERVER {
            return self.read_own(params).await;
        }
        let mut upstream = ServerRequest::new(self.action.method(), without_braces(params));
        upstream.name = self.target(params);
        upstream.meta.clone_from(&self.request.parts.meta.cargo);
        if let Some(extras) = &load.extras {
            add_members(&mut upstream.meta, extras);
        }
        upstream.input.clone_from(&self.input.answers);
        let reply = forward::forward(&self.gateway, &self.caller, server, Some(call), upstream).await?;
        let ServerReply::Complete(result) = reply else { return Ok(reply.into()) };
        let result = match self.action {
            Action::GetTask | Action::UpdateTask | Action::CancelTask => {
                let asker = QuestionSource::of(&self.caller.client, server, Some(call));
                let result = self.gateway.hub.questions.screen_all(&asker, result).await?;
                tell_task(&self.gateway, &self.caller, server, result).await
            }
            _ => result,
        };
        Ok(ServerReply::Complete(result).into())
    }

    async fn read_own(&self, params: &RawJson) -> Result<DeliveredReply, DeliveryError> {
        let uri = self.target(params).unwrap_or_default();
        let holder = ContentHolder::of(&self.caller.client.seat());
        // An approver or a filter may have made another address of it.
        let reading = self.gateway.contents.read(&holder, &uri).ok_or_else(|| resource_not_found(&uri))?;
        let result = reading.await.map_err(|refusal| not_read(&uri, &refusal))?;
        Ok(ServerReply::Complete(result).into())
    }

    /// The value that `Mcp-Name` repeats.
    fn target(&self, params: &RawJson) -> Option<String> {
        let key = header::name_member(self.action.method())?;
        ObjectMembers::of(params).ok()?.get_str(key).map(Cow::into_owned)
    }

    /// Only results of tools can say that they failed; everything else is an error.
    fn refused(&self, refusal: &CallRefusal, envelope: &Envelope) -> RpcError {
        let code = if refusal.fault == Blame::Caller { RpcError::INVALID_PARAMS } else { RpcError::INTERNAL };
        let mut data = json!(refusal);
        data["server"] = self.tool.server.as_str().into();
        data["tool_call_id"] = json!(envelope.tool_call_id);
        if let Some(approval) = &envelope.approval_id {
            data["approval_id"] = json!(approval);
        }
        RpcError::new(code, refusal.text()).with_data(data)
    }
}

/// The state of a task of a server as the client of this gateway must see it.
async fn tell_task(
    gateway: &Gateway,
    caller: &RequestCaller,
    server: &ServerName,
    result: RawJson,
) -> RawJson {
    let result =
        task_id::expose_in(&gateway.sealer, server, &caller.client.owner(), &result).unwrap_or(result);
    unpack_task(gateway, caller, server, result).await
}

/// The state of a task with the result of its call as a client would have got it at once.
async fn unpack_task(
    gateway: &Gateway,
    caller: &RequestCaller,
    server: &ServerName,
    task: RawJson,
) -> RawJson {
    let result = ObjectMembers::of(&task).ok().and_then(|members| members.get("result").map(RawJson::from));
    let Some(result) = result.filter(|result| gateway.contents.must_look(result)) else { return task };
    let holder = ContentHolder::of(&caller.client.seat());
    let tool = Tool::unread(server, "task");
    let taken = gateway.contents.take_out(&holder, &tool, result, &[]).await;
    with_member(task.as_str(), "result", taken.result.as_str()).map_or(task, RawJson::from_composed)
}

/// Passes a server's answer on as it is, unless the gateway has something to add.
fn said(result: RawJson, envelope: &Envelope) -> EnvelopedReply {
    match envelope.warnings.is_empty() && envelope.approval_id.is_none() {
        true => ServerReply::Complete(result).into(),
        false => EnvelopedReply::enveloped(result, envelope, ServerReply::Complete),
    }
}

/// The error for a ref that cannot be read.
fn not_read(uri: &str, refusal: &Refusal) -> RpcError {
    match refusal.kind {
        RefusalKind::NotFound | RefusalKind::Gone => resource_not_found(uri),
        _ => RpcError::new(RpcError::INTERNAL, refusal.message.clone())
            .with_data(json!({ "code": refusal.code, "hint": refusal.hint })),
    }
}

/// `params` of a completion for the server that has the prompt or resource.
pub(crate) fn completion_params(reference: &str, params: &ObjectMembers<'_>) -> String {
    let mut text = String::new();
    push_member(&mut text, "ref", reference);
    params.write_without(&mut text, |key| !matches!(key, "argument" | "context"));
    text
}

/// `params` that name a resource and nothing else.
pub(crate) fn uri_params(uri: &str) -> String {
    let mut text = String::new();
    push_member(&mut text, "uri", &quoted(uri));
    text
}

impl Executor for Deed {
    fn attach<'a>(
        &'a self,
        _arguments: &'a Value,
    ) -> Option<BoxFuture<'a, Result<AttachedContents, Refusal>>> {
        let (quotas, now_ms) = (&self.gateway.quotas, self.gateway.pipeline.now_ms());
        let seat = self.caller.client.seat();
        let counted = quotas.count(&seat, now_ms);
        if counted == Some(Ok(())) {
            return None;
        }
        Some(Box::pin(async move {
            match counted {
                Some(counted) => counted?,
                None => quotas.count_surely(&seat, now_ms).await?,
            }
            Ok(AttachedContents::default())
        }))
    }

    fn admit<'a>(
        &'a self,
        _call: &'a CallId,
        _arguments: Option<&'a RawJson>,
    ) -> Option<BoxFuture<'a, Result<(), Refusal>>> {
        let session = self.caller.session.as_ref().map(|session| &session.line);
        let keep = |places| *self.places.lock() = places;
        match self.gateway.quotas.try_enter(&self.caller.client.seat(), session).at_once() {
            Ok(places) => {
                keep(places);
                None
            }
            Err(entering) => Some(Box::pin(async move {
                keep(entering.wait().await?);
                Ok(())
            })),
        }
    }

    fn execute<'a>(
        &'a self,
        call: &'a CallId,
        load: CallPayload,
    ) -> BoxFuture<'a, Result<DeliveredReply, DeliveryError>> {
        Box::pin(self.send(call, load))
    }
}
