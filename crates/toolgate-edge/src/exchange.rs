//! One request from its arrival to its answer: the call in a task of its own, and what it sends on the way.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolgate_core::{RawJson, RpcError};

use crate::caller::{Client, Outbound, RequestCaller};
use crate::gateway::Gateway;
use crate::parked::Asked;
use crate::session::Session;
use crate::{dispatch, era};

/// A request, owned, with the machinery of its era taken off.
#[derive(Clone, Debug)]
pub(crate) struct OwnedRequest {
    pub(crate) id: RawJson,
    pub(crate) method: String,
    /// `params` as they came; `{}` where there were none.
    pub(crate) params: RawJson,
    /// `Mcp-Param-…` headers that came along.
    pub(crate) param_headers: Vec<(String, String)>,
}

/// What a door writes next.
pub(crate) enum Frame {
    /// A notification or a request to the client; more follows.
    Message(Bytes),
    /// The answer; nothing follows.
    Response(Response),
}

pub(crate) struct Response {
    pub(crate) body: Bytes,
    /// The code of a JSON-RPC error, which the newer era maps to an HTTP status.
    pub(crate) error_code: Option<i64>,
}

impl Response {
    pub(crate) fn error(id: Option<&RawJson>, error: &RpcError) -> Self {
        Self {
            body: toolgate_wire::compose::error(id.map(RawJson::as_str), error),
            error_code: Some(error.code),
        }
    }
}

/// A call under way, seen from the client's side.
pub(crate) struct Exchange {
    gateway: Arc<Gateway>,
    client: Arc<Client>,
    session: Option<Arc<Session>>,
    request: OwnedRequest,
    events: mpsc::Receiver<Outbound>,
    /// In the newer era a client that goes away cancels; in the older one it may come back.
    cancel_on_drop: Option<DropGuard>,
}

const EVENTS_MAX: usize = 64;

/// How a request is tied to its client.
pub(crate) struct Ties {
    pub(crate) session: Option<Arc<Session>>,
    pub(crate) progress_token: Option<RawJson>,
    pub(crate) log_level: Option<String>,
    pub(crate) cancel: CancellationToken,
}

impl Exchange {
    /// Starts the call.
    pub(crate) fn start(gateway: &Arc<Gateway>, client: Arc<Client>, request: OwnedRequest, ties: Ties) -> Self {
        let (out, events) = mpsc::channel(EVENTS_MAX);
        let caller = Arc::new(RequestCaller {
            client: client.clone(),
            session: ties.session.clone(),
            progress_token: ties.progress_token,
            // What a session set once, a server of the newer era is told with every request.
            log_level: ties.log_level.or_else(|| ties.session.as_ref()?.log_level()),
            input_wait: gateway.limits.input_wait,
            out: out.clone(),
        });
        let task = run(gateway.clone(), caller, request.clone(), ties.cancel.clone(), out);
        gateway.calls.spawn(task);
        let modern = ties.session.is_none();
        Self {
            gateway: gateway.clone(),
            client,
            session: ties.session,
            request,
            events,
            cancel_on_drop: modern.then(|| ties.cancel.drop_guard()),
        }
    }

    pub(crate) fn request(&self) -> &OwnedRequest {
        &self.request
    }

    pub(crate) fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// A retry of the same request goes on with this exchange under its new id.
    pub(crate) fn continue_as(&mut self, request: OwnedRequest) {
        self.request = request;
    }

    /// The next thing to write. A question to a client of the newer era is an answer to its request: the exchange
    /// is parked then, and the client's retry finds it there.
    pub(crate) async fn next(mut self) -> (Frame, Option<Self>) {
        let Some(event) = self.events.recv().await else {
            let error = RpcError::new(RpcError::INTERNAL, "the request was cancelled");
            return (Frame::Response(Response::error(Some(&self.request.id), &error)), None);
        };
        match event {
            Outbound::Notify(message) => (Frame::Message(message), Some(self)),
            Outbound::Done(answer) => {
                self.cancel_on_drop.take().map(DropGuard::disarm);
                let response = era::respond(&self.client, &self.request, answer);
                if let Some(session) = &self.session {
                    session.end(self.request.id.as_str());
                }
                (Frame::Response(response), None)
            }
            Outbound::Ask { kind, params, answer } => match self.session.clone() {
                Some(session) => (Frame::Message(session.ask(kind, &params, answer)), Some(self)),
                None => {
                    let gateway = self.gateway.clone();
                    (Frame::Response(gateway.parked.park(self, Asked { kind, params, answer })), None)
                }
            },
        }
    }
}

async fn run(
    gateway: Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: CancellationToken,
    out: mpsc::Sender<Outbound>,
) {
    let session = caller.session.clone();
    let id = request.id.clone();
    let answer = tokio::select! {
        answer = dispatch::run(&gateway, caller, request) => answer,
        () = cancel.cancelled() => {
            if let Some(session) = session {
                session.end(id.as_str());
            }
            return;
        }
    };
    if out.send(Outbound::Done(answer)).await.is_err() && let Some(session) = session {
        // Nobody reads the answer any more, so nobody else will mark the request as ended.
        session.end(id.as_str());
    }
}
