//! The client behind one request, as the upstream side sees it: the way back for progress, logs and questions.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use toolgate_core::id::CallId;
use toolgate_core::port::{AffinityKey, AskKind, BoxFuture, CallListener, Caller, ClientKey};
use toolgate_core::server::InstanceId;
use toolgate_core::{PrincipalId, RawJson, RpcError};
use toolgate_wire::object::{self, with_member};
use toolgate_wire::{ObjectMembers, compose, meta};

use crate::clients::client::{Client, ClientAbilities};
use crate::clients::leash::Leash;
use crate::clients::log_level::level_passes;
use crate::clients::mailbox::{Mailbox, OutboundMessage};
use crate::clients::session::ClientSession;
use crate::clients::stream::EventLog;

/// The id of a question that a server asks in the middle of a call, one at a time.
const SERVERS_QUESTION: &str = "input";

pub(crate) struct RequestCaller {
    pub(crate) client: Arc<Client>,
    /// Only in the older era.
    pub(crate) session: Option<Arc<ClientSession>>,
    pub(crate) progress_token: Option<RawJson>,
    /// The level of logs that the request asked for, in the newer era.
    pub(crate) log_level: Option<String>,
    pub(crate) input_wait: Duration,
    /// False if it comes back for what people decide, instead of waiting for them.
    pub(crate) is_patient: bool,
    pub(crate) mailbox: Mailbox,
    /// The means to end the request early; nothing if it cannot be ended.
    pub(crate) leash: Option<Leash>,
    /// The stream for the rest of the answer, for clients of the older era that may come back for it.
    pub(crate) stream: OnceLock<Arc<EventLog>>,
    /// The instance of a server that answered last.
    pub(crate) answered_by: Mutex<Option<InstanceId>>,
    /// Hears of progress in the client's place.
    pub(crate) listener: Option<Arc<dyn CallListener>>,
    /// The call that the listener hears of, once it goes to its server.
    pub(crate) sent: OnceLock<CallId>,
}

impl RequestCaller {
    /// A client that wants to hear of nothing but the answer.
    pub(crate) fn quiet(client: Client, input_wait: Duration) -> Self {
        Self {
            client: Arc::new(client),
            session: None,
            progress_token: None,
            log_level: None,
            input_wait,
            is_patient: true,
            mailbox: Mailbox::default(),
            leash: None,
            stream: OnceLock::new(),
            answered_by: Mutex::default(),
            listener: None,
            sent: OnceLock::new(),
        }
    }

    /// The same, and it does not wait for people.
    pub(crate) fn impatient(self) -> Self {
        Self { is_patient: false, ..self }
    }

    /// A call goes to its server. What is told of progress before that is not the server's.
    pub(crate) fn sends(&self, call: &CallId) {
        if self.listener.is_some() {
            // It has one id, however often it goes.
            drop(self.sent.set(call.clone()));
        }
    }

    /// The same client, as if no one were there to hear or answer.
    pub(crate) fn without_ears(&self) -> Self {
        let client = Client::new(self.client.seat(), self.client.version, RawJson::EMPTY);
        Self::quiet(client.called(self.client.info.clone()), self.input_wait)
    }

    /// The session of its requests, for servers that keep state for their sessions.
    pub(crate) fn belonging(&self) -> Option<AffinityKey> {
        let run = self.client.seat().run.clone().map(AffinityKey::Run);
        run.or_else(|| self.session.as_ref().map(|_| AffinityKey::Client(self.client.key)))
    }

    /// The instance of a server that answered.
    pub(crate) fn instance(&self) -> Option<InstanceId> {
        self.answered_by.lock().clone()
    }

    /// True if a client is there to take the answer.
    pub(crate) fn is_there(&self) -> bool {
        if self.leash.as_ref().is_some_and(Leash::has_left) {
            return false;
        }
        match self.stream.get() {
            Some(stream) => stream.is_attended(),
            None => !self.mailbox.is_abandoned(),
        }
    }

    /// True if the client said that it no longer wants the answer.
    pub(crate) fn has_withdrawn(&self) -> bool {
        self.leash.as_ref().is_some_and(Leash::is_given_up)
    }

    /// Notifications are best effort: a client that reads too slowly loses some rather than slowing the server down.
    fn notify(&self, method: &str, params: &RawJson) {
        self.mailbox.leave(OutboundMessage::Notify(compose::notification(method, Some(params))));
    }

    fn wants_log(&self, params: &RawJson) -> bool {
        match (&self.session, &self.log_level) {
            // Before a client of the older era has set a level, the server decides what it sends.
            (Some(session), _) => session.log_level().is_none_or(|wanted| level_passes(&wanted, params)),
            (None, Some(wanted)) => level_passes(wanted, params),
            (None, None) => false,
        }
    }
}

impl Caller for RequestCaller {
    fn principal(&self) -> &PrincipalId {
        &self.client.principal.id
    }

    fn client(&self) -> ClientKey {
        self.client.key
    }

    fn capabilities(&self) -> &RawJson {
        &self.client.capabilities
    }

    fn client_info(&self) -> Option<&RawJson> {
        self.client.info.as_ref()
    }

    fn can_answer(&self, kind: AskKind) -> bool {
        self.client.abilities.can_answer(kind)
    }

    fn waits_for_people(&self) -> bool {
        self.is_patient
    }

    fn wants_progress(&self) -> bool {
        self.progress_token.is_some() || self.listener.is_some()
    }

    fn log_level(&self) -> Option<&str> {
        self.log_level.as_deref()
    }

    fn answered_by(&self, instance: &InstanceId) {
        *self.answered_by.lock() = Some(instance.clone());
    }

    fn progress(&self, params: RawJson) {
        if let (Some(listener), Some(call)) = (&self.listener, self.sent.get()) {
            return listener.progress(call, params);
        }
        let Some(token) = &self.progress_token else { return };
        if let Ok(text) = with_member(params.as_str(), meta::PROGRESS_TOKEN, token.as_str()) {
            self.notify("notifications/progress", &RawJson::from_composed(text));
        }
    }

    fn log(&self, params: RawJson) {
        if self.wants_log(&params) {
            self.notify("notifications/message", &params);
        }
    }

    fn ask(&self, kind: AskKind, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        self.ask_as(SERVERS_QUESTION, kind, params)
    }

    fn ask_as(&self, id: &str, kind: AskKind, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        let id: Box<str> = id.into();
        Box::pin(async move {
            if !self.can_answer(kind) || asks_beyond(self.client.abilities, kind, &params) {
                return Err(cannot_answer(kind));
            }
            let (answer, answered) = oneshot::channel();
            let gone = || RpcError::new(RpcError::INTERNAL, "the client has gone");
            if !self.mailbox.leave(OutboundMessage::Ask { id, kind, params, answer }) {
                return Err(gone());
            }
            match tokio::time::timeout(self.input_wait, answered).await {
                Ok(outcome) => outcome.unwrap_or_else(|_| Err(gone())),
                Err(_) => Err(RpcError::new(
                    RpcError::INTERNAL,
                    format!("the client did not answer within {} s", self.input_wait.as_secs()),
                )),
            }
        })
    }
}

pub(crate) fn cannot_answer(kind: AskKind) -> RpcError {
    RpcError::new(RpcError::METHOD_NOT_FOUND, format!("the client does not support {}", kind.capability()))
}

/// True if an elicitation uses a mode (form or URL) that the client did not declare.
fn asks_beyond(abilities: ClientAbilities, kind: AskKind, params: &RawJson) -> bool {
    if kind != AskKind::Elicitation {
        return false;
    }
    let mode =
        ObjectMembers::of(params).ok().and_then(|members| members.get("mode").and_then(object::string));
    match mode.as_deref() {
        Some("url") => !abilities.elicitation_url,
        _ => !abilities.elicitation_form,
    }
}
