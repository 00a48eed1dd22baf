//! One request from its arrival to its answer: the call in a task of its own, and what it sends on the way.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolgate_core::{RawJson, RpcError};

use crate::caller::{Client, Outbound, RequestCaller};
use crate::gateway::Gateway;
use crate::leash::Leash;
use crate::mailbox::{Mail, Mailbox};
use crate::metrics::Outcome;
use crate::parked::Asked;
use crate::parts::{Head, OwnedRequest};
use crate::session::Session;
use crate::{dispatch, era};

/// What a door writes next.
pub(crate) enum Frame {
    /// A notification or a request to the client; more follows.
    Message(Bytes),
    /// The answer; nothing follows.
    Response(Response),
}

pub(crate) struct Response {
    pub(crate) body: Pieces,
    /// The code of a JSON-RPC error, which the newer era maps to an HTTP status.
    pub(crate) error_code: Option<i64>,
    /// The client cancelled the request; where nothing has to be sent, nothing is.
    pub(crate) cancelled: bool,
}

/// A message in three pieces, so that a large result is passed on without being copied into its envelope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces(pub(crate) [Bytes; 3]);

impl From<Bytes> for Pieces {
    fn from(whole: Bytes) -> Self {
        Self([whole, Bytes::new(), Bytes::new()])
    }
}

impl Pieces {
    /// The message as one piece.
    pub(crate) fn joined(self) -> Bytes {
        let [head, middle, tail] = self.0;
        if middle.is_empty() && tail.is_empty() {
            return head;
        }
        [head, middle, tail].concat().into()
    }
}

impl Response {
    pub(crate) fn error(id: Option<&RawJson>, error: &RpcError) -> Self {
        let body = toolgate_wire::compose::error(id.map(RawJson::as_str), error);
        Self { body: body.into(), error_code: Some(error.code), cancelled: false }
    }
}

/// A call under way, seen from the client's side.
pub(crate) struct Exchange {
    gateway: Arc<Gateway>,
    caller: Arc<RequestCaller>,
    head: Head,
    started: Instant,
    /// In the newer era a client that goes away cancels; in the older one it may come back.
    cancel_on_drop: Option<DropGuard>,
}

/// How a request is tied to its client.
pub(crate) struct Ties {
    pub(crate) session: Option<Arc<Session>>,
    pub(crate) leash: Leash,
}

impl Exchange {
    /// Starts the call.
    pub(crate) fn start(
        gateway: &Arc<Gateway>,
        client: Arc<Client>,
        mut request: OwnedRequest,
        ties: Ties,
    ) -> Self {
        let modern = ties.session.is_none();
        // What a session set once, a server of the newer era is told with every request.
        let of_session = ties.session.as_ref().and_then(|session| session.log_level());
        let caller = Arc::new(RequestCaller {
            client,
            session: ties.session,
            progress_token: request.parts.meta.progress_token.take(),
            log_level: request.parts.meta.log_level.take().filter(|_| modern).or(of_session),
            input_wait: gateway.limits.input_wait,
            mailbox: Mailbox::default(),
            leash: Some(ties.leash.clone()),
            stream: OnceLock::new(),
            answered_by: Mutex::default(),
        });
        let head = request.head.clone();
        let cancel = ties.leash.cancel;
        gateway.calls.spawn(run(gateway.clone(), caller.clone(), request, cancel.clone()));
        let cancel_on_drop = modern.then(|| cancel.drop_guard());
        Self { gateway: gateway.clone(), caller, head, started: Instant::now(), cancel_on_drop }
    }

    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    pub(crate) fn client(&self) -> &Arc<Client> {
        &self.caller.client
    }

    pub(crate) fn caller(&self) -> &Arc<RequestCaller> {
        &self.caller
    }

    /// A retry of the same request goes on with this exchange under its new id.
    pub(crate) fn continue_as(&mut self, head: Head) {
        self.head = head;
    }

    /// The next thing to write. A question to a client of the newer era is an answer to its request: the exchange
    /// is parked then, and the client's retry finds it there.
    pub(crate) async fn next(mut self) -> (Frame, Option<Self>) {
        match self.caller.mailbox.next().await {
            Mail::Cancelled => {
                let error = RpcError::new(RpcError::INTERNAL, "the request was cancelled");
                let response = Response { cancelled: true, ..Response::error(Some(&self.head.id), &error) };
                self.count(&response);
                (Frame::Response(response), None)
            }
            Mail::Outbound(Outbound::Notify(message)) => (Frame::Message(message), Some(self)),
            Mail::Done(answer) => {
                self.cancel_on_drop.take().map(DropGuard::disarm);
                let response = era::respond(&self.caller.client, &self.head, answer);
                self.count(&response);
                self.end();
                (Frame::Response(response), None)
            }
            Mail::Outbound(Outbound::Ask { kind, params, answer }) => match self.caller.session.clone() {
                Some(session) => (Frame::Message(session.ask(kind, &params, answer)), Some(self)),
                None => {
                    let gateway = self.gateway.clone();
                    (Frame::Response(gateway.parked.park(self, Asked { kind, params, answer })), None)
                }
            },
        }
    }

    fn count(&self, response: &Response) {
        let outcome = if response.error_code.is_some() { Outcome::Error } else { Outcome::Answered };
        let metrics = &self.gateway.hub.metrics;
        metrics.request(&self.head.method, self.client().era(), outcome, self.started.elapsed());
    }

    fn end(&self) {
        if let Some(session) = &self.caller.session {
            session.end(self.head.id.as_str());
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // An answer that nobody took would keep its request's id in use for ever.
        if self.caller.mailbox.abandon() {
            self.end();
        }
    }
}

async fn run(
    gateway: Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: CancellationToken,
) {
    let id = request.head.id.clone();
    // A tool call is ended by the pipeline, which records that it was cancelled; anything else is just dropped.
    let answer = if request.head.method == "tools/call" {
        let answer = dispatch::run(&gateway, caller.clone(), request, &cancel).await;
        (!cancel.is_cancelled()).then_some(answer)
    } else {
        tokio::select! {
            answer = dispatch::run(&gateway, caller.clone(), request, &cancel) => Some(answer),
            () = cancel.cancelled() => None,
        }
    };
    let taken = answer.is_some();
    let read = caller.mailbox.finish(answer);
    // Where nobody reads the answer, nobody else will mark the request as ended.
    if (!taken || !read)
        && let Some(session) = &caller.session
    {
        session.end(id.as_str());
    }
}
