//! Requests to one running engine, many at a time over one pipe.

use std::sync::Arc;
use std::time::Duration;

use engine_protocol::{EngineRequest, RequestLine};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::waiting::{EngineReply, RequestTrouble, WaitingRequests};

/// Lines that wait to be written. An engine that does not read blocks its own callers, not our memory.
const OUTBOX_MAX: usize = 64;
/// The longest line of a request.
const REQUEST_BYTES_MAX: usize = 64 << 20;

/// The gateway's side of a running engine. Dropping it ends the engine.
pub(crate) struct EngineTalk {
    pub(crate) waiting: Arc<WaitingRequests>,
    outbox: mpsc::Sender<String>,
    pub(crate) ends: EngineEnds,
    /// The time in which a cancelled request is answered.
    patience: Duration,
}

/// The ways in which an engine ends, and its end.
#[derive(Clone)]
pub(crate) struct EngineEnds {
    /// It is asked to end.
    pub(crate) stop: CancellationToken,
    /// It is killed.
    pub(crate) kill: CancellationToken,
    /// It has ended.
    pub(crate) gone: CancellationToken,
}

impl EngineTalk {
    /// The talk, and the lines to write.
    pub(crate) fn new(stop: CancellationToken, patience: Duration) -> (Self, mpsc::Receiver<String>) {
        let (outbox, outgoing) = mpsc::channel(OUTBOX_MAX);
        let ends = EngineEnds { stop, kill: CancellationToken::new(), gone: CancellationToken::new() };
        (Self { waiting: Arc::default(), outbox, ends, patience }, outgoing)
    }

    /// Sends a request and waits for its answer. A request that takes too long, or whose caller gives up, is cancelled.
    pub(crate) async fn exchange(&self, request: EngineRequest, limit: Duration) -> EngineReply {
        let (id, mut answer) = self.waiting.expect()?;
        let mut given_up = RequestCancelling { talk: self, id, is_armed: true };
        let asked = timeout(limit, self.ask(id, request, &mut answer)).await;
        let reply = match asked {
            Ok(reply) => reply,
            Err(_) => self.cancel_late(id, limit, &mut answer).await,
        };
        given_up.is_armed = false;
        reply
    }

    async fn ask(
        &self,
        id: u64,
        request: EngineRequest,
        answer: &mut oneshot::Receiver<EngineReply>,
    ) -> EngineReply {
        let line = written(id, request)?;
        self.outbox.send(line).await.map_err(|_| self.lost())?;
        answer.await.unwrap_or_else(|_| Err(self.lost()))
    }

    /// An engine that does not even answer to this is killed.
    async fn cancel_late(
        &self,
        id: u64,
        limit: Duration,
        answer: &mut oneshot::Receiver<EngineReply>,
    ) -> EngineReply {
        self.tell(EngineRequest::Cancel(id));
        match timeout(self.patience, answer).await {
            // It was ready at the last moment.
            Ok(Ok(Ok(result))) => return Ok(result),
            Ok(Ok(Err(RequestTrouble::Ended(why)))) => return Err(RequestTrouble::Ended(why)),
            Ok(_) => {}
            Err(_) => {
                tracing::warn!("the engine does not answer, not even to a cancellation, and is killed");
                self.ends.kill.cancel();
            }
        }
        Err(RequestTrouble::Late(limit))
    }

    /// Sends a request whose answer nobody needs.
    pub(crate) fn tell(&self, request: EngineRequest) {
        let line = written(self.waiting.number(), request);
        if !line.is_ok_and(|line| self.outbox.try_send(line).is_ok()) {
            tracing::debug!("the engine does not read: it was not told that a request is no longer wanted");
        }
    }

    fn lost(&self) -> RequestTrouble {
        RequestTrouble::Ended(self.waiting.ended().unwrap_or_else(|| "ended".to_owned()))
    }

    /// The reason why the engine ended. If it is about to end, this waits for it, `limit` at most.
    pub(crate) async fn ended(&self, limit: Duration) -> Option<String> {
        if self.ends.kill.is_cancelled() || self.ends.stop.is_cancelled() {
            drop(timeout(limit, self.ends.gone.cancelled()).await);
        }
        self.waiting.ended()
    }
}

impl Drop for EngineTalk {
    fn drop(&mut self) {
        self.ends.stop.cancel();
    }
}

fn written(id: u64, request: EngineRequest) -> Result<String, RequestTrouble> {
    let line = RequestLine { id, request };
    let mut line = serde_json::to_string(&line).expect("our own types are JSON");
    line.push('\n');
    if line.len() > REQUEST_BYTES_MAX { Err(RequestTrouble::TooLong(line.len())) } else { Ok(line) }
}

/// Tells the engine when a caller gives up.
struct RequestCancelling<'a> {
    talk: &'a EngineTalk,
    id: u64,
    is_armed: bool,
}

impl Drop for RequestCancelling<'_> {
    fn drop(&mut self) {
        self.talk.waiting.forget(self.id);
        if self.is_armed {
            self.talk.tell(EngineRequest::Cancel(self.id));
        }
    }
}
