//! Doors where everything travels over one connection in both directions: stdio and the older HTTP+SSE pair.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::scope::{Credential, Seat, SessionRoute};
use toolgate_core::server::Era;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::message::{self, IncomingMessage, Notification, Request};
use toolgate_wire::{MalformedMessage, compose};

use crate::clients::client::Client;
use crate::clients::leash::Leash;
use crate::clients::session::ClientSession;
use crate::doors::seats;
use crate::gateway::Gateway;
use crate::messages::frame::{Frame, ResponseFrame};
use crate::messages::parts::{OwnedRequest, RequestHead};
use crate::metrics::RequestOutcome;
use crate::protocol::era;
use crate::protocol::exchange::Exchange;
use crate::protocol::incoming::{cancelled_id, notified, resume_parked, too_many};
use crate::protocol::listen::Subscription;
use crate::protocol::opening;
use crate::protocol::parked::ResumeOutcome;
use crate::protocol::run::{self, ClientTies};

/// The client at the other end of a pipe, and the session that it named.
pub(crate) struct PipePeer {
    pub(crate) credential: Credential,
    pub(crate) route: SessionRoute,
}

pub(crate) struct Pipe {
    gateway: Arc<Gateway>,
    place: PipePeer,
    out: mpsc::Sender<Bytes>,
    session: Mutex<Option<Arc<ClientSession>>>,
    /// Requests of the newer era under way, by the text of their id.
    under_way: Mutex<HashMap<String, Leash>>,
    closed: CancellationToken,
    /// The client sends nothing any more. Answers may still reach it, but nothing begins that it would have to wait for.
    left: CancellationToken,
    /// The tasks that bring answers; once they have ended, everything that was asked is answered.
    answering: TaskTracker,
}

impl Pipe {
    pub(crate) fn new(gateway: &Arc<Gateway>, place: PipePeer, out: mpsc::Sender<Bytes>) -> Arc<Self> {
        Arc::new(Self {
            gateway: gateway.clone(),
            place,
            out,
            session: Mutex::default(),
            under_way: Mutex::default(),
            closed: CancellationToken::new(),
            left: CancellationToken::new(),
            answering: TaskTracker::new(),
        })
    }

    /// Waits until everything that was asked is answered, for so long.
    pub(crate) async fn drain(&self, wait: Duration) {
        self.answering.close();
        // What has no answer by then gets none: the pipe is closed next.
        drop(tokio::time::timeout(wait, self.answering.wait()).await);
    }

    /// The client has closed its side, or has ended.
    pub(crate) fn leave(&self) {
        self.left.cancel();
    }

    /// The other side has gone: everything it started ends.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        if let Some(session) = self.session.lock().take() {
            self.gateway.hub.remove_session(&session.id, &*self.gateway.servers);
        }
    }

    /// Takes one message. Returns once it has been understood; its answer comes through `out`.
    pub(crate) async fn receive(self: &Arc<Self>, bytes: Bytes) {
        match message::parse(&bytes, self.gateway.limits.depth_max) {
            Err(MalformedMessage::Batch) if self.allows_batches() => self.receive_batch(&bytes).await,
            Err(malformed) => self.refuse(malformed.id(), &malformed.to_error()).await,
            Ok(incoming) => self.take(&bytes, incoming).await,
        }
    }

    pub(crate) async fn refuse(&self, id: Option<&RawJson>, error: &RpcError) {
        self.send(compose::error(id.map(RawJson::as_str), error)).await;
    }

    /// Answers of a batch are sent one by one, which a batch allows; only requests that are messages of their own
    /// reach this point in every other revision.
    async fn receive_batch(self: &Arc<Self>, bytes: &Bytes) {
        match message::parse_batch(bytes) {
            Err(malformed) => self.refuse(malformed.id(), &malformed.to_error()).await,
            Ok(messages) if messages.len() > self.gateway.limits.requests_per_client_max() => {
                self.refuse(None, &too_many(self.gateway.limits.requests_per_client_max())).await;
            }
            Ok(messages) => {
                for one in messages {
                    match message::parse(one.get().as_bytes(), self.gateway.limits.depth_max) {
                        Ok(incoming) => self.take(bytes, incoming).await,
                        Err(malformed) => self.refuse(malformed.id(), &malformed.to_error()).await,
                    }
                }
            }
        }
    }

    async fn take(self: &Arc<Self>, bytes: &Bytes, incoming: IncomingMessage<'_>) {
        match incoming {
            IncomingMessage::Request(request) => self.request(bytes, request).await,
            IncomingMessage::Notification(notification) => self.notification(&notification),
            IncomingMessage::Response(response) => {
                if let (Some(session), Some(id)) = (self.session.lock().clone(), response.id) {
                    session.answered(id.get(), response.outcome.map(RawJson::from));
                }
            }
        }
    }

    async fn request(self: &Arc<Self>, bytes: &Bytes, request: Request<'_>) {
        let owned = match OwnedRequest::read(bytes, &request) {
            Ok(owned) => owned,
            Err(error) => return self.refuse(Some(&RawJson::from(request.id)), &error).await,
        };
        let PipePeer { credential, route } = &self.place;
        let seat = match self.gateway.seat(credential, route).await {
            Ok(seat) => seat,
            Err(refusal) => {
                return self.refuse(Some(&RawJson::from(request.id)), &seats::rpc_error(&refusal)).await;
            }
        };
        let says = owned.parts.meta.protocol_version.as_deref();
        let modern = era::of_message(says, None) == Era::Modern || request.method == "server/discover";
        if request.method == "initialize" && !modern {
            return self.initialize(&seat, &request).await;
        }
        if modern { self.modern(&seat, owned).await } else { self.legacy(&seat, owned).await }
    }

    async fn initialize(self: &Arc<Self>, seat: &Arc<Seat>, request: &Request<'_>) {
        let started = Instant::now();
        let opened = opening::initialize(&self.gateway, seat, request.params);
        match opened {
            Err(error) => self.send(compose::error(Some(request.id.get()), &error)).await,
            Ok((session, result)) => {
                let earlier = self.session.lock().replace(session.clone());
                if let Some(earlier) = earlier {
                    self.gateway.hub.remove_session(&earlier.id, &*self.gateway.servers);
                }
                self.gateway.hub.metrics.request(
                    "initialize",
                    Era::Legacy,
                    RequestOutcome::Answered,
                    started.elapsed(),
                );
                self.send(compose::response(request.id.get(), result.as_str())).await;
                let pipe = self.clone();
                self.gateway.calls.spawn(async move { pipe.pump_session(&session).await });
            }
        }
    }

    /// Sends what belongs to no request.
    async fn pump_session(&self, session: &ClientSession) {
        let mut cursor = session.push.read(None);
        loop {
            tokio::select! {
                () = self.closed.cancelled() => return,
                () = session.closed.cancelled() => return,
                next = cursor.next() => match next {
                    Some((_, message)) => self.send(message).await,
                    None => return,
                },
            }
        }
    }

    async fn legacy(self: &Arc<Self>, seat: &Arc<Seat>, request: OwnedRequest) {
        let session = self.session.lock().clone().filter(|session| session.client.sit(seat));
        let Some(session) = session else {
            let error = RpcError::new(RpcError::INVALID_REQUEST, "send `initialize` first");
            return self.refuse(Some(&request.head.id), &error).await;
        };
        let requests_max = self.gateway.limits.requests_per_client_max();
        let leash = match session.begin(request.head.id.as_str(), requests_max) {
            Ok(leash) => leash,
            Err(error) => return self.refuse(Some(&request.head.id), &error).await,
        };
        let cancel = leash.cancel.clone();
        let ties = ClientTies { session: Some(session.clone()), leash: leash.of_door(self.left.clone()) };
        let exchange = run::start(&self.gateway, session.client.clone(), request, ties);
        self.drive(exchange, cancel);
    }

    async fn modern(self: &Arc<Self>, seat: &Arc<Seat>, mut request: OwnedRequest) {
        let client = match era::read_modern(seat, &mut request, None) {
            Ok(client) => Arc::new(client),
            Err(error) => return self.refuse(Some(&request.head.id), &error).await,
        };
        let id = request.head.id.as_str().to_owned();
        let leash = Leash::new(self.closed.child_token()).of_door(self.left.clone());
        let cancel = leash.cancel.clone();
        let in_use = {
            let mut under_way = self.under_way.lock();
            let in_use = under_way.contains_key(&id)
                || under_way.len() >= self.gateway.limits.requests_per_client_max();
            if !in_use {
                under_way.insert(id.clone(), leash.clone());
            }
            in_use
        };
        if in_use {
            let error = RpcError::new(
                RpcError::INVALID_REQUEST,
                format!("request id {id} is in use, or too many requests are under way"),
            );
            return self.refuse(Some(&request.head.id), &error).await;
        }
        if request.head.method == "subscriptions/listen" {
            let pipe = self.clone();
            self.gateway.calls.spawn(async move { pipe.listen(&client, &request.head, cancel).await });
            return;
        }
        match resume_parked(&self.gateway, &client, &request) {
            Some(Err(error)) => self.finish(&id, ResponseFrame::error(Some(&request.head.id), &error)).await,
            Some(Ok(ResumeOutcome::AskedAgain(response))) => self.finish(&id, response).await,
            Some(Ok(ResumeOutcome::GoesOn(exchange))) => self.drive(*exchange, cancel),
            None => {
                let ties = ClientTies { session: None, leash };
                self.drive(run::start(&self.gateway, client, request, ties), cancel);
            }
        }
    }

    /// Sends what an exchange yields until its answer, in a task of its own. A cancelled request gets no answer.
    fn drive(self: &Arc<Self>, mut exchange: Exchange, cancel: CancellationToken) {
        let pipe = self.clone();
        let id = exchange.head().id.as_str().to_owned();
        let answering = async move {
            let response = loop {
                let next = tokio::select! {
                    next = exchange.next() => next,
                    () = cancel.cancelled() => return pipe.forget(&id),
                };
                match next {
                    (Frame::Message(message), Some(rest)) => {
                        pipe.send(message).await;
                        exchange = rest;
                    }
                    (Frame::Response(response), _) => break response,
                    (Frame::Message(_), None) => return pipe.forget(&id),
                }
            };
            if response.cancelled { pipe.forget(&id) } else { pipe.finish(&id, response).await }
        };
        self.gateway.calls.spawn(self.answering.track_future(answering));
    }

    fn forget(&self, id: &str) {
        self.under_way.lock().remove(id);
    }

    async fn finish(&self, id: &str, response: ResponseFrame) {
        self.forget(id);
        self.send(response.body.joined()).await;
    }

    async fn listen(
        self: &Arc<Self>,
        client: &Arc<Client>,
        request: &RequestHead,
        cancel: CancellationToken,
    ) {
        let id = request.id.as_str().to_owned();
        let subscription = match Subscription::open(&self.gateway, client, request).await {
            Ok(subscription) => subscription,
            Err(error) => return self.finish(&id, ResponseFrame::error(Some(&request.id), &error)).await,
        };
        let mut cursor = subscription.listener.log.read(None);
        loop {
            tokio::select! {
                () = cancel.cancelled() => break,
                next = cursor.next() => match next {
                    Some((_, message)) => self.send(message).await,
                    None => break,
                },
            }
        }
        self.under_way.lock().remove(&id);
        self.send(subscription.listener.farewell()).await;
    }

    fn notification(&self, notification: &Notification<'_>) {
        let session = self.session.lock().clone();
        if notification.method == "notifications/cancelled"
            && let Some(id) = cancelled_id(notification)
            && let Some(leash) = self.under_way.lock().get(&id)
        {
            leash.give_up();
        }
        if let Some(session) = session {
            notified(&self.gateway, &session, notification);
        }
    }

    fn allows_batches(&self) -> bool {
        self.session.lock().as_ref().is_some_and(|session| session.client.version.allows_batches())
    }

    async fn send(&self, message: Bytes) {
        // A reader that has gone needs nothing any more; `close` follows.
        drop(self.out.send(message).await);
    }
}
