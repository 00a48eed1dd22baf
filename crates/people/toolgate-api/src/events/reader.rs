//! One stream: a position in the ledger, the events after it, and a body that may or may not be read.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::error::SendTimeoutError;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, Interval, MissedTickBehavior};
use toolgate_core::event::Position;
use toolgate_store::LEDGER_PAGE_MAX;

use super::pieces::{PieceStream, frame, next};
use super::{EventFeed, FeedEvent, StreamFilter, StreamSeat};

/// Frames that wait for a reader.
const FRAMES_MAX: usize = 64;
/// The pause before an unreadable store is asked again.
const AGAIN: Duration = Duration::from_secs(1);

const KEEP_ALIVE_COMMENT: Bytes = Bytes::from_static(b": keep-alive\n\n");
/// Sent at once, so that the reader knows it is connected, and how soon to come back.
const WELCOME: Bytes = Bytes::from_static(b"retry: 1000\n\n");

/// Feeds one stream.
pub(crate) struct StreamReader {
    feed: Arc<EventFeed>,
    live: broadcast::Receiver<FeedEvent>,
    /// After the last event that was sent or passed over.
    at: Position,
    wish: StreamFilter,
    /// What is under way in its run.
    pieces: Option<PieceStream>,
    frames: mpsc::Sender<Bytes>,
    /// The final message, for a reader that may begin too late.
    farewell: Arc<OnceLock<Bytes>>,
    keep_alive: Interval,
    _seat: StreamSeat,
}

/// The content of a stream.
pub(super) struct StreamSubject {
    pub(super) wish: StreamFilter,
    pub(super) pieces: Option<PieceStream>,
}

/// The reason why a stream ends.
enum StreamEnd {
    /// The reader is gone, or the gateway stops.
    Gone,
    /// Its subject has ended.
    Over,
    /// The reader did not read.
    Slow,
    /// It reached the maximum time of a stream.
    Long,
}

impl StreamReader {
    pub(super) fn new(
        feed: Arc<EventFeed>,
        seat: StreamSeat,
        live: broadcast::Receiver<FeedEvent>,
        at: Position,
        subject: StreamSubject,
    ) -> (Self, EventBody) {
        let StreamSubject { wish, pieces } = subject;
        let (frames, waiting) = mpsc::channel(FRAMES_MAX);
        let farewell = Arc::new(OnceLock::new());
        let every = feed.patience.keep_alive;
        let mut keep_alive = tokio::time::interval_at(Instant::now() + every, every);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let body = EventBody { welcome: Some(WELCOME), waiting, farewell: Some(Arc::clone(&farewell)) };
        (Self { feed, live, at, wish, pieces, frames, farewell, keep_alive, _seat: seat }, body)
    }

    pub(super) async fn run(mut self) {
        let (shutdown, frames, open) =
            (self.feed.shutdown.clone(), self.frames.clone(), self.feed.patience.open);
        let ended = tokio::select! {
            ended = self.go_on() => ended,
            () = frames.closed() => StreamEnd::Gone,
            () = shutdown.cancelled() => StreamEnd::Gone,
            () = tokio::time::sleep(open) => StreamEnd::Long,
        };
        let why = match ended {
            StreamEnd::Gone | StreamEnd::Over => return,
            StreamEnd::Slow => "this stream was not read for too long",
            StreamEnd::Long => "this stream was open for long enough",
        };
        let words = format!(": {why}; go on with Last-Event-ID: {}\n\n", self.at);
        // It is set here and nowhere else.
        drop(self.farewell.set(words.into()));
    }

    async fn go_on(&mut self) -> StreamEnd {
        loop {
            let went = match self.catch_up().await {
                Ok(()) => self.follow().await,
                slow => slow,
            };
            if let Err(ended) = went {
                return ended;
            }
        }
    }

    /// Reads the ledger from this stream's place to its end.
    async fn catch_up(&mut self) -> Result<(), StreamEnd> {
        let filter = self.wish.filter();
        loop {
            let page = match self.feed.page(&self.at, &filter).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::warn!(%error, "a stream of events waits for the ledger");
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
            };
            let full = page.len() == LEDGER_PAGE_MAX;
            for told in page {
                self.tell(told).await?;
            }
            if !full {
                return Ok(());
            }
        }
    }

    /// Sends the follower's events. Returns when the follower was too fast.
    async fn follow(&mut self) -> Result<(), StreamEnd> {
        loop {
            tokio::select! {
                told = self.live.recv() => match told {
                    Ok(told) => self.tell(told).await?,
                    Err(RecvError::Lagged(_)) => return Ok(()),
                    Err(RecvError::Closed) => return Err(StreamEnd::Gone),
                },
                piece = next(&mut self.pieces) => self.send(frame(&piece)).await?,
                _ = self.keep_alive.tick() => self.send(KEEP_ALIVE_COMMENT).await?,
            }
        }
    }

    async fn tell(&mut self, told: FeedEvent) -> Result<(), StreamEnd> {
        // The follower may be behind the position of this stream.
        if self.at.covers(&told.stream, told.number, told.time) {
            return Ok(());
        }
        let is_last = self.wish.ends_with(&told);
        let position = told.position.clone();
        if self.wish.wants(&told) {
            self.send(told.frame).await?;
            self.keep_alive.reset();
        }
        self.at = position;
        if is_last { Err(StreamEnd::Over) } else { Ok(()) }
    }

    async fn send(&mut self, frame: Bytes) -> Result<(), StreamEnd> {
        let sent = self.frames.send_timeout(frame, self.feed.patience.reading).await;
        sent.map_err(|error| match error {
            SendTimeoutError::Timeout(_) => StreamEnd::Slow,
            SendTimeoutError::Closed(_) => StreamEnd::Gone,
        })
    }
}

/// The body that carries a stream.
pub(crate) struct EventBody {
    welcome: Option<Bytes>,
    waiting: mpsc::Receiver<Bytes>,
    farewell: Option<Arc<OnceLock<Bytes>>>,
}

#[cfg(test)]
impl EventBody {
    /// True if nothing more will be put into it.
    pub(super) fn is_given_up(&self) -> bool {
        self.waiting.is_closed()
    }
}

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(welcome) = self.welcome.take() {
            return Poll::Ready(Some(Ok(Frame::data(welcome))));
        }
        let waiting = ready!(self.waiting.poll_recv(context));
        let last = || self.farewell.take().and_then(|words| words.get().cloned());
        Poll::Ready(waiting.or_else(last).map(|frame| Ok(Frame::data(frame))))
    }
}
