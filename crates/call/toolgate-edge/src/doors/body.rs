//! Bodies that stream: the events of one call, of a session, or of a subscription, with comments to keep them alive.
//!
//! Each is fed by a task of its own through a small channel; the task notices a closed connection by the channel.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame as BodyFrame, SizeHint};
use tokio::sync::mpsc;
use toolgate_core::port::BoxFuture;
use toolgate_wire::{ProtocolVersion, sse};

use crate::clients::caller::RequestCaller;
use crate::clients::session::ClientSession;
use crate::clients::stream::EventLog;
use crate::doors::pipe::Pipe;
use crate::doors::rest::RestBody;
use crate::gateway::Gateway;
use crate::messages::frame::{Frame, MessagePieces};
use crate::protocol::exchange::Exchange;
use crate::protocol::listen::Subscription;

/// Silence is broken this often, so that nothing in between takes the connection for dead.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// The time that a client should wait before it comes back for the rest of a stream.
const RETRY_MS: u64 = 1_000;
const EVENTS_AHEAD: usize = 16;
const KEEP_ALIVE_COMMENT: Bytes = Bytes::from_static(b": keep-alive\n\n");

/// The next step of an exchange that has not come yet.
pub(crate) type NextFrame = BoxFuture<'static, (Frame, Option<Exchange>)>;

pub(crate) struct EventBody(mpsc::Receiver<Bytes>);

/// The body of an HTTP answer.
pub(crate) enum OutBody {
    /// Pieces that are still to be sent; the next one is the first that is not empty.
    Whole(MessagePieces),
    Events(EventBody),
    /// An answer of the service beside MCP.
    Rest(RestBody),
    /// A stream that ends early when its reader may not read any more.
    Watched(Box<WatchedBody>),
}

pub(crate) struct WatchedBody {
    inner: OutBody,
    over: BoxFuture<'static, ()>,
}

impl OutBody {
    pub(crate) fn whole(pieces: MessagePieces) -> Self {
        Self::Whole(pieces)
    }

    /// The same until `over` comes.
    pub(crate) fn until(self, over: BoxFuture<'static, ()>) -> Self {
        Self::Watched(Box::new(WatchedBody { inner: self, over }))
    }
}

impl Body for OutBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<BodyFrame<Bytes>, Infallible>>> {
        let next = match &mut *self {
            OutBody::Whole(MessagePieces(pieces)) => {
                pieces.iter_mut().find(|piece| !piece.is_empty()).map(std::mem::take)
            }
            OutBody::Events(EventBody(events)) => match events.poll_recv(context) {
                Poll::Ready(event) => event,
                Poll::Pending => return Poll::Pending,
            },
            OutBody::Rest(body) => return Pin::new(body).poll_frame(context),
            OutBody::Watched(watched) => {
                return match watched.over.as_mut().poll(context) {
                    Poll::Ready(()) => Poll::Ready(None),
                    Poll::Pending => Pin::new(&mut watched.inner).poll_frame(context),
                };
            }
        };
        Poll::Ready(next.map(|bytes| Ok(BodyFrame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            OutBody::Whole(MessagePieces(pieces)) => pieces.iter().all(Bytes::is_empty),
            OutBody::Events(_) => false,
            OutBody::Rest(body) => body.is_end_stream(),
            OutBody::Watched(watched) => watched.inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            OutBody::Whole(MessagePieces(pieces)) => {
                SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum())
            }
            OutBody::Events(_) => SizeHint::default(),
            OutBody::Rest(body) => body.size_hint(),
            OutBody::Watched(watched) => watched.inner.size_hint(),
        }
    }
}

fn channel() -> (mpsc::Sender<Bytes>, EventBody) {
    let (events, body) = mpsc::channel(EVENTS_AHEAD);
    (events, EventBody(body))
}

/// A call of the newer era from some point on. Closing the connection drops the exchange, which cancels it.
pub(crate) fn of_call(gateway: &Arc<Gateway>, first: Option<Bytes>, next: NextFrame) -> EventBody {
    let (events, body) = channel();
    gateway.calls.spawn(async move {
        tokio::select! {
            () = events.closed() => {}
            () = feed_call(&events, first, next) => {}
        }
    });
    body
}

async fn feed_call(events: &mpsc::Sender<Bytes>, first: Option<Bytes>, mut next: NextFrame) {
    if let Some(message) = first {
        send(events, sse::encode(None, None, &message)).await;
    }
    loop {
        match tokio::time::timeout(KEEP_ALIVE, &mut next).await {
            Err(_) => send(events, KEEP_ALIVE_COMMENT).await,
            Ok((Frame::Message(message), Some(rest))) => {
                send(events, sse::encode(None, None, &message)).await;
                next = Box::pin(rest.next());
            }
            Ok((Frame::Message(message), None)) => {
                return send(events, sse::encode(None, None, &message)).await;
            }
            Ok((Frame::Response(answer), _)) => {
                return send(events, sse::encode(None, None, &answer.body.joined())).await;
            }
        }
    }
}

/// A call of the older era from some point on. It goes on without its reader, who may come back for the rest.
pub(crate) fn of_session_call(
    gateway: &Arc<Gateway>,
    session: &Arc<ClientSession>,
    caller: &RequestCaller,
    first: Option<Bytes>,
    next: NextFrame,
) -> EventBody {
    let (number, log) = session.open_stream();
    // It is set once: an exchange of a session streams from one point on.
    drop(caller.stream.set(log.clone()));
    gateway.calls.spawn(pump(log.clone(), first, next));
    of_log(gateway, session, SessionStream::Request(number, log), None)
}

async fn pump(log: Arc<EventLog>, first: Option<Bytes>, mut next: NextFrame) {
    first.into_iter().for_each(|message| log.push(message));
    loop {
        match next.await {
            (Frame::Message(message), Some(rest)) => {
                log.push(message);
                next = Box::pin(rest.next());
            }
            (Frame::Message(message), None) => {
                log.push(message);
                break;
            }
            (Frame::Response(answer), _) => {
                log.push(answer.body.joined());
                break;
            }
        }
    }
    log.close();
}

/// A stream of an older session.
pub(crate) enum SessionStream {
    /// Messages that belong to no request.
    Push,
    /// The events of one request, by the number of its stream.
    Request(u64, Arc<EventLog>),
}

/// Reads a session's stream, after the event `seen` or where the last reader stopped.
pub(crate) fn of_log(
    gateway: &Arc<Gateway>,
    session: &Arc<ClientSession>,
    stream: SessionStream,
    seen: Option<u64>,
) -> EventBody {
    let (events, body) = channel();
    let session = session.clone();
    let shutdown = gateway.shutdown.clone();
    gateway.calls.spawn(async move {
        // A call that streams is waited for when the gateway shuts down; what belongs to no call has no end to wait for.
        let ends = async {
            match stream {
                SessionStream::Push => shutdown.cancelled().await,
                SessionStream::Request(..) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = events.closed() => {}
            () = ends => {}
            () = session.closed.cancelled() => {}
            () = feed_log(&events, &session, &stream, seen) => {
                if let SessionStream::Request(number, _) = stream {
                    session.written(number);
                }
            }
        }
    });
    body
}

async fn feed_log(
    events: &mpsc::Sender<Bytes>,
    session: &ClientSession,
    stream: &SessionStream,
    seen: Option<u64>,
) {
    let (number, log) = match stream {
        SessionStream::Push => (0, &session.push),
        SessionStream::Request(number, log) => (*number, &**log),
    };
    let mut cursor = log.read(seen);
    if seen.is_none() && session.client.version >= ProtocolVersion::V2025_11_25 {
        // Tells the client from the start where to come back to if the connection breaks.
        send(events, format!("id: {number}-0\nretry: {RETRY_MS}\ndata: \n\n").into()).await;
    }
    loop {
        match tokio::time::timeout(KEEP_ALIVE, cursor.next()).await {
            Err(_) => send(events, KEEP_ALIVE_COMMENT).await,
            Ok(None) => return,
            Ok(Some((at, message))) => {
                session.touch();
                send(events, sse::encode(Some(&format!("{number}-{at}")), None, &message)).await;
            }
        }
    }
}

/// A subscription of the newer era, until either side ends it.
pub(crate) fn of_subscription(gateway: &Arc<Gateway>, subscription: Subscription) -> EventBody {
    let (events, body) = channel();
    let shutdown = gateway.shutdown.clone();
    gateway.calls.spawn(async move {
        tokio::select! {
            () = events.closed() => {}
            () = shutdown.cancelled() => send(&events, sse::encode(None, None, &subscription.listener.farewell())).await,
            () = feed_subscription(&events, &subscription) => {}
        }
    });
    body
}

async fn feed_subscription(events: &mpsc::Sender<Bytes>, subscription: &Subscription) {
    let mut cursor = subscription.listener.log.read(None);
    loop {
        match tokio::time::timeout(KEEP_ALIVE, cursor.next()).await {
            Err(_) => send(events, KEEP_ALIVE_COMMENT).await,
            Ok(None) => return,
            Ok(Some((_, message))) => send(events, sse::encode(None, None, &message)).await,
        }
    }
}

/// Messages of a pipe, as events; used by the older HTTP+SSE pair.
pub(crate) fn of_messages(
    gateway: &Arc<Gateway>,
    opening: Bytes,
    mut messages: mpsc::Receiver<Bytes>,
    pipe: Arc<Pipe>,
    on_end: impl FnOnce() + Send + 'static,
) -> EventBody {
    let (events, body) = channel();
    let shutdown = gateway.shutdown.clone();
    let shutdown_wait = gateway.limits.shutdown_wait;
    gateway.calls.spawn(async move {
        let feed = async {
            send(&events, opening).await;
            loop {
                match tokio::time::timeout(KEEP_ALIVE, messages.recv()).await {
                    Err(_) => send(&events, KEEP_ALIVE_COMMENT).await,
                    Ok(None) => return,
                    Ok(Some(message)) => send(&events, sse::encode(None, Some("message"), &message)).await,
                }
            }
        };
        tokio::select! {
            () = events.closed() => {}
            () = async { shutdown.cancelled().await; pipe.drain(shutdown_wait).await } => {}
            () = feed => {}
        }
        on_end();
    });
    body
}

/// The answer of a call whose other events are not wanted here: they go to the session's own stream.
pub(crate) async fn last_answer(mut exchange: Exchange, session: &ClientSession) -> Bytes {
    loop {
        match exchange.next().await {
            (Frame::Response(answer), _) => return answer.body.joined(),
            (Frame::Message(message), Some(rest)) => {
                session.push.push(message);
                exchange = rest;
            }
            (Frame::Message(message), None) => return message,
        }
    }
}

async fn send(events: &mpsc::Sender<Bytes>, event: Bytes) {
    // A closed connection ends the feeding task; nothing is owed to it.
    drop(events.send(event).await);
}
