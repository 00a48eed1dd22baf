//! The way of one call to the server or tool that answers it: files and refs are looked up before people decide, become what the server wants
//! once they have, and what comes back is made fit for the context.

mod named;
mod preview;

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use toolgate_catalog::CatalogEntry;
use toolgate_core::content::{AttachedContents, Attachment, ContentHolder, SentContent};
use toolgate_core::credential::CredentialUse;
use toolgate_core::event::Outcome;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::platform::{PlatformTool, ToolPresence, UsedApproval};
use toolgate_core::port::{BoxFuture, CallOrigin, ServerReply, ServerRequest};
use toolgate_core::run::{CallKind, RunCall, RunCallEnd};
use toolgate_core::scope::Scope;
use toolgate_core::server::InstanceId;
use toolgate_core::{Digest, RawJson, Refusal, RpcError};
use toolgate_pipeline::redact::SecretMask;
use toolgate_pipeline::{
    CallAccount, CallAnswer, CallPayload, CleanResponse, DeliveredReply, DeliveryError, Executor, TokenCounts,
};
use toolgate_search::tokens;
use toolgate_wire::header;

use crate::calls::forward;
use crate::calls::own::{self, OwnCall};
use crate::calls::tool_call::{METHOD, ResultAudience, ToolCall};
use crate::messages::parts::{ClientInput, OwnedRequest};
use crate::messages::text::add_members;
use crate::quotas::{CallSlots, SlotRequest};

pub(crate) struct Errand<'a> {
    call: &'a ToolCall,
    input: ClientInput,
    holder: ContentHolder,
    /// The run that servers with a state for their callers are told: the session's, or one of the caller's own that the call names.
    told_run: Option<RunId>,
    /// Set where the gateway answers itself.
    own: Option<Arc<PlatformTool>>,
    state: Mutex<ErrandState>,
}

/// The state of a call on its way.
#[derive(Default)]
struct ErrandState {
    attachments: Vec<Attachment>,
    credentials: Vec<CredentialUse>,
    /// The call as the run knows it, once it was let in.
    admitted: Option<CallId>,
    result_bytes: u64,
    /// Its share of the quotas, while it runs.
    places: CallSlots,
    /// The files that went to the server.
    sent: Vec<SentContent>,
    /// The request that people were shown.
    shown: Option<AgreedRequest>,
}

/// The request that people were shown, and the arguments that it was made of: those that they saw.
#[derive(Clone)]
struct AgreedRequest {
    arguments: Value,
    text: Digest,
}

/// A request with everything that its server needs in it, and what must not come back.
struct LoadedRequest {
    request: ServerRequest,
    /// The files that go to the server.
    sent: Vec<SentContent>,
    /// Hides the values of credentials, if there are any in it.
    mask: Option<Arc<SecretMask>>,
}

impl<'a> Errand<'a> {
    pub(crate) fn new(call: &'a ToolCall, input: ClientInput, run: Option<RunId>) -> Self {
        let holder = ContentHolder::of(&call.caller.client.seat());
        let own = own::find(&call.gateway, &call.entry);
        let told_run = run.filter(|_| call.whole == ResultAudience::ForClient);
        Self { call, input, holder, told_run, own, state: Mutex::default() }
    }

    /// The run that the call belongs to. What the gateway needs for itself belongs to none.
    fn run_id(&self) -> Option<&RunId> {
        self.holder.run.as_ref().filter(|_| self.call.whole == ResultAudience::ForClient)
    }

    /// Tells the run that the call has ended, if it was let in.
    pub(crate) async fn finish(&self, answer: &CallAnswer) {
        let (admitted, bytes) = {
            let state = self.state.lock();
            (state.admitted.clone(), state.result_bytes)
        };
        if let (Some(run), Some(call)) = (self.run_id(), admitted) {
            let done = [Outcome::Succeeded, Outcome::Accepted, Outcome::PendingInput];
            let completed = done.contains(&answer.envelope.status);
            self.call.gateway.runs.finish(run, &call, RunCallEnd { completed, bytes }).await;
        }
    }

    /// True if the call counts against its caller's quota: control flow, and what the gateway needs for itself, is
    /// part of a call that has been counted.
    fn is_counted(&self) -> bool {
        let is_control = self.own.as_ref().is_some_and(|own| own.presence != ToolPresence::InScope);
        !is_control && self.call.whole == ResultAudience::ForClient
    }

    fn count(&self) -> Option<Result<(), Refusal>> {
        let ToolCall { gateway, caller, .. } = self.call;
        match self.is_counted() {
            true => gateway.quotas.count(&caller.client.seat(), gateway.pipeline.now_ms()),
            false => Some(Ok(())),
        }
    }

    async fn count_surely(&self) -> Result<(), Refusal> {
        let ToolCall { gateway, caller, .. } = self.call;
        gateway.quotas.count_surely(&caller.client.seat(), gateway.pipeline.now_ms()).await
    }

    /// Takes the call's places, or says that it must wait for them.
    fn enter(&self) -> Option<SlotRequest> {
        if !self.is_counted() {
            return None;
        }
        let ToolCall { gateway, caller, .. } = self.call;
        let session = caller.session.as_ref().map(|session| &session.line);
        match gateway.quotas.try_enter(&caller.client.seat(), session).at_once() {
            Ok(places) => {
                self.state.lock().places = places;
                None
            }
            Err(entering) => Some(entering),
        }
    }

    fn given(&self) -> RawJson {
        self.call.request.parts.arguments.clone().unwrap_or(RawJson::EMPTY)
    }

    /// True if the call names contents that are looked up before people decide.
    fn is_concerned(&self, changed: Option<&RawJson>) -> bool {
        if let Some(own) = &self.own {
            return own.is_prepared;
        }
        if self.takes_secrets() {
            return true;
        }
        let concerns = |arguments: &RawJson| self.call.gateway.contents.concerns(self.call.tool(), arguments);
        let given = || self.call.request.parts.arguments.as_ref().is_some_and(concerns);
        changed.map_or_else(given, concerns)
    }

    async fn enter_run(&self, call: &CallId) -> Result<(), Refusal> {
        let Some(run) = self.run_id() else { return Ok(()) };
        let files: u64 = self.state.lock().attachments.iter().map(|one| one.bytes).sum();
        let given = self.given().as_bytes().len() as u64;
        let entering = RunCall {
            call: call.clone(),
            tool: self.call.tool().name.clone(),
            kind: self.own.as_ref().map_or(CallKind::Data, |own| own.kind),
            bytes: given + files,
        };
        self.call.gateway.runs.admit(run, entering).await?;
        self.state.lock().admitted = Some(call.clone());
        Ok(())
    }

    async fn send(&self, call: &CallId, load: CallPayload) -> Result<DeliveredReply, DeliveryError> {
        let CallPayload { arguments: changed, extras, only_seen, approval } = load;
        let ToolCall { gateway, caller, entry, .. } = self.call;
        if gateway.seats.has_ended(&self.holder.session) {
            // It may have waited for people for long.
            let ended =
                RpcError::new(RpcError::INTERNAL, "the session of this call has ended; nothing was sent");
            return Err(ended.into());
        }
        let holder = ContentHolder { call: Some(call.clone()), ..self.holder.clone() };
        if let Some(own) = &self.own {
            let arguments = changed.unwrap_or_else(|| self.given()).decode().unwrap_or_default();
            let seat = caller.client.seat();
            let contents = self.state.lock().attachments.clone();
            let approval = approval.map(|id| UsedApproval { id, contents });
            return self.own_call(own, &holder, &seat.scope).answer(&arguments, approval).await;
        }
        let LoadedRequest { mut request, sent, mask } = match self.is_concerned(changed.as_ref()) {
            false => LoadedRequest { request: self.server_request(changed), sent: Vec::new(), mask: None },
            true => self.loaded_request(&holder, changed).await?,
        };
        if let Some(extras) = extras {
            add_members(&mut request.meta, &extras);
        }
        if only_seen {
            // A header that repeats no argument of this tool was never checked.
            request.param_headers.retain(|(name, _)| is_declared(entry, name));
        }
        self.state.lock().sent = sent;
        let reply = forward::forward_masked(gateway, caller, &entry.server, Some(call), request, mask);
        Ok(reply.await?.into())
    }

    fn own_call<'b>(
        &'b self,
        tool: &'b PlatformTool,
        holder: &'b ContentHolder,
        scope: &'b Arc<Scope>,
    ) -> OwnCall<'b> {
        let ToolCall { gateway, caller, .. } = self.call;
        OwnCall { gateway, caller, tool, holder, scope }
    }

    /// The result without what is too big or too binary for the context.
    async fn take_out(&self, call: &CallId, clean: CleanResponse) -> CleanResponse {
        let Some((result, wrap)) = unpackable(&clean) else { return clean };
        let (result, contents) = (result.clone(), &self.call.gateway.contents);
        let holder = ContentHolder { call: Some(call.clone()), ..self.holder.clone() };
        let sent = std::mem::take(&mut self.state.lock().sent);
        let taken = contents.take_out(&holder, self.call.tool(), result, &sent).await;
        clean.less(wrap(taken.result), taken.refs, taken.notices)
    }

    fn server_request(&self, changed: Option<RawJson>) -> ServerRequest {
        let ToolCall { entry, request, .. } = self.call;
        let params = match &changed {
            None => request.parts.params_for(METHOD, &entry.own),
            Some(changed) => request.parts.params_with(METHOD, &entry.own, changed.as_str()).0,
        };
        self.request_with(params, changed.as_ref())
    }

    fn request_with(&self, params: String, changed: Option<&RawJson>) -> ServerRequest {
        let ToolCall { entry, request, .. } = self.call;
        let mut upstream = ServerRequest::new(METHOD, params);
        upstream.name = Some(entry.own.clone());
        upstream.meta.clone_from(&request.parts.meta.cargo);
        upstream.input = self.input.answers.clone();
        upstream.tool.clone_from(&entry.tool);
        upstream.origin =
            Some(CallOrigin { session: self.holder.session.clone(), run: self.told_run.clone() });
        upstream.param_headers = param_headers(entry, request, changed);
        upstream
    }
}

impl Executor for Errand<'_> {
    fn attach<'a>(
        &'a self,
        arguments: &'a Value,
    ) -> Option<BoxFuture<'a, Result<AttachedContents, Refusal>>> {
        let counted = self.count();
        let is_concerned = self.is_concerned(None);
        if counted == Some(Ok(())) && !is_concerned {
            return None;
        }
        Some(Box::pin(async move {
            match counted {
                Some(counted) => counted?,
                None => self.count_surely().await?,
            }
            if is_concerned { self.look_up(arguments).await } else { Ok(AttachedContents::default()) }
        }))
    }

    fn has_preview(&self) -> bool {
        self.is_shown_to_people()
    }

    fn preview<'a>(&'a self, arguments: &'a Value) -> BoxFuture<'a, Result<AttachedContents, Refusal>> {
        Box::pin(self.show_request(arguments))
    }

    fn admit<'a>(
        &'a self,
        call: &'a CallId,
        arguments: Option<&'a RawJson>,
    ) -> Option<BoxFuture<'a, Result<(), Refusal>>> {
        let agreed = arguments.filter(|arguments| self.is_concerned(Some(arguments)));
        let shown = self.state.lock().shown.clone();
        let entering = self.enter();
        if entering.is_none() && agreed.is_none() && shown.is_none() && self.run_id().is_none() {
            return None;
        }
        Some(Box::pin(async move {
            if let Some(entering) = entering {
                let places = entering.wait().await?;
                self.state.lock().places = places;
            }
            if let Some(arguments) = agreed {
                self.look_again(arguments).await?;
            }
            if let Some(shown) = shown {
                self.check_request(&shown).await?;
            }
            self.enter_run(call).await
        }))
    }

    fn execute<'a>(
        &'a self,
        call: &'a CallId,
        load: CallPayload,
    ) -> BoxFuture<'a, Result<DeliveredReply, DeliveryError>> {
        Box::pin(self.send(call, load))
    }

    fn writes_events(&self) -> bool {
        self.own.is_some()
    }

    fn account(&self, arguments: &RawJson, result: Option<&RawJson>) -> CallAccount {
        let ToolCall { gateway, caller, .. } = self.call;
        // One that has no others needs no name.
        let instance =
            caller.instance().filter(|instance| self.own.is_none() && *instance != InstanceId::only());
        let tally = gateway.discovery.view(&caller.client.seat()).tally();
        let tokens = TokenCounts {
            tokenizer: tokens::TOKENIZER,
            arguments: tokens::estimate(arguments.as_str()),
            result: result.map(|result| tokens::estimate(result.as_str())),
            list: tally.map(|tally| tally.listed),
            saved: tally.map(|tally| tally.full.saturating_sub(tally.listed)).filter(|saved| *saved > 0),
        };
        CallAccount { instance, tokens: Some(tokens), server_us: None }
    }

    fn must_unpack(&self, clean: &CleanResponse) -> bool {
        let Some((result, _)) = unpackable(clean).filter(|_| self.own.is_none()) else { return false };
        let has_sent = {
            let mut state = self.state.lock();
            state.result_bytes = result.as_bytes().len() as u64;
            !state.sent.is_empty()
        };
        self.call.whole == ResultAudience::ForClient
            && (has_sent || self.call.gateway.contents.must_look(result))
    }

    fn unpack<'a>(&'a self, call: &'a CallId, clean: CleanResponse) -> BoxFuture<'a, CleanResponse> {
        Box::pin(self.take_out(call, clean))
    }
}

/// Puts a result back into the form in which it came.
type ReplyWrapper = fn(RawJson) -> ServerReply;

/// The result of a call that has one, and how it came.
fn unpackable(clean: &CleanResponse) -> Option<(&RawJson, ReplyWrapper)> {
    match clean.reply() {
        ServerReply::Complete(result) => Some((result, ServerReply::Complete)),
        ServerReply::Cached(result) => Some((result, ServerReply::Cached)),
        ServerReply::InputRequired(_) | ServerReply::Task(_) => None,
    }
}

/// Headers for the server: those its own schema asks for, and those the client sent that we know nothing of.
fn param_headers(
    entry: &CatalogEntry,
    request: &OwnedRequest,
    changed: Option<&RawJson>,
) -> Vec<(String, String)> {
    if entry.param_headers.is_empty() {
        return request.param_headers.clone();
    }
    let arguments = match changed {
        Some(changed) => changed.decode().unwrap_or_default(),
        None => request.head.arguments(),
    };
    let own = entry
        .param_headers
        .iter()
        .filter_map(|one| Some((one.header.clone(), header::encode_value(&one.value(&arguments)?))));
    let foreign = request.param_headers.iter().filter(|(name, _)| !is_declared(entry, name)).cloned();
    own.chain(foreign).collect()
}

/// True if the tool's own schema asks for a header.
fn is_declared(entry: &CatalogEntry, name: &str) -> bool {
    entry.param_headers.iter().any(|one| one.header.eq_ignore_ascii_case(name))
}
