//! The routing of a message from a server: to the request it answers, to the caller it concerns, or to the
//! gateway.
//!
//! A message on the stream of one request belongs to that request. On a stream that several requests share
//! the protocol does not tell, so a question reaches a client only if it cannot be meant for another.

use std::sync::Arc;

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use toolgate_core::port::{AskKind, BoxFuture, Caller};
use toolgate_core::{Raw, RawJson, RpcError};
use toolgate_wire::{
    IncomingMessage, MalformedMessage, Notification, ObjectMembers, Request, meta, object, parse,
};

use crate::answer;
use crate::context::ServerContext;
use crate::deadline::Deadline;
use crate::envelope;
use crate::older;
use crate::pending::{AskedCaller, LogAudience, PendingRequests, Respondent, ServerAnswer};

/// Questions of one server that may be open on one connection.
const QUESTIONS_MAX: usize = 64;

/// The way answers go back to the server.
pub(crate) trait AnswerSink: Send + Sync {
    fn send_back(&self, message: Bytes) -> BoxFuture<'_, ()>;
}

/// A stream that several requests share.
pub(crate) struct SharedStream<'a> {
    pub(crate) ctx: &'a Arc<ServerContext>,
    pub(crate) pending: &'a Arc<PendingRequests>,
    pub(crate) back: &'a Arc<dyn AnswerSink>,
}

impl SharedStream<'_> {
    pub(crate) fn take(&self, message: &Bytes) {
        match parse(message, self.ctx.limits().depth_max) {
            Ok(incoming) => self.route(message, incoming),
            Err(MalformedMessage::Batch) => for_each_of_batch(message, |one| self.take(&one)),
            Err(malformed) => self.malformed(message, &malformed),
        }
    }

    fn route(&self, message: &Bytes, incoming: IncomingMessage<'_>) {
        match incoming {
            IncomingMessage::Response(response) => {
                let id = answer::request_id(&response);
                let settled =
                    id.is_some_and(|id| self.pending.settle(id, answer::outcome(message, response)));
                if !settled {
                    self.ctx.discarded("an answer to no open request");
                }
            }
            IncomingMessage::Notification(notification) => self.notification(message, &notification),
            IncomingMessage::Request(request) => self.request(message, &request),
        }
    }

    fn notification(&self, message: &Bytes, notification: &Notification<'_>) {
        let Some(params) = notification.params else {
            return on_change(self.ctx, &notification.method);
        };
        if notification.method == "notifications/cancelled" {
            return self.cancelled(params);
        }
        if let Some(listener) = subscription(params).and_then(|id| self.pending.listener_of(id)) {
            return listener(&notification.method, RawJson::within(message, params));
        }
        match &*notification.method {
            "notifications/progress" => {
                let token =
                    ObjectMembers::parse(params).ok().and_then(|members| members.get(meta::PROGRESS_TOKEN));
                if let Some(caller) = token.and_then(answer::number).and_then(|id| self.pending.caller_of(id))
                {
                    caller.progress(RawJson::within(message, params));
                }
            }
            "notifications/message" => self.log(RawJson::within(message, params)),
            method => on_notification(self.ctx, method, RawJson::within(message, params)),
        }
    }

    /// The server withdraws a question, or ends a subscription of ours.
    fn cancelled(&self, params: Raw<'_>) {
        let Some(id) = ObjectMembers::parse(params).ok().and_then(|members| members.get("requestId")) else {
            return;
        };
        self.pending.withdraw(id.get());
        if let Some(id) = answer::number(id)
            && self.pending.listener_of(id).is_some()
        {
            self.pending.settle(id, Ok(RawJson::EMPTY));
        }
    }

    fn log(&self, params: RawJson) {
        match self.pending.audience() {
            LogAudience::Callers(callers) => callers.iter().for_each(|caller| caller.log(params.clone())),
            LogAudience::NoCaller => {
                self.ctx.house.watcher.logged(self.ctx.name(), self.pending.owner(), params);
            }
            LogAudience::Ambiguous => {
                self.ctx.discarded("a log message that could be for several principals")
            }
        }
    }

    fn request(&self, message: &Bytes, request: &Request<'_>) {
        let Some(kind) = self.answerable(request) else { return };
        let params = request.params.map_or(RawJson::EMPTY, |params| RawJson::within(message, params));
        match self.pending.respondent(kind) {
            Respondent::Caller(asked) => self.ask(request.id, kind, params, Some(asked)),
            Respondent::NoCaller => self.ask(request.id, kind, params, None),
            Respondent::Unable => self.refuse(request.id, unable(kind)),
            Respondent::Ambiguous => {
                tracing::warn!(
                    server = %self.ctx.name(),
                    method = kind.method(),
                    "a server asked while calls of several clients were under way; the question was refused. \
                     hint: set isolation = \"principal\" for this server"
                );
                self.refuse(request.id, ambiguous());
            }
        }
    }

    /// Answers requests that need no client, and returns the kind of client that the others need.
    fn answerable(&self, request: &Request<'_>) -> Option<AskKind> {
        let kind = AskKind::of_method(&request.method);
        if kind.is_none() {
            self.send_back(envelope::answer(request.id.get(), &without_client(&request.method)));
        }
        kind
    }

    fn ask(&self, id: Raw<'_>, kind: AskKind, params: RawJson, asked: Option<AskedCaller>) {
        let Some(question) = self.pending.question(id.get(), QUESTIONS_MAX) else {
            return self.refuse(
                id,
                RpcError::new(RpcError::INTERNAL, "too many questions are open on this connection"),
            );
        };
        let (ctx, pending, back) = (self.ctx.clone(), self.pending.clone(), self.back.clone());
        let id = id.get().to_owned();
        self.ctx.tasks.spawn(async move {
            let withdrawn = question.withdrawn.clone();
            let outcome = tokio::select! {
                outcome = put(&ctx, &pending, kind, params, asked) => outcome,
                () = withdrawn.cancelled() => None,
                () = ctx.stop.cancelled() => None,
            };
            if let Some(outcome) = outcome {
                back.send_back(envelope::answer(&id, &outcome)).await;
            }
            drop(question);
        });
    }

    fn refuse(&self, id: Raw<'_>, error: RpcError) {
        self.send_back(envelope::answer(id.get(), &Err(error)));
    }

    fn send_back(&self, message: Bytes) {
        let Ok(place) = self.ctx.answers.clone().try_acquire_owned() else {
            return self.ctx.discarded("an answer, because too many wait to be sent");
        };
        let back = self.back.clone();
        self.ctx.tasks.spawn(async move {
            back.send_back(message).await;
            drop(place);
        });
    }

    fn malformed(&self, message: &Bytes, malformed: &MalformedMessage) {
        let id = malformed.id().and_then(|id| id.as_str().parse().ok()).or_else(|| answered_id(message));
        let attributed =
            id.is_some_and(|id| self.pending.settle(id, Err(self.ctx.garbled(malformed.to_string()))));
        if !attributed {
            if matches!(malformed, MalformedMessage::Syntax(_)) {
                self.ctx.last_words.not_json(message);
            }
            tracing::debug!(server = %self.ctx.name(), %malformed, "a message was ignored");
        }
    }
}

/// Asks a question of its respondent. `None` if the request it belongs to ended first.
async fn put(
    ctx: &ServerContext,
    pending: &PendingRequests,
    kind: AskKind,
    params: RawJson,
    asked: Option<AskedCaller>,
) -> Option<Result<RawJson, RpcError>> {
    let Some(asked) = asked else {
        return Some(ctx.house.watcher.asked(ctx.name(), pending.owner(), kind, params).await);
    };
    let _held = asked.deadline.as_ref().map(Deadline::hold);
    tokio::select! {
        outcome = asked.caller.ask(kind, params) => Some(outcome),
        () = asked.ended.cancelled() => None,
    }
}

/// The stream of one request.
pub(crate) struct RequestStream<'a> {
    pub(crate) ctx: &'a Arc<ServerContext>,
    pub(crate) id: u64,
    pub(crate) caller: Option<&'a Arc<dyn Caller>>,
    pub(crate) deadline: Option<&'a Arc<Deadline>>,
    /// Cancelled when the request ends.
    pub(crate) ended: &'a CancellationToken,
    /// Missing in the newer era, whose servers do not ask on streams.
    pub(crate) back: Option<&'a Arc<dyn AnswerSink>>,
    /// The record of the server's open questions.
    pub(crate) pending: Option<&'a Arc<PendingRequests>>,
}

impl RequestStream<'_> {
    /// Takes one message; the request's answer, if this was it.
    pub(crate) fn take(&self, message: &Bytes) -> Option<ServerAnswer> {
        match parse(message, self.ctx.limits().depth_max) {
            Ok(IncomingMessage::Response(response)) => match answer::request_id(&response) {
                Some(id) if id == self.id => Some(answer::outcome(message, response)),
                None if response.outcome.is_err() => Some(answer::outcome(message, response)),
                _ => {
                    self.ctx.discarded("an answer to another request");
                    None
                }
            },
            Ok(IncomingMessage::Notification(notification)) => {
                self.notification(message, &notification);
                None
            }
            Ok(IncomingMessage::Request(request)) => match self.asks_in_vain(&request) {
                Some(kind) => Some(Err(self.ctx.lost(older::asked_on_stream(kind)))),
                None => {
                    self.request(message, &request);
                    None
                }
            },
            Err(MalformedMessage::Batch) => {
                let mut answer = None;
                for_each_of_batch(message, |one| answer = answer.take().or_else(|| self.take(&one)));
                answer
            }
            Err(malformed) => Some(Err(self.ctx.garbled(malformed.to_string()))),
        }
    }

    fn notification(&self, message: &Bytes, notification: &Notification<'_>) {
        let params = notification.params.map(|params| RawJson::within(message, params));
        match (&*notification.method, params, self.caller) {
            ("notifications/progress", Some(params), Some(caller)) if caller.wants_progress() => {
                caller.progress(params)
            }
            ("notifications/progress", ..) => {}
            ("notifications/message", Some(params), Some(caller)) => caller.log(params),
            ("notifications/message", Some(params), None) => {
                let owner = self.pending.and_then(|pending| pending.owner());
                self.ctx.house.watcher.logged(self.ctx.name(), owner, params);
            }
            ("notifications/cancelled", Some(params), _) => {
                let members = ObjectMembers::of_str(params.as_str()).ok();
                if let (Some(id), Some(pending)) =
                    (members.and_then(|members| members.get("requestId")), self.pending)
                {
                    pending.withdraw(id.get());
                }
            }
            (method, Some(params), _) => on_notification(self.ctx, method, params),
            (method, None, _) => on_change(self.ctx, method),
        }
    }

    /// A question that the caller could answer if there were a way back: the server would wait forever.
    fn asks_in_vain(&self, request: &Request<'_>) -> Option<AskKind> {
        let caller = self.caller.filter(|_| self.back.is_none())?;
        AskKind::of_method(&request.method).filter(|kind| caller.can_answer(*kind))
    }

    fn request(&self, message: &Bytes, request: &Request<'_>) {
        let (Some(back), Some(pending)) = (self.back, self.pending) else { return };
        let shared = SharedStream { ctx: self.ctx, pending, back };
        let Some(kind) = shared.answerable(request) else { return };
        let params = request.params.map_or(RawJson::EMPTY, |params| RawJson::within(message, params));
        match self.caller {
            None => shared.ask(request.id, kind, params, None),
            Some(caller) if !caller.can_answer(kind) => shared.refuse(request.id, unable(kind)),
            Some(caller) => {
                let (deadline, ended) = (self.deadline.cloned(), self.ended.clone());
                shared.ask(
                    request.id,
                    kind,
                    params,
                    Some(AskedCaller { caller: caller.clone(), deadline, ended }),
                );
            }
        }
    }
}

fn unable(kind: AskKind) -> RpcError {
    RpcError::new(RpcError::METHOD_NOT_FOUND, format!("the client does not support {}", kind.capability()))
}

fn ambiguous() -> RpcError {
    RpcError::new(
        RpcError::INTERNAL,
        "cannot tell which of several clients this question is for; set isolation = \"principal\" for this server",
    )
}

fn without_client(method: &str) -> Result<RawJson, RpcError> {
    match method {
        "ping" => Ok(RawJson::EMPTY),
        method => Err(RpcError::method_not_found(method)),
    }
}

/// A notification that concerns the server as a whole.
fn on_notification(ctx: &ServerContext, method: &str, params: RawJson) {
    if method != "notifications/resources/updated" {
        return on_change(ctx, method);
    }
    let uri = ObjectMembers::of_str(params.as_str())
        .ok()
        .and_then(|members| members.get_str("uri").map(String::from));
    if let Some(uri) = uri {
        ctx.house.watcher.resource_updated(ctx.name(), &uri, params);
    }
}

fn on_change(ctx: &ServerContext, method: &str) {
    if is_list_changed(method) {
        ctx.signals.list_changed();
    }
}

/// Handles the notifications of a subscription of the newer era.
pub(crate) fn on_subscribed(ctx: &ServerContext, method: &str, params: RawJson) {
    on_notification(ctx, method, params);
}

fn is_list_changed(method: &str) -> bool {
    matches!(
        method,
        "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
    )
}

/// The id of the `subscriptions/listen` request that a notification belongs to.
pub(crate) fn subscription(params: Raw<'_>) -> Option<u64> {
    let text = params.get();
    object::may_say(text.as_bytes(), meta::SUBSCRIPTION_ID).then_some(())?;
    let meta_object = ObjectMembers::of_str(text).ok()?.get("_meta")?;
    let id = ObjectMembers::parse(meta_object).ok()?.get(meta::SUBSCRIPTION_ID)?;
    answer::number(id).or_else(|| object::string(id)?.parse().ok())
}

fn for_each_of_batch(message: &Bytes, mut each: impl FnMut(Bytes)) {
    for one in toolgate_wire::message::parse_batch(message).unwrap_or_default() {
        // A batch inside a batch is not a message.
        if !one.get().starts_with('[') {
            each(RawJson::within(message, one).into_bytes());
        }
    }
}

/// The id of the request that a damaged or oversized message answers, where its beginning or its end shows one.
pub(crate) fn answered_id(message: &[u8]) -> Option<u64> {
    const LOOK: usize = 4096;
    let head = &message[..message.len().min(LOOK)];
    let tail = &message[message.len().saturating_sub(LOOK)..];
    id_in_head(head).or_else(|| id_in_tail(tail))
}

/// `{"jsonrpc":"2.0","id":7,…`: a top-level member near the start.
pub(crate) fn id_in_head(head: &[u8]) -> Option<u64> {
    digits(member_in_head(head, b"\"id\"")?)
}

/// True if the beginning of a message could be that of an answer: it names no method.
pub(crate) fn is_response_head(head: &[u8]) -> bool {
    member_in_head(head, b"\"method\"").is_none()
}

/// The text after the colon of a top-level member near the start.
fn member_in_head<'a>(head: &'a [u8], quoted: &[u8]) -> Option<&'a [u8]> {
    let mut depth = 0usize;
    let mut at = 0;
    while at < head.len() {
        match head[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = string_end(head, at + 1)?;
                if depth == 1 && &head[at..=end] == quoted {
                    let rest = head[end + 1..].trim_ascii_start();
                    if let Some(rest) = rest.strip_prefix(b":") {
                        return Some(rest.trim_ascii_start());
                    }
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// `…,"id":7}`: right before the brace that closes the message.
pub(crate) fn id_in_tail(tail: &[u8]) -> Option<u64> {
    let inner = tail.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let start = inner.iter().rposition(|byte| !byte.is_ascii_digit())? + 1;
    let before = inner[..start].trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let before = before.strip_suffix(b"\"id\"")?.trim_ascii_end();
    before.ends_with(b",").then(|| digits(&inner[start..]))?
}

fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn digits(text: &[u8]) -> Option<u64> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answered_id_is_found_at_either_end() {
        let check = |text: &str, expected| assert_eq!(answered_id(text.as_bytes()), expected, "{text}");
        check(r#"{"jsonrpc":"2.0","id":7,"result":{"id":9,"#, Some(7));
        check(r#"{"result":{"id":9,"x":"\"id\":3"},"jsonrpc":"2.0","id": 12 }"#, Some(12));
        check(r#"{"result":{"id":9}}"#, None);
        check(r#"{"result":{"a":1,"id":9}}"#, None);
        check("not json", None);
        check(r#"{"id":"text","result":1}"#, None);
    }

    #[test]
    fn only_a_method_of_its_own_makes_a_message_no_answer() {
        assert!(is_response_head(br#"{"id":7,"result":{"method":"GET","x":"..."#));
        let long =
            format!(r#"{{"params":{{"a":"{}"}},"method":"notifications/message","x":""#, "y".repeat(500));
        assert!(!is_response_head(long.as_bytes()));
    }
}
