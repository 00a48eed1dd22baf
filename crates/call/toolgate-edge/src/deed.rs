//! What a client asks a server for beside its tools (resources, prompts, completion, tasks of servers): on the one path, like a
//! tool call. What policy judges and people agree to is the very text of `params` that is sent. What the gateway keeps itself
//! (refs) is read on the same path, and answered here.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::Approval;
use toolgate_core::content::{Attached, Holder};
use toolgate_core::id::CallId;
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::port::{AskKind, BoxFuture, Caller, Reply, ServerRequest};
use toolgate_core::tool::Action;
use toolgate_core::{Blame, RawJson, Refusal as CoreRefusal, RefusalKind, RpcError, ServerName, Tool};
use toolgate_pipeline::{
    Answer, AnswerBody, CallRequest, Client, Delivered, Envelope, Executor, Load, Patience, Refusal,
    Undelivered,
};
use toolgate_wire::object::push_member;
use toolgate_wire::{Members, header};

use crate::caller::RequestCaller;
use crate::dispatch;
use crate::era::{quoted, resource_not_found};
use crate::gateway::Gateway;
use crate::parts::{Input, OwnedRequest};
use crate::questions::Asker;
use crate::quotas::Places;
use crate::said::Said;
use crate::server_state;
use crate::tool_call::{add_members, context, vouch};

/// Something of a server that a client asks for.
pub(crate) struct Deed {
    gateway: Arc<Gateway>,
    caller: Arc<RequestCaller>,
    action: Action,
    tool: Arc<Tool>,
    request: OwnedRequest,
    /// `params` as the server gets them, less `_meta` and answers to questions.
    params: RawJson,
    input: Input,
    /// What it takes up as long as it runs.
    places: Mutex<Places>,
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

    pub(crate) async fn run(self, cancel: &CancellationToken) -> Result<Said, RpcError> {
        let Answer { envelope, body, .. } = self.govern(None, cancel).await;
        match body {
            AnswerBody::Result(result) => Ok(said(result, &envelope)),
            AnswerBody::Error(error) => Err(error),
            AnswerBody::InputRequired { result, round } => {
                let (sealer, owner) = (&self.gateway.sealer, self.caller.client.owner());
                let seal =
                    |own: &str| server_state::seal(sealer, &self.tool.server, &owner, Some(&round), own);
                Ok(Reply::InputRequired(dispatch::mark_state(&result, seal)).into())
            }
            AnswerBody::Task(result) => Ok(Reply::Task(result).into()),
            AnswerBody::Refusal(refusal) => Err(self.refused(&refusal, &envelope)),
            AnswerBody::Handle(approval) => {
                let message = format!("people are asked for this: {}", approval.id);
                Err(RpcError::new(RpcError::INTERNAL, message))
            }
        }
    }

    /// Records that somebody asked for what is not there for them.
    pub(crate) async fn record_attempt(self, why: &'static str) {
        let gateway = self.gateway.clone();
        gateway
            .record_aside(async move { drop(self.govern(Some(why), &CancellationToken::new()).await) })
            .await;
    }

    async fn govern(&self, barred: Option<&'static str>, cancel: &CancellationToken) -> Answer {
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
        let answer = self.gateway.pipeline.call(request, self, self, cancel).await;
        self.gateway.hub.metrics.tool_call(&answer.envelope);
        answer
    }

    async fn send(&self, call: &CallId, load: Load) -> Result<Delivered, Undelivered> {
        let server = &self.tool.server;
        if self.action == Action::WatchResource {
            // Sessions share one subscription, which the gateway keeps, under the address that the client knows.
            return match load.arguments {
                None => Ok(Reply::Complete(RawJson::EMPTY).into()),
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
        let reply = dispatch::forward(&self.gateway, &self.caller, server, Some(call), upstream).await?;
        let Reply::Complete(result) = reply else { return Ok(reply.into()) };
        let result = match self.action {
            Action::GetTask | Action::UpdateTask | Action::CancelTask => {
                let asker = Asker::of(&self.caller.client, server, Some(call));
                let result = self.gateway.hub.questions.screen_all(&asker, result).await?;
                dispatch::tell_task(&self.gateway, &self.caller, server, result).await
            }
            _ => result,
        };
        Ok(Reply::Complete(result).into())
    }

    async fn read_own(&self, params: &RawJson) -> Result<Delivered, Undelivered> {
        let uri = self.target(params).unwrap_or_default();
        let holder = Holder::of(&self.caller.client.seat());
        // An approver or a filter may have made another address of it.
        let reading = self.gateway.contents.read(&holder, &uri).ok_or_else(|| resource_not_found(&uri))?;
        let result = reading.await.map_err(|refusal| not_read(&uri, &refusal))?;
        Ok(Reply::Complete(result).into())
    }

    /// What `Mcp-Name` repeats.
    fn target(&self, params: &RawJson) -> Option<String> {
        let key = header::name_member(self.action.method())?;
        Members::of(params).ok()?.get_str(key).map(Cow::into_owned)
    }

    /// Only results of tools can say that they failed; everything else is an error.
    fn refused(&self, refusal: &Refusal, envelope: &Envelope) -> RpcError {
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

/// What a server said is passed on as it is, unless there is something to say beside it.
fn said(result: RawJson, envelope: &Envelope) -> Said {
    match envelope.warnings.is_empty() && envelope.approval_id.is_none() {
        true => Reply::Complete(result).into(),
        false => Said::enveloped(result, envelope, Reply::Complete),
    }
}

/// Why a ref cannot be read.
fn not_read(uri: &str, refusal: &CoreRefusal) -> RpcError {
    match refusal.kind {
        RefusalKind::NotFound | RefusalKind::Gone => resource_not_found(uri),
        _ => RpcError::new(RpcError::INTERNAL, refusal.message.clone())
            .with_data(json!({ "code": refusal.code, "hint": refusal.hint })),
    }
}

fn without_braces(object: &RawJson) -> String {
    let mut text = String::with_capacity(object.as_bytes().len());
    add_members(&mut text, object);
    text
}

/// `params` of a completion for the server that has the prompt or resource.
pub(crate) fn completion_params(reference: &str, params: &Members<'_>) -> String {
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
    fn attach<'a>(&'a self, _arguments: &'a Value) -> Option<BoxFuture<'a, Result<Attached, CoreRefusal>>> {
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
            Ok(Attached::default())
        }))
    }

    fn admit<'a>(
        &'a self,
        _call: &'a CallId,
        _arguments: Option<&'a RawJson>,
    ) -> Option<BoxFuture<'a, Result<(), CoreRefusal>>> {
        let session = self.caller.session.as_ref().map(|session| &session.line);
        let keep = |places| *self.places.lock().unwrap_or_else(PoisonError::into_inner) = places;
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

    fn execute<'a>(&'a self, call: &'a CallId, load: Load) -> BoxFuture<'a, Result<Delivered, Undelivered>> {
        Box::pin(self.send(call, load))
    }
}

impl Client for Deed {
    fn can_confirm(&self) -> bool {
        self.caller.client.abilities.elicitation_form
    }

    fn confirm(&self, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        self.caller.ask(AskKind::Elicitation, params)
    }

    fn patience(&self) -> Patience {
        Patience::Hold
    }

    fn waiting(&self, approval: &Approval, waited: Duration) {
        let message = format!("waiting for approval {}", approval.id);
        self.caller.progress(json!({ "progress": waited.as_secs_f64(), "message": message }).into());
    }

    fn may_ask(&self) -> Option<BoxFuture<'_, Result<(), CoreRefusal>>> {
        Some(Box::pin(self.gateway.quotas.may_ask(&self.caller.client.principal.id)))
    }

    fn is_there(&self) -> bool {
        self.caller.is_there()
    }

    fn has_withdrawn(&self) -> bool {
        self.caller.has_withdrawn()
    }
}
