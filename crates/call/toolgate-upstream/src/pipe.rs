//! A connection that all requests share: one stream of messages each way. A child's pipes and the older
//! HTTP+SSE pair are such connections; their transports live with them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use toolgate_core::PrincipalId;
use toolgate_core::port::{BoxFuture, Caller, ServerError};

use crate::cancel::SessionCancel;
use crate::context::ServerContext;
use crate::deadline::{Deadline, DeadlinePassed};
use crate::message::OutgoingMessage;
use crate::pending::{NotificationListener, PendingRequests, ServerAnswer};
use crate::routing::{AnswerSink, SharedStream};

/// The maximum number of messages that wait to be written. A server that does not read blocks its own
/// callers, not our memory.
const OUTBOX_MAX: usize = 256;

/// A message on its way out.
pub(crate) struct PipeMessage {
    /// The request it is, if it is one.
    pub(crate) id: Option<u64>,
    pub(crate) message: OutgoingMessage,
    /// Cancelled when the caller gives up; present for messages that take long to write.
    pub(crate) ended: Option<CancellationToken>,
}

impl PipeMessage {
    /// A message that is not a request.
    fn aside(message: Bytes) -> Self {
        Self { id: None, message: message.into(), ended: None }
    }
}

pub(crate) struct Pipe {
    ctx: Arc<ServerContext>,
    pub(crate) pending: Arc<PendingRequests>,
    outbox: mpsc::Sender<PipeMessage>,
    /// The reason why the connection ended, once it has.
    closed: watch::Sender<Option<String>>,
}

/// The message to the server when a request is given up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CancelNotice {
    SayCancelled,
    /// For the opening exchange, which may not be cancelled.
    SayNothing,
}

/// One request, ready to be written.
pub(crate) struct PipeExchange<'a> {
    pub(crate) id: u64,
    pub(crate) message: OutgoingMessage,
    pub(crate) caller: Option<Arc<dyn Caller>>,
    pub(crate) deadline: &'a Arc<Deadline>,
    pub(crate) given_up: CancelNotice,
}

impl Pipe {
    /// `owner` is the only principal whose requests it carries, if it is not shared.
    pub(crate) fn new(
        ctx: Arc<ServerContext>,
        owner: Option<PrincipalId>,
    ) -> (Arc<Self>, mpsc::Receiver<PipeMessage>) {
        let (outbox, outgoing) = mpsc::channel(OUTBOX_MAX);
        let pending = PendingRequests::of(owner);
        (Arc::new(Self { ctx, pending, outbox, closed: watch::Sender::new(None) }), outgoing)
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn exchange(&self, exchange: PipeExchange<'_>) -> ServerAnswer {
        let PipeExchange { id, message, caller, deadline, given_up } = exchange;
        let (ticket, answer) = self.pending.expect(id, caller, Some(deadline.clone()), None)?;
        let inserts = message.inserts().cloned();
        let ended = inserts.as_ref().map(|_| ticket.ended());
        let send = |message| self.say_cancelled(message);
        let mut cancel = SessionCancel { id, inserts, armed: false, reason: "the caller gave up", send };
        let work = async {
            if let Some(inserts) = &cancel.inserts {
                Box::pin(inserts.begin()).await.map_err(|error| self.ctx.unread(error))?;
            }
            self.post(PipeMessage { id: Some(id), message, ended }).await?;
            cancel.armed = given_up == CancelNotice::SayCancelled;
            answer.await.unwrap_or_else(|_| Err(self.ctx.lost("the connection ended")))
        };
        let outcome = deadline.limit(work).await;
        cancel.armed &= outcome.is_err();
        outcome.unwrap_or_else(|DeadlinePassed| {
            cancel.reason = "the request took too long";
            Err(self.ctx.late(deadline, cancel.inserts.as_ref()))
        })
    }

    /// Opens a subscription and receives its notifications until it ends. Dropping the future cancels it.
    pub(crate) async fn subscribe(
        &self,
        id: u64,
        message: OutgoingMessage,
        listener: NotificationListener,
    ) -> ServerAnswer {
        let (_ticket, answer) = self.pending.expect(id, None, None, Some(listener))?;
        self.post(PipeMessage { id: Some(id), message, ended: None }).await?;
        let send = |message| self.say_cancelled(message);
        let mut cancel = SessionCancel { id, inserts: None, armed: true, reason: "no longer needed", send };
        let answer = answer.await.unwrap_or_else(|_| Err(self.ctx.lost("the connection ended")));
        cancel.armed = false;
        answer
    }

    pub(crate) async fn notify(&self, text: String) {
        drop(self.post(PipeMessage::aside(text.into())).await);
    }

    fn say_cancelled(&self, message: String) {
        if self.outbox.try_send(PipeMessage::aside(message.into())).is_err() {
            self.ctx.discarded("a cancellation that the server did not take");
        }
    }

    async fn post(&self, outgoing: PipeMessage) -> Result<(), ServerError> {
        self.outbox.send(outgoing).await.map_err(|_| self.ctx.down("the connection ended"))
    }

    /// Hands a server's message to its receiver.
    pub(crate) fn take(self: &Arc<Self>, message: &Bytes) {
        let back: Arc<dyn AnswerSink> = self.clone();
        SharedStream { ctx: &self.ctx, pending: &self.pending, back: &back }.take(message);
    }

    /// The connection has ended. The first reason stays.
    pub(crate) fn close(&self, reason: &str) {
        self.pending.close(&self.ctx.lost(reason), self.ctx.down(reason));
        self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            closed.get_or_insert_with(|| reason.to_owned());
            first
        });
    }

    pub(crate) async fn closed(&self) -> String {
        let mut closed = self.closed.subscribe();
        let reason = closed.wait_for(Option::is_some).await;
        reason.ok().and_then(|reason| reason.clone()).unwrap_or_else(|| "the connection ended".into())
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.borrow().is_some()
    }
}

impl AnswerSink for Pipe {
    fn send_back(&self, message: Bytes) -> BoxFuture<'_, ()> {
        /// A server that asks and does not read the answer does not get it.
        const PATIENCE: Duration = Duration::from_secs(30);
        Box::pin(async move {
            let posting = self.post(PipeMessage::aside(message));
            if !matches!(tokio::time::timeout(PATIENCE, posting).await, Ok(Ok(()))) {
                self.ctx.discarded("an answer that the server did not take");
            }
        })
    }
}
