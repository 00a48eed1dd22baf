//! Streamable HTTP of the older era: requests belong to sessions that `initialize` opens.
//!
//! The gateway has a session of its own for lists and subscriptions; calls run in one session per principal, so that
//! what a server keeps for one is never shown to another. A server that gives no session ids has no sessions, and
//! everyone uses the gateway's.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_core::port::{BoxFuture, Caller, Reply, ServerError, ServerRequest};
use toolgate_core::server::Era;
use toolgate_core::{FaultKind, PrincipalId};
use toolgate_wire::header;

use super::open::{read, refused_at_the_door};
use super::{Endpoint, body_fault, judge, send_fault, timed_out};
use crate::answer;
use crate::client::{Answered, BodyError, SendError};
use crate::context::Context;
use crate::deadline::{Deadline, Passed};
use crate::envelope;
use crate::events::Events;
use crate::pending::{Answer, Pending, Ticket};
use crate::probe::{OpenError, Opening};
use crate::routing::{Back, Own, Shared};

/// Sessions of principals that may be open at one server.
const SESSIONS_MAX: usize = 1024;
/// A principal's session without requests is closed after this.
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(10 * 60);
/// How long the small messages of ours (answers, cancellations, farewells) may take.
const POST_PATIENCE: Duration = Duration::from_secs(10);
/// Waited before a stream is resumed, where the server does not say.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(60);

/// Whose session: the gateway's own, or a principal's.
type Key = Option<PrincipalId>;

pub(crate) struct Sessions {
    ctx: Arc<Context>,
    endpoint: Endpoint,
    slots: Mutex<BTreeMap<Key, Arc<Slot>>>,
    /// Counts how often the gateway's own session had to be opened: a new one has no subscriptions.
    generation: watch::Sender<u64>,
    /// Cancelled when the link is let go.
    stop: CancellationToken,
}

/// The place of one session, which may be opened anew.
#[derive(Default)]
struct Slot {
    current: Mutex<Option<Arc<Session>>>,
    opening: tokio::sync::Mutex<()>,
}

pub(crate) struct Session {
    ctx: Arc<Context>,
    endpoint: Endpoint,
    headers: HeaderMap,
    has_id: bool,
    pub(crate) opening: Opening,
    pending: Arc<Pending>,
    expired: AtomicBool,
    used: Mutex<Instant>,
    stop: CancellationToken,
}

/// What became of one attempt.
enum Attempt {
    Answered(Answer),
    /// The server no longer knows the session, so nothing ran.
    Expired,
}

impl Sessions {
    /// Opens the gateway's own session.
    pub(crate) async fn open(
        ctx: &Arc<Context>,
        endpoint: &Endpoint,
    ) -> Result<(Self, Opening), OpenFailure> {
        let stop = ctx.stop.child_token();
        let own = Session::open(ctx, endpoint, &stop).await?;
        let opening = own.opening.clone();
        let slot = Slot { current: Mutex::new(Some(own)), ..Slot::default() };
        let slots = Mutex::new(BTreeMap::from([(None, Arc::new(slot))]));
        let generation = watch::Sender::new(0);
        Ok((Self { ctx: ctx.clone(), endpoint: endpoint.clone(), slots, generation, stop }, opening))
    }

    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Option<Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Result<Reply, ServerError> {
        let key = caller.as_ref().map(|caller| caller.principal().clone());
        let mut again = true;
        loop {
            let session = match deadline.limit(self.session(&key)).await {
                Ok(session) => session?,
                Err(Passed) => return Err(timed_out(&self.ctx, deadline.length())),
            };
            match session.request(request, caller.as_ref(), deadline).await {
                Attempt::Answered(answer) => return answer::reply(&self.ctx, Era::Legacy, answer?),
                Attempt::Expired if again => again = false,
                Attempt::Expired => {
                    return Err(self.ctx.fault(FaultKind::Refused {
                        status: 404,
                        body: "the session is gone again".into(),
                    }));
                }
            }
        }
    }

    /// The open session of `key`, opened if need be.
    async fn session(&self, key: &Key) -> Result<Arc<Session>, ServerError> {
        let slot = self.slot(key)?;
        if let Some(session) = slot.usable() {
            return Ok(session);
        }
        let _only = slot.opening.lock().await;
        if let Some(session) = slot.usable() {
            return Ok(session);
        }
        let session =
            Box::pin(Session::open(&self.ctx, &self.endpoint, &self.stop)).await.map_err(|failure| {
                self.ctx.signals.suspect();
                self.ctx.down(failure.0.to_string())
            })?;
        *slot.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.clone());
        if key.is_none() {
            self.generation.send_modify(|generation| *generation += 1);
            self.ctx.signals.list_changed();
        }
        Ok(session)
    }

    fn slot(&self, key: &Key) -> Result<Arc<Slot>, ServerError> {
        let mut slots = self.slots();
        let own = slots.get(&None).expect("the gateway's own slot is made first and never removed").clone();
        if key.is_none() || own.is_without_id() {
            return Ok(own);
        }
        if let Some(slot) = slots.get(key) {
            return Ok(slot.clone());
        }
        if slots.len() > SESSIONS_MAX {
            return Err(self.ctx.fault(FaultKind::Busy { limit: SESSIONS_MAX }));
        }
        let slot = Arc::new(Slot::default());
        slots.insert(key.clone(), slot.clone());
        Ok(slot)
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<Key, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes when the gateway's own session has been opened anew.
    pub(crate) fn generation(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    /// Every session that is open now.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.slots().values().filter_map(|slot| slot.usable()).collect()
    }

    /// Closes the sessions of principals that have not been used for `idle`.
    pub(crate) async fn close_idle(&self, idle: Duration) {
        self.endpoint.client.sweep();
        let mut closing = Vec::new();
        self.slots().retain(|key, slot| {
            let stays = key.is_none() || slot.usable().is_none_or(|session| !session.is_idle(idle));
            // An empty slot is kept only while someone is opening it.
            let stays = stays && (key.is_none() || slot.usable().is_some() || Arc::strong_count(slot) > 1);
            if !stays {
                closing.extend(slot.usable());
            }
            stays
        });
        futures_util::future::join_all(closing.iter().map(|session| session.close())).await;
    }

    /// Says goodbye to the server for every session.
    pub(crate) async fn close(&self) {
        let all = self.all();
        futures_util::future::join_all(all.iter().map(|session| session.close())).await;
        self.stop.cancel();
        self.endpoint.client.close_idle();
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Slot {
    fn usable(&self) -> Option<Arc<Session>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().filter(|session| !session.expired.load(Ordering::Acquire)).cloned()
    }

    fn is_without_id(&self) -> bool {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().is_some_and(|session| !session.has_id)
    }
}

/// Why a session did not open, and the HTTP status if that was the reason.
pub(crate) struct OpenFailure(pub(crate) OpenError, pub(crate) Option<StatusCode>);

impl From<OpenError> for OpenFailure {
    fn from(error: OpenError) -> Self {
        Self(error, None)
    }
}

impl Session {
    async fn open(
        ctx: &Arc<Context>,
        endpoint: &Endpoint,
        stop: &CancellationToken,
    ) -> Result<Arc<Self>, OpenFailure> {
        let pending = Arc::new(Pending::default());
        let id = pending.next_id();
        let answered = endpoint.post(endpoint.headers(), envelope::initialize(id).into()).await;
        let answered = answered.map_err(|error| OpenError::Connect(error.to_string()))?;
        let session_id = answered.headers.get(header::SESSION_ID).cloned();
        let opening = read_opening(ctx, answered, id).await?;
        let mut headers = endpoint.headers();
        headers.insert(header::PROTOCOL_VERSION, HeaderValue::from_static(opening.version.as_str()));
        let has_id = session_id.is_some();
        if let Some(session_id) = session_id {
            headers.insert(header::SESSION_ID, session_id);
        }
        let session = Arc::new(Self {
            ctx: ctx.clone(),
            endpoint: endpoint.clone(),
            headers,
            has_id,
            opening,
            pending,
            expired: AtomicBool::new(false),
            used: Mutex::new(Instant::now()),
            stop: stop.child_token(),
        });
        session.begin().await?;
        Ok(session)
    }

    /// What follows a successful `initialize`.
    async fn begin(self: &Arc<Self>) -> Result<(), OpenError> {
        self.post(envelope::initialized().into())
            .await
            .map_err(|error| OpenError::Connect(error.to_string()))?;
        let level = self.ctx.house.level.borrow().clone();
        if let Some(level) = level {
            self.set_level(&level).await;
        }
        let speaks_up = ["tools", "prompts", "resources"]
            .iter()
            .any(|kind| self.opening.declares(&[kind, "listChanged"]));
        if speaks_up
            || self.opening.declares(&["resources", "subscribe"])
            || self.opening.declares(&["logging"])
        {
            let session = self.clone();
            self.ctx.tasks.spawn(async move {
                let stop = session.stop.clone();
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = session.hear() => {}
                }
            });
        }
        Ok(())
    }

    pub(crate) async fn set_level(self: &Arc<Self>, level: &str) {
        if !self.opening.declares(&["logging"]) {
            return;
        }
        let request = crate::link::level_request(level);
        let deadline = Deadline::after(POST_PATIENCE);
        if let Attempt::Answered(Err(error)) = self.request(&request, None, &deadline).await {
            tracing::debug!(server = %self.ctx.name(), %error, "the log level was not taken");
        }
    }

    pub(crate) async fn roots_changed(&self) {
        drop(self.post(envelope::roots_changed().into()).await);
    }

    fn is_idle(&self, idle: Duration) -> bool {
        self.pending.is_idle() && self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= idle
    }

    async fn close(&self) {
        self.stop.cancel();
        if self.has_id && !self.expired.swap(true, Ordering::AcqRel) {
            let farewell = self.endpoint.delete(self.headers.clone());
            if let Ok(Ok(answered)) =
                tokio::time::timeout(POST_PATIENCE.min(Duration::from_secs(2)), farewell).await
            {
                answered.finish();
            }
        }
    }

    async fn request(
        self: &Arc<Self>,
        request: &ServerRequest,
        caller: Option<&Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Attempt {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let id = self.pending.next_id();
        let ticket = match self.pending.attend(id, caller.cloned(), Some(deadline.clone())) {
            Ok(ticket) => ticket,
            Err(error) => return Attempt::Answered(Err(error)),
        };
        let body = envelope::legacy(id, request, caller.map(|caller| &**caller));
        let mut cancel = Cancel { session: self, id, armed: true, reason: "the caller gave up" };
        let outcome = deadline.limit(self.exchange(id, body.into(), caller, deadline, &ticket)).await;
        cancel.armed = outcome.is_err();
        outcome.unwrap_or_else(|Passed| {
            cancel.reason = "the request took too long";
            Attempt::Answered(Err(timed_out(&self.ctx, deadline.length())))
        })
    }

    async fn exchange(
        self: &Arc<Self>,
        id: u64,
        body: Bytes,
        caller: Option<&Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
        ticket: &Ticket,
    ) -> Attempt {
        let answered = match self.endpoint.post(self.headers.clone(), body).await {
            Ok(answered) => answered,
            Err(error) => return Attempt::Answered(Err(send_fault(&self.ctx, error))),
        };
        if answered.status.is_success() && answered.is_event_stream() {
            return Attempt::Answered(Box::pin(self.stream(id, answered, caller, deadline, ticket)).await);
        }
        let status = answered.status;
        let body = match answered.whole(self.ctx.limits().result_bytes_max).await {
            Ok(body) => body,
            Err(error) => return Attempt::Answered(Err(body_fault(&self.ctx, error))),
        };
        if self.has_id && names_lost_session(status, &body) {
            self.expired.store(true, Ordering::Release);
            self.stop.cancel();
            return Attempt::Expired;
        }
        Attempt::Answered(judge(&self.ctx, status, &body, id))
    }

    /// Reads the stream of one request to its answer, across interruptions the server allows for.
    async fn stream(
        self: &Arc<Self>,
        id: u64,
        answered: Answered,
        caller: Option<&Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
        ticket: &Ticket,
    ) -> Answer {
        let back: Arc<dyn Back> = self.clone();
        let ended = ticket.ended();
        let own = Own {
            ctx: &self.ctx,
            id,
            caller,
            deadline: Some(deadline),
            ended: &ended,
            back: Some(&back),
            pending: Some(&self.pending),
        };
        let limit = self.ctx.limits().result_bytes_max;
        let mut events = Events::new(answered, limit);
        loop {
            let interruption = match events.next().await {
                Ok(Some(event)) => match own.take(&event.data.into()) {
                    Some(answer) => {
                        events.finish();
                        return answer;
                    }
                    None => continue,
                },
                Ok(None) => "the stream ended before the answer came".to_owned(),
                Err(BodyError::TooLarge) => return Err(self.ctx.too_large()),
                Err(BodyError::Lost(reason)) => reason,
            };
            let resumed = self.resume(events.last_id.as_deref(), events.retry_ms).await;
            let (last_id, retry_ms) = (events.last_id.take(), events.retry_ms);
            events = Events::new(resumed.ok_or_else(|| self.ctx.lost(interruption))?, limit);
            (events.last_id, events.retry_ms) = (last_id, retry_ms);
        }
    }

    /// Asks for the rest of an interrupted stream, if the server marked where it stopped.
    async fn resume(&self, last_id: Option<&str>, retry_ms: Option<u64>) -> Option<Answered> {
        let last_id = HeaderValue::from_str(last_id?).ok()?;
        tokio::time::sleep(retry_ms.map_or(RETRY, Duration::from_millis).min(RETRY_MAX)).await;
        let mut headers = self.headers.clone();
        headers.insert(header::LAST_EVENT_ID, last_id);
        let answered = self.endpoint.get(headers).await.ok()?;
        (answered.status.is_success() && answered.is_event_stream()).then_some(answered)
    }

    /// Hears what the server says outside of requests, for as long as the session lasts.
    async fn hear(self: &Arc<Self>) {
        let back: Arc<dyn Back> = self.clone();
        let shared = Shared { ctx: &self.ctx, pending: &self.pending, back: &back };
        let mut backoff = crate::backoff::Backoff::default();
        let mut last_id: Option<String> = None;
        loop {
            let mut headers = self.headers.clone();
            if let Some(value) = last_id.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
                headers.insert(header::LAST_EVENT_ID, value);
            }
            let began = Instant::now();
            let mut wait = None;
            match self.endpoint.get(headers).await {
                Ok(answered) if answered.status.is_success() && answered.is_event_stream() => {
                    let mut events = Events::new(answered, self.ctx.limits().result_bytes_max);
                    while let Ok(Some(event)) = events.next().await {
                        shared.take(&event.data.into());
                    }
                    wait = events.retry_ms.map(Duration::from_millis);
                    last_id = events.last_id.or(last_id);
                }
                // 405 and its like: the server has nothing to say outside of requests.
                Ok(answered) if !answered.status.is_server_error() => {
                    if answered.status == StatusCode::NOT_FOUND && self.has_id {
                        self.ctx.signals.suspect();
                    }
                    return;
                }
                _ => self.ctx.signals.suspect(),
            }
            backoff.lasted(began.elapsed());
            let pause = backoff.next();
            tokio::time::sleep(wait.map_or(pause, |wait| wait.max(pause).min(RETRY_MAX))).await;
        }
    }

    /// Sends a message that is not a request.
    async fn post(&self, message: Bytes) -> Result<(), SendError> {
        let posting = self.endpoint.post(self.headers.clone(), message);
        let answered = tokio::time::timeout(POST_PATIENCE, posting)
            .await
            .unwrap_or_else(|_| Err(SendError::Lost("it did not take a notification".into())))?;
        if !answered.status.is_success() {
            tracing::debug!(server = %self.ctx.name(), status = %answered.status, "a message was not taken");
        }
        answered.finish();
        Ok(())
    }
}

impl Back for Session {
    fn send_back(&self, message: Bytes) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Err(error) = self.post(message).await {
                crate::context::count(&self.ctx.counters.unsent);
                tracing::debug!(server = %self.ctx.name(), %error, "an answer was not taken");
            }
        })
    }
}

/// Tells the server when a request is given up before its answer came: hanging up means nothing in the older era.
struct Cancel<'a> {
    session: &'a Arc<Session>,
    id: u64,
    armed: bool,
    reason: &'static str,
}

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        let (session, message) = (self.session.clone(), envelope::cancelled(self.id, self.reason));
        self.session.ctx.tasks.spawn(async move { drop(session.post(message.into()).await) });
    }
}

/// 404 is what the protocol says. Widespread servers say 400 and talk about the session in the body; either way the
/// request was turned away at the door.
fn names_lost_session(status: StatusCode, body: &[u8]) -> bool {
    const LOOK: usize = 1024;
    let head = String::from_utf8_lossy(&body[..body.len().min(LOOK)]).to_ascii_lowercase();
    status == StatusCode::NOT_FOUND || (status == StatusCode::BAD_REQUEST && head.contains("session"))
}

async fn read_opening(ctx: &Arc<Context>, answered: Answered, id: u64) -> Result<Opening, OpenFailure> {
    refused_at_the_door(&answered)?;
    let status = answered.status;
    match read(ctx, answered, id).await {
        Ok(result) => Ok(Opening::of_initialize(&result)?),
        Err(error) if status.is_success() => Err(OpenError::from(error).into()),
        Err(error) => Err(OpenFailure(error.into(), Some(status))),
    }
}
