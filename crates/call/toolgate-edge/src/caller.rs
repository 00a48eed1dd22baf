//! The client behind one request, as the upstream side sees it: the way back for progress, logs and questions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use tokio::sync::oneshot;
use toolgate_core::port::{AskKind, Belonging, BoxFuture, Caller, ClientKey};
use toolgate_core::scope::Seat;
use toolgate_core::server::{Era, InstanceId};
use toolgate_core::{Principal, PrincipalId, RawJson, RpcError};
use toolgate_wire::object::{self, with_member};
use toolgate_wire::{Members, Version, compose, meta};

use crate::leash::Leash;
use crate::mailbox::Mailbox;
use crate::session::Session;
use crate::stream::EventLog;

/// Who is calling and what they can do: fixed for a session of the older era, read anew from each request of the newer.
pub(crate) struct Client {
    pub(crate) key: ClientKey,
    pub(crate) principal: Principal,
    /// In which session they are: what that shows them is all there is for them. It is found anew for each request.
    seat: ArcSwap<Seat>,
    pub(crate) version: Version,
    pub(crate) capabilities: RawJson,
    pub(crate) info: Option<RawJson>,
    pub(crate) abilities: Abilities,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Abilities {
    pub(crate) elicitation_form: bool,
    pub(crate) elicitation_url: bool,
    pub(crate) sampling: bool,
    pub(crate) roots: bool,
    pub(crate) tasks: bool,
}

impl Abilities {
    pub(crate) fn of(capabilities: &RawJson) -> Self {
        // Most clients of tools declare nothing.
        if capabilities.as_bytes() == b"{}" {
            return Self::default();
        }
        let Ok(members) = Members::of(capabilities) else {
            return Self::default();
        };
        let has = |object: Option<toolgate_core::Raw<'_>>, key: &str| {
            object.is_some_and(|raw| Members::parse(raw).is_ok_and(|members| members.get(key).is_some()))
        };
        let elicitation = members.get("elicitation");
        let url = has(elicitation, "url");
        Self {
            // An empty object is how clients declared forms before there was anything else.
            elicitation_form: elicitation.is_some() && (!url || has(elicitation, "form")),
            elicitation_url: url,
            sampling: members.get("sampling").is_some(),
            roots: members.get("roots").is_some(),
            tasks: has(members.get("extensions"), meta::TASKS_EXTENSION),
        }
    }
}

impl Client {
    pub(crate) fn new(seat: Arc<Seat>, version: Version, capabilities: RawJson) -> Self {
        Self {
            key: next_key(),
            principal: seat.principal.clone(),
            seat: ArcSwap::new(seat),
            version,
            abilities: Abilities::of(&capabilities),
            capabilities,
            info: None,
        }
    }

    /// The same client as it calls itself.
    pub(crate) fn called(self, info: Option<RawJson>) -> Self {
        Self { info, ..self }
    }

    pub(crate) fn seat(&self) -> Arc<Seat> {
        self.seat.load_full()
    }

    /// Whose handles are given out: what one session was given, another one cannot use.
    pub(crate) fn owner(&self) -> PrincipalId {
        PrincipalId::new(&format!("{} {}", self.principal.id, self.seat.load().session))
    }

    /// Takes the seat that was found for the next request. One of another session or principal is somebody else's.
    pub(crate) fn sit(&self, seat: &Arc<Seat>) -> bool {
        let now = self.seat.load();
        if Arc::ptr_eq(&now, seat) {
            return true;
        }
        let same = now.session == seat.session && now.principal == seat.principal;
        if same {
            self.seat.store(seat.clone());
        }
        same
    }

    pub(crate) fn era(&self) -> Era {
        self.version.era()
    }
}

/// A key no other client has. A client of the newer era has nothing to be recognised by, so each of its calls counts as
/// one: agents that share a token must not be asked each other's questions.
pub(crate) fn next_key() -> ClientKey {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    ClientKey(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// What a call under way sends towards its client.
pub(crate) enum Outbound {
    /// A whole notification.
    Notify(Bytes),
    Ask {
        kind: AskKind,
        params: RawJson,
        answer: oneshot::Sender<Result<RawJson, RpcError>>,
    },
}

pub(crate) struct RequestCaller {
    pub(crate) client: Arc<Client>,
    /// Only in the older era.
    pub(crate) session: Option<Arc<Session>>,
    pub(crate) progress_token: Option<RawJson>,
    /// What the request itself asked for, in the newer era.
    pub(crate) log_level: Option<String>,
    pub(crate) input_wait: Duration,
    pub(crate) mailbox: Mailbox,
    /// How the request may end early; nothing where nobody could end it.
    pub(crate) leash: Option<Leash>,
    /// Where the rest of the answer goes, for clients of the older era that may come back for it.
    pub(crate) stream: OnceLock<Arc<EventLog>>,
    /// Which instance of a server answered last.
    pub(crate) answered_by: Mutex<Option<InstanceId>>,
}

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

pub(crate) fn level_rank(level: &str) -> Option<usize> {
    LEVELS.iter().position(|one| *one == level)
}

/// Whether a message's `level` reaches what the client wants; a message without a level does.
pub(crate) fn level_passes(wanted: &str, params: &RawJson) -> bool {
    let level = Members::of(params).ok().and_then(|members| members.get_str("level").map(|l| l.into_owned()));
    match (level.as_deref().and_then(level_rank), level_rank(wanted)) {
        (Some(level), Some(wanted)) => level >= wanted,
        _ => true,
    }
}

impl RequestCaller {
    /// The same client with nobody there to hear or answer.
    pub(crate) fn without_ears(&self) -> Self {
        let client = Client::new(self.client.seat(), self.client.version, RawJson::EMPTY);
        let client = client.called(self.client.info.clone());
        Self {
            client: Arc::new(client),
            session: None,
            progress_token: None,
            log_level: None,
            input_wait: self.input_wait,
            mailbox: Mailbox::default(),
            leash: None,
            stream: OnceLock::new(),
            answered_by: Mutex::default(),
        }
    }

    /// What its requests belong to, for servers that keep something for their sessions.
    pub(crate) fn belonging(&self) -> Option<Belonging> {
        let run = self.client.seat().run.clone().map(Belonging::Run);
        run.or_else(|| self.session.as_ref().map(|_| Belonging::Client(self.client.key)))
    }

    /// Which instance of a server answered.
    pub(crate) fn instance(&self) -> Option<InstanceId> {
        self.answered_by.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether anybody is there to take the answer.
    pub(crate) fn is_there(&self) -> bool {
        if self.leash.as_ref().is_some_and(Leash::has_left) {
            return false;
        }
        match self.stream.get() {
            Some(stream) => stream.is_attended(),
            None => !self.mailbox.is_abandoned(),
        }
    }

    /// Whether the client said that it does not want the answer any more.
    pub(crate) fn has_withdrawn(&self) -> bool {
        self.leash.as_ref().is_some_and(Leash::is_given_up)
    }

    /// Notifications are best effort: a client that reads too slowly loses some rather than slowing the server down.
    fn notify(&self, method: &str, params: &RawJson) {
        self.mailbox.leave(Outbound::Notify(compose::notification(method, Some(params))));
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
        let abilities = self.client.abilities;
        match kind {
            AskKind::Elicitation => abilities.elicitation_form || abilities.elicitation_url,
            AskKind::Sampling => abilities.sampling,
            AskKind::Roots => abilities.roots,
        }
    }

    fn wants_progress(&self) -> bool {
        self.progress_token.is_some()
    }

    fn log_level(&self) -> Option<&str> {
        self.log_level.as_deref()
    }

    fn answered_by(&self, instance: &InstanceId) {
        *self.answered_by.lock().unwrap_or_else(PoisonError::into_inner) = Some(instance.clone());
    }

    fn progress(&self, params: RawJson) {
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
        Box::pin(async move {
            if !self.can_answer(kind) || asks_beyond(self.client.abilities, kind, &params) {
                return Err(cannot_answer(kind));
            }
            let (answer, answered) = oneshot::channel();
            let gone = || RpcError::new(RpcError::INTERNAL, "the client has gone");
            if !self.mailbox.leave(Outbound::Ask { kind, params, answer }) {
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

/// Whether an elicitation uses a mode (form or URL) that the client did not declare.
fn asks_beyond(abilities: Abilities, kind: AskKind, params: &RawJson) -> bool {
    if kind != AskKind::Elicitation {
        return false;
    }
    let mode = Members::of(params).ok().and_then(|members| members.get("mode").and_then(object::string));
    match mode.as_deref() {
        Some("url") => !abilities.elicitation_url,
        _ => !abilities.elicitation_form,
    }
}
