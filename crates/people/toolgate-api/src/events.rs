//! Live events: one follower of the ledger for all listeners.
//!
//! Every listener has a position in the ledger. It reads up to the end by itself and continues with the
//! follower's events; a listener that falls behind reads by itself again. So nothing is lost, and nothing
//! waits for slow listeners.

mod kinds;
mod pieces;
mod reader;
mod wish;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, broadcast};
use tokio_util::sync::CancellationToken;
use toolgate_core::event::{EventFilter, EventKind, HybridTime, Outcome, Position, RecordedEvent};
use toolgate_core::id::RunId;
use toolgate_store::{LEDGER_PAGE_MAX, LedgerOrder, Store, StoreError, ledger_event_json};

pub(crate) use kinds::{EventKinds, UnknownKind};
pub(crate) use pieces::{LivePiece, PieceStream};
pub(crate) use reader::EventBody;
use reader::{StreamReader, StreamSubject};
pub(crate) use wish::StreamFilter;

use crate::streams::StreamPlace;

/// The maximum number of open streams of everything.
pub(crate) const STREAMS_MAX: usize = 64;
/// The maximum number of open streams of single runs. Agents use these; they take no seats from operators.
pub(crate) const RUN_STREAMS_MAX: usize = 256;
/// The polling interval of the follower while there are listeners.
const LOOK: Duration = Duration::from_millis(250);
/// Events that the follower is ahead of a listener before that one reads the ledger itself.
const AHEAD_MAX: usize = 1_024;

/// The time limits of a stream.
#[derive(Clone, Copy, Debug)]
struct StreamTimeouts {
    /// The maximum time without a read while frames wait.
    reading: Duration,
    /// The interval of keep-alive messages, so that nothing in between takes the connection for dead.
    keep_alive: Duration,
    /// After this a reader reconnects with its token, which may have been revoked.
    open: Duration,
}

const PATIENCE: StreamTimeouts = StreamTimeouts {
    reading: Duration::from_secs(30),
    keep_alive: Duration::from_secs(15),
    open: Duration::from_secs(15 * 60),
};

/// An event, written out once for all who listen.
#[derive(Clone, Debug)]
pub(crate) struct FeedEvent {
    /// Its position in its stream and among all.
    pub(crate) stream: Arc<str>,
    pub(crate) number: i64,
    pub(crate) time: HybridTime,
    pub(crate) position: Position,
    pub(crate) kind: EventKind,
    pub(crate) run: Option<RunId>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) frame: Bytes,
}

impl FeedEvent {
    fn of(recorded: &RecordedEvent) -> Self {
        let (kind, outcome) = (recorded.event.kind, recorded.event.outcome);
        let data = ledger_event_json(recorded);
        // JSON written by serde has no line breaks, so it is one `data:` line.
        let frame = format!("id: {}\nevent: {}\ndata: {data}\n\n", recorded.position, kind.as_str());
        let run = recorded.event.about.run.clone();
        Self {
            stream: Arc::clone(&recorded.stream),
            number: recorded.number,
            time: recorded.time,
            position: recorded.position.clone(),
            kind,
            run,
            outcome,
            frame: frame.into(),
        }
    }
}

/// Shared by all streams.
pub(crate) struct EventFeed {
    store: Store,
    shutdown: CancellationToken,
    patience: StreamTimeouts,
    /// Streams outlive the connection thread that opened them no longer than their readers, but do not run on it: its
    /// work is calls.
    runtime: Handle,
    seats: Arc<Semaphore>,
    run_seats: Arc<Semaphore>,
    live: broadcast::Sender<FeedEvent>,
    /// True if the follower runs. It stops when there are no listeners.
    following: Mutex<bool>,
}

/// The seats that a stream occupies: one of the total, and one of its principal's quota.
pub(crate) struct StreamSeat {
    _permit: OwnedSemaphorePermit,
    _place: StreamPlace,
}

/// The reason why a stream cannot be opened.
pub(crate) enum NoSeat {
    TooMany {
        max: usize,
    },
    /// The requested position is not in this ledger; its end is this one.
    Unknown {
        newest: Position,
    },
    Store(StoreError),
}

impl From<StoreError> for NoSeat {
    fn from(error: StoreError) -> Self {
        NoSeat::Store(error)
    }
}

impl EventFeed {
    /// Must be made inside the runtime that shall do the following.
    pub(crate) fn new(store: Store, shutdown: CancellationToken) -> Arc<Self> {
        Self::with_patience(store, shutdown, PATIENCE)
    }

    fn with_patience(store: Store, shutdown: CancellationToken, patience: StreamTimeouts) -> Arc<Self> {
        Arc::new(Self {
            store,
            shutdown,
            patience,
            runtime: Handle::current(),
            seats: Arc::new(Semaphore::new(STREAMS_MAX)),
            run_seats: Arc::new(Semaphore::new(RUN_STREAMS_MAX)),
            live: broadcast::Sender::new(AHEAD_MAX),
            following: Mutex::new(false),
        })
    }

    /// Opens a stream of the events after a given one, or from now on, on its principal's seat.
    pub(crate) async fn listen(
        self: &Arc<Self>,
        after: Option<Position>,
        wish: StreamFilter,
        place: StreamPlace,
    ) -> Result<EventBody, NoSeat> {
        self.listen_with(after, wish, place, None).await
    }

    /// The same, and between the events the pieces of a model's answers and the progress of calls, as they arrive. A piece that
    /// nobody hears is lost. The whole answer and the end of a call are events, so they are not.
    pub(crate) async fn listen_with(
        self: &Arc<Self>,
        after: Option<Position>,
        wish: StreamFilter,
        place: StreamPlace,
        pieces: Option<PieceStream>,
    ) -> Result<EventBody, NoSeat> {
        let (seats, max) = match wish.run {
            None => (&self.seats, STREAMS_MAX),
            Some(_) => (&self.run_seats, RUN_STREAMS_MAX),
        };
        let permit = Arc::clone(seats).try_acquire_owned().map_err(|_| NoSeat::TooMany { max })?;
        let seat = StreamSeat { _permit: permit, _place: place };
        // Subscribing before reading the end of the ledger misses nothing in between.
        let live = self.live.subscribe();
        let newest = self.store.ledger_end().await?;
        if let Some(after) = &after
            && !self.store.has_position(after).await?
        {
            return Err(NoSeat::Unknown { newest });
        }
        let at = after.unwrap_or_else(|| newest.clone());
        self.follow(newest).await;
        Ok(self.seated(seat, live, at, StreamSubject { wish, pieces }))
    }

    fn seated(
        self: &Arc<Self>,
        seat: StreamSeat,
        live: broadcast::Receiver<FeedEvent>,
        at: Position,
        subject: StreamSubject,
    ) -> EventBody {
        let (reader, body) = StreamReader::new(Arc::clone(self), seat, live, at, subject);
        self.runtime.spawn(reader.run());
        body
    }

    /// Starts the follower behind an event, unless it runs.
    async fn follow(self: &Arc<Self>, from: Position) {
        let mut following = self.following.lock().await;
        if !*following {
            *following = true;
            self.runtime.spawn(Arc::clone(self).run(from));
        }
    }

    async fn run(self: Arc<Self>, mut at: Position) {
        loop {
            match self.page(&at, &EventFilter::default()).await {
                Ok(page) => {
                    let full = page.len() == LEDGER_PAGE_MAX;
                    at = self.tell(page).unwrap_or(at);
                    if full {
                        continue;
                    }
                }
                Err(error) => tracing::warn!(%error, "the events of the ledger cannot be read"),
            }
            if self.is_over().await {
                return;
            }
        }
    }

    /// Tells those who listen, and how far that was.
    fn tell(&self, page: Vec<FeedEvent>) -> Option<Position> {
        let last = page.last().map(|told| told.position.clone());
        for told in page {
            // There may be no listener left.
            drop(self.live.send(told));
        }
        last
    }

    /// Waits for the next poll. `true` if there will be none.
    async fn is_over(&self) -> bool {
        tokio::select! {
            () = self.shutdown.cancelled() => return true,
            () = tokio::time::sleep(LOOK) => {}
        }
        let mut following = self.following.lock().await;
        // Listeners subscribe before they check whether the follower runs.
        *following = self.live.receiver_count() > 0;
        !*following
    }

    async fn page(&self, after: &Position, filter: &EventFilter) -> Result<Vec<FeedEvent>, StoreError> {
        let page =
            self.store.ledger_page(filter, Some(after), LEDGER_PAGE_MAX, LedgerOrder::OldestFirst).await?;
        Ok(page.iter().map(FeedEvent::of).collect())
    }
}

#[cfg(test)]
mod tests;
