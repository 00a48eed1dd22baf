//! One session of the older era: requests, their streams, and the stream beside them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use parking_lot::Mutex;
use tokio::sync::{OnceCell, oneshot};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use toolgate_core::port::{AskKind, BoxFuture, Caller, ServerRequest};
use toolgate_core::{PrincipalId, RpcError};
use toolgate_wire::{IncomingMessage, header};

use super::first_answer::{read, refused_at_the_door};
use super::{Endpoint, body_fault, judge, send_fault, unauthorized};
use crate::answer;
use crate::backoff::Backoff;
use crate::callers::CallerNaming;
use crate::cancel::SessionCancel;
use crate::client::{BodyError, SendError, ServerResponse};
use crate::context::ServerContext;
use crate::deadline::{Deadline, DeadlinePassed};
use crate::envelope::{self, level_request};
use crate::events::ServerEvents;
use crate::keys::SecretUser;
use crate::message::OutgoingMessage;
use crate::pending::{PendingRequests, RequestTicket, ServerAnswer};
use crate::probe::{OpenError, ServerIntroduction};
use crate::routing::{AnswerSink, RequestStream, SharedStream};

/// The time limit of our small messages (answers, cancellations).
const POST_PATIENCE: Duration = Duration::from_secs(10);
/// The time limit of a farewell: only the end of the gateway waits for it.
const FAREWELL_PATIENCE: Duration = Duration::from_secs(2);
/// The time that a call waits for the stream beside it to open. Some servers send nothing at all until there
/// is an event.
const STREAM_PATIENCE: Duration = Duration::from_millis(500);
/// Waited before a stream is resumed, where the server does not say.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(60);

pub(crate) struct HttpSession {
    ctx: Arc<ServerContext>,
    endpoint: Endpoint,
    headers: HeaderMap,
    has_id: bool,
    /// True if the server sends messages outside of requests.
    speaks_up: bool,
    naming: CallerNaming,
    opening: ServerIntroduction,
    pending: Arc<PendingRequests>,
    expired: AtomicBool,
    used: Mutex<Instant>,
    /// Set once the stream beside the calls has been opened, or refused.
    hearing: OnceCell<()>,
    stop: CancellationToken,
}

/// The result of one attempt.
pub(super) enum SendAttempt {
    Answered(ServerAnswer),
    /// The server no longer knows the session, so nothing ran.
    Expired,
}

/// The owner of a session's stream. The gateway's has to make up for missed messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamOwner {
    Gateway,
    Principal,
}

/// One request under way.
#[derive(Clone, Copy)]
struct SessionCall<'a> {
    id: u64,
    caller: Option<&'a Arc<dyn Caller>>,
    deadline: &'a Arc<Deadline>,
    ticket: &'a RequestTicket,
}

/// The reason why a session did not open, and the HTTP status if that was the reason.
pub(crate) struct OpenFailure(pub(super) OpenError, pub(super) Option<StatusCode>);

impl From<OpenError> for OpenFailure {
    fn from(error: OpenError) -> Self {
        Self(error, None)
    }
}

impl HttpSession {
    pub(super) async fn open(
        ctx: &Arc<ServerContext>,
        endpoint: &Endpoint,
        owner: Option<PrincipalId>,
        stop: &CancellationToken,
    ) -> Result<Arc<Self>, OpenFailure> {
        let pending = PendingRequests::of(owner);
        let id = pending.next_id();
        let initialize = envelope::initialize(id);
        let answered =
            endpoint.post(pending.owner(), endpoint.headers(), initialize).await.map_err(OpenError::from)?;
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
            speaks_up: speaks_up(&opening),
            naming: opening.caller_naming(),
            opening,
            pending,
            expired: AtomicBool::new(false),
            used: Mutex::new(Instant::now()),
            hearing: OnceCell::new(),
            stop: stop.child_token(),
        });
        session.begin().await?;
        Ok(session)
    }

    /// The steps after a successful `initialize`.
    async fn begin(self: &Arc<Self>) -> Result<(), OpenError> {
        self.post(envelope::initialized().into()).await?;
        let level = self.ctx.house.level.borrow().clone();
        if let Some(level) = level {
            self.set_level(&level).await;
        }
        Ok(())
    }

    pub(super) fn opening(&self) -> &ServerIntroduction {
        &self.opening
    }

    pub(super) fn has_id(&self) -> bool {
        self.has_id
    }

    pub(super) fn is_expired(&self) -> bool {
        self.expired.load(Ordering::Acquire)
    }

    /// Opens the stream beside the calls, if the server declares that it will use it.
    pub(super) async fn hear_gateway(self: &Arc<Self>) {
        if self.speaks_up {
            self.hearing(StreamOwner::Gateway).await;
        }
    }

    /// The same for a caller. A caller that can be asked gets the stream in any case: many servers send their
    /// questions there, whatever call they belong to.
    async fn hear_for(self: &Arc<Self>, caller: &dyn Caller) {
        const KINDS: [AskKind; 3] = [AskKind::Elicitation, AskKind::Sampling, AskKind::Roots];
        if !self.hearing.initialized()
            && (KINDS.iter().any(|kind| caller.can_answer(*kind)) || self.speaks_up)
        {
            self.hearing(StreamOwner::Principal).await;
        }
    }

    async fn hearing(self: &Arc<Self>, whose: StreamOwner) {
        self.hearing
            .get_or_init(|| async {
                let (opened, open) = oneshot::channel();
                let session = self.clone();
                self.ctx.tasks.spawn(async move {
                    let stop = session.stop.clone();
                    tokio::select! {
                        () = stop.cancelled() => {}
                        () = session.hear(whose, opened) => {}
                    }
                });
                drop(timeout(STREAM_PATIENCE, open).await);
            })
            .await;
    }

    pub(crate) async fn set_level(self: &Arc<Self>, level: &str) {
        if !self.opening.declares(&["logging"]) {
            return;
        }
        let request = level_request(level);
        let deadline = Deadline::after(POST_PATIENCE);
        if let SendAttempt::Answered(Err(error)) = self.request(&request, None, &deadline).await {
            tracing::debug!(server = %self.ctx.name(), %error, "the log level was not taken");
        }
    }

    pub(crate) async fn roots_changed(&self) {
        self.notify(envelope::roots_changed()).await;
    }

    /// Sends a notification. A server that does not take it misses it.
    pub(super) async fn notify(&self, message: String) {
        drop(self.post(message.into()).await);
    }

    pub(super) fn is_idle(&self, idle: Duration) -> bool {
        self.pending.is_idle() && self.used.lock().elapsed() >= idle
    }

    pub(super) async fn close(&self) {
        self.stop.cancel();
        if self.has_id && !self.expired.swap(true, Ordering::AcqRel) {
            let farewell = self.endpoint.delete(self.pending.owner(), self.headers.clone());
            if let Ok(Ok(answered)) = timeout(FAREWELL_PATIENCE, farewell).await {
                answered.finish();
            }
        }
    }

    pub(super) async fn request(
        self: &Arc<Self>,
        request: &ServerRequest,
        caller: Option<&Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> SendAttempt {
        *self.used.lock() = Instant::now();
        if let Some(caller) = caller {
            self.hear_for(&**caller).await;
        }
        let id = self.pending.next_id();
        let (ticket, elsewhere) = match self.pending.expect(id, caller.cloned(), Some(deadline.clone()), None)
        {
            Ok(place) => place,
            Err(error) => return SendAttempt::Answered(Err(error)),
        };
        let origin = self.naming.told(request);
        let message = envelope::legacy(id, request, caller.map(|caller| &**caller), origin);
        let inserts = message.inserts().cloned();
        let send = |message: String| {
            let session = self.clone();
            self.ctx.tasks.spawn(async move { drop(session.post(message.into()).await) });
        };
        let mut cancel = SessionCancel { id, inserts, armed: true, reason: "the caller gave up", send };
        let call = SessionCall { id, caller, deadline, ticket: &ticket };
        let outcome = deadline.limit(self.exchange(call, elsewhere, message)).await;
        cancel.armed = outcome.is_err();
        outcome.unwrap_or_else(|DeadlinePassed| {
            cancel.reason = "the request took too long";
            SendAttempt::Answered(Err(self.ctx.late(deadline, cancel.inserts.as_ref())))
        })
    }

    async fn exchange(
        self: &Arc<Self>,
        call: SessionCall<'_>,
        elsewhere: oneshot::Receiver<ServerAnswer>,
        message: OutgoingMessage,
    ) -> SendAttempt {
        let answered = match self.endpoint.post(self.who(call), self.headers.clone(), message).await {
            Ok(answered) => answered,
            Err(error) => return SendAttempt::Answered(Err(send_fault(&self.ctx, error))),
        };
        if let Some(fault) = unauthorized(&self.ctx, &answered) {
            return SendAttempt::Answered(Err(fault));
        }
        let status = answered.status;
        if status.is_success() && answered.is_event_stream() {
            // The answer belongs on the stream of the call, but not every server puts it there.
            let answer = tokio::select! {
                answer = Box::pin(self.stream(call, answered)) => answer,
                Ok(answer) = elsewhere => answer,
            };
            return SendAttempt::Answered(answer);
        }
        let body = match answered.whole(self.ctx.limits().result_bytes_max).await {
            Ok(body) => body,
            Err(error) => return SendAttempt::Answered(Err(body_fault(&self.ctx, error))),
        };
        if self.has_id && names_lost_session(status, &body, call.id) {
            self.expired.store(true, Ordering::Release);
            self.stop.cancel();
            return SendAttempt::Expired;
        }
        if status == StatusCode::ACCEPTED && body.is_empty() && self.hearing.initialized() {
            return SendAttempt::Answered(
                elsewhere.await.unwrap_or_else(|_| Err(self.ctx.lost("the session ended"))),
            );
        }
        SendAttempt::Answered(judge(&self.ctx, status, &body, call.id))
    }

    /// A session without an id is shared, and each request shows its own credentials in it.
    fn who<'a>(&'a self, call: SessionCall<'a>) -> SecretUser<'a> {
        call.caller.map(|caller| caller.principal()).or_else(|| self.pending.owner())
    }

    /// Reads the stream of one request to its answer, across interruptions the server allows for.
    async fn stream(self: &Arc<Self>, call: SessionCall<'_>, answered: ServerResponse) -> ServerAnswer {
        let back: Arc<dyn AnswerSink> = self.clone();
        let ended = call.ticket.ended();
        let own = RequestStream {
            ctx: &self.ctx,
            id: call.id,
            caller: call.caller,
            deadline: Some(call.deadline),
            ended: &ended,
            back: Some(&back),
            pending: Some(&self.pending),
        };
        let limit = self.ctx.limits().result_bytes_max;
        let mut events = ServerEvents::new(answered, limit);
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
                Err(BodyError::Lost(reason)) => reason,
                Err(error) => return Err(body_fault(&self.ctx, error)),
            };
            let resumed = self.resume(self.who(call), events.last_id.as_deref(), events.retry_ms).await;
            let (last_id, retry_ms) = (events.last_id.take(), events.retry_ms);
            events = ServerEvents::new(resumed.ok_or_else(|| self.ctx.lost(interruption))?, limit);
            (events.last_id, events.retry_ms) = (last_id, retry_ms);
        }
    }

    /// Asks for the rest of an interrupted stream, if the server marked where it stopped.
    async fn resume(
        &self,
        who: SecretUser<'_>,
        last_id: Option<&str>,
        retry_ms: Option<u64>,
    ) -> Option<ServerResponse> {
        let last_id = last_id?;
        tokio::time::sleep(retry_ms.map_or(RETRY, Duration::from_millis).min(RETRY_MAX)).await;
        let answered = self.open_stream(who, Some(last_id)).await.ok()?;
        (answered.status.is_success() && answered.is_event_stream()).then_some(answered)
    }

    /// Receives the server's messages outside of requests, for as long as the session lasts. `opened` is
    /// notified when the first attempt has been answered.
    async fn hear(self: &Arc<Self>, whose: StreamOwner, opened: oneshot::Sender<()>) {
        let mut opened = Some(opened);
        let mut backoff = Backoff::default();
        let mut last_id: Option<String> = None;
        loop {
            let began = Instant::now();
            let answered = self.open_stream(self.pending.owner(), last_id.as_deref()).await;
            let is_first = opened.take().is_some_and(|opened| opened.send(()).is_ok());
            let mut wait = Duration::ZERO;
            match answered {
                Ok(answered) if answered.status.is_success() && answered.is_event_stream() => {
                    if whose == StreamOwner::Gateway && !is_first {
                        self.ctx.signals.look();
                    }
                    let events = self.take_all(answered).await;
                    wait = events.retry_ms.map_or(Duration::ZERO, Duration::from_millis).min(RETRY_MAX);
                    last_id = events.last_id.or(last_id);
                }
                Ok(answered) if answered.status.is_server_error() => self.ctx.signals.suspect(),
                Ok(answered) => return self.no_stream(answered.status),
                Err(_) => self.ctx.signals.suspect(),
            }
            backoff.lasted(began.elapsed());
            tokio::time::sleep(backoff.next().max(wait)).await;
        }
    }

    /// 405 and its like: the server has no messages outside of requests. 404 means the session is gone.
    fn no_stream(&self, status: StatusCode) {
        if status == StatusCode::NOT_FOUND && self.has_id {
            self.ctx.signals.suspect();
        }
    }

    async fn open_stream(
        &self,
        who: SecretUser<'_>,
        last_id: Option<&str>,
    ) -> Result<ServerResponse, SendError> {
        let mut headers = self.headers.clone();
        if let Some(value) = last_id.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert(header::LAST_EVENT_ID, value);
        }
        self.endpoint.get(who, headers).await
    }

    async fn take_all(self: &Arc<Self>, answered: ServerResponse) -> ServerEvents {
        let back: Arc<dyn AnswerSink> = self.clone();
        let shared = SharedStream { ctx: &self.ctx, pending: &self.pending, back: &back };
        let mut events = ServerEvents::new(answered, self.ctx.limits().result_bytes_max);
        while let Ok(Some(event)) = events.next().await {
            shared.take(&event.data.into());
        }
        events
    }

    /// Sends a message that is not a request.
    async fn post(&self, message: Bytes) -> Result<(), SendError> {
        let posting = self.endpoint.post(self.pending.owner(), self.headers.clone(), message.into());
        let answered = timeout(POST_PATIENCE, posting)
            .await
            .unwrap_or_else(|_| Err(SendError::Lost("it did not take a notification".into())))?;
        if !answered.status.is_success() {
            tracing::debug!(server = %self.ctx.name(), status = %answered.status, "a message was not taken");
        }
        answered.finish();
        Ok(())
    }
}

impl AnswerSink for HttpSession {
    fn send_back(&self, message: Bytes) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Err(error) = self.post(message).await {
                tracing::debug!(server = %self.ctx.name(), %error, "an answer was not taken");
            }
        })
    }
}

fn speaks_up(opening: &ServerIntroduction) -> bool {
    ["tools", "prompts", "resources"].iter().any(|kind| opening.declares(&[kind, "listChanged"]))
        || opening.declares(&["resources", "subscribe"])
        || opening.declares(&["logging"])
}

/// The protocol requires 404. Widespread servers send 400 and mention the session in the body; either way the
/// request was refused at the door. An error that answers the request itself has come from further inside,
/// unless its code is one of those that doors use.
fn names_lost_session(status: StatusCode, body: &[u8], id: u64) -> bool {
    const LOOK: usize = 1024;
    /// Enough for any error of a door; deeper ones concern a tool.
    const DEPTH: usize = 16;
    const DOORS: [i64; 3] = [RpcError::INVALID_REQUEST, -32_001, -32_000];
    let tells = |text: &str| text.to_ascii_lowercase().contains("session");
    if status != StatusCode::BAD_REQUEST {
        return status == StatusCode::NOT_FOUND;
    }
    match toolgate_wire::parse(body, DEPTH) {
        Ok(IncomingMessage::Response(response)) if answer::request_id(&response) == Some(id) => {
            response.outcome.is_err_and(|error| DOORS.contains(&error.code) && tells(&error.message))
        }
        _ => tells(&String::from_utf8_lossy(&body[..body.len().min(LOOK)])),
    }
}

async fn read_opening(
    ctx: &Arc<ServerContext>,
    answered: ServerResponse,
    id: u64,
) -> Result<ServerIntroduction, OpenFailure> {
    refused_at_the_door(ctx, &answered)?;
    let status = answered.status;
    match read(ctx, answered, id).await {
        Ok(result) => Ok(ServerIntroduction::of_initialize(&result)?),
        Err(error) if status.is_success() => Err(OpenError::from(error).into()),
        Err(error) => Err(OpenFailure(error.into(), Some(status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_door_can_have_lost_the_session() {
        let check = |status: u16, body: &str, expected: bool| {
            let status = StatusCode::from_u16(status).expect("a status");
            assert_eq!(names_lost_session(status, body.as_bytes(), 7), expected, "{status} {body}");
        };
        check(404, "", true);
        check(500, "no session", false);
        check(400, "Bad Request: unknown Session", true);
        check(
            400,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}}"#,
            true,
        );
        check(400, r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Session not found"}}"#, true);
        check(400, r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"bad session_id"}}"#, false);
        check(
            400,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no","data":"session"}}"#,
            false,
        );
        check(400, "no", false);
    }
}
