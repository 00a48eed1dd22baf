//! One receiver's way through the ledger: in order, at least once, at its own pace, independent of others.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_core::event::{Position, RecordedEvent};
use toolgate_store::{OutboxBatch, Store, StoreError};

use crate::backoff::Backoff;
use crate::board::ReceiverBoard;
use crate::delivery::{Delivery, RefusedEvents};
use crate::failure::{DeliveryFailure, FailureKind};

/// The number of attempts for events that a receiver refuses.
const REFUSALS_MAX: u32 = 5;
/// The time that a batch is held. The store takes its holder for dead after a minute; the last attempt takes
/// time, too.
const HOLD_MAX: Duration = Duration::from_secs(30);
/// The number of checks of the ledger's end before a batch is requested although nothing is new: another
/// gateway may have released one, or have recorded something under a number that it drew earlier.
const QUIET_LOOKS_MAX: u32 = 20;
/// The time for pending deliveries at shutdown; the rest is delivered after the next start.
const FINISH_LIMIT: Duration = Duration::from_secs(3);

/// The speed of a follower.
#[derive(Clone, Copy)]
pub(crate) struct FollowerPace {
    /// The polling interval of a ledger without new events.
    pub(crate) idle: Duration,
    /// For one attempt.
    pub(crate) attempt_limit: Duration,
    pub(crate) retry_first: Duration,
    pub(crate) retry_longest: Duration,
}

impl Default for FollowerPace {
    fn default() -> Self {
        Self {
            idle: Duration::from_millis(250),
            attempt_limit: Duration::from_secs(10),
            retry_first: Duration::from_millis(500),
            retry_longest: Duration::from_secs(60),
        }
    }
}

pub(crate) struct LedgerFollower {
    pace: FollowerPace,
    sink: String,
    store: Store,
    delivery: Delivery,
    board: ReceiverBoard,
    bell: Arc<Notify>,
    /// The batch in delivery; released if there is no time left to finish it.
    in_hand: Option<OutboxBatch>,
    /// The receiver's progress in each stream. The store advances by whole batches only, and the delivered
    /// part of a batch that failed in the middle is not sent again.
    progress: HashMap<Arc<str>, i64>,
    /// The end of the ledger up to which there was nothing for this receiver.
    nothing_until: Option<Position>,
    quiet_looks: u32,
    backoff: Backoff,
    /// The number of refusals of the first pending event.
    refusals: u32,
}

/// The result of one round.
enum DeliveryRound {
    Delivered,
    NothingNew,
    Failed { pause: Duration },
}

/// The end of a batch's delivery.
enum BatchEnd {
    Complete,
    /// It took long, and continues under a new lease.
    Unfinished,
    Failed(DeliveryFailure),
}

impl LedgerFollower {
    pub(crate) fn new(
        pace: FollowerPace,
        sink: String,
        store: Store,
        delivery: Delivery,
        board: ReceiverBoard,
    ) -> Self {
        let backoff = Backoff::new(pace.retry_first, pace.retry_longest);
        Self {
            pace,
            sink,
            store,
            delivery,
            board,
            bell: Arc::default(),
            in_hand: None,
            progress: HashMap::new(),
            nothing_until: None,
            quiet_looks: 0,
            backoff,
            refusals: 0,
        }
    }

    pub(crate) fn bell(&self) -> Arc<Notify> {
        self.bell.clone()
    }

    pub(crate) async fn run(mut self, shutdown: CancellationToken) {
        let overdue = async {
            shutdown.cancelled().await;
            tokio::time::sleep(FINISH_LIMIT).await;
        };
        tokio::select! {
            () = self.follow(&shutdown) => {}
            () = overdue => {}
        }
        if let Some(batch) = self.in_hand.take()
            && let Err(error) = self.store.not_delivered(&self.sink, &batch).await
        {
            tracing::warn!(receiver = self.sink, %error, "events could not be put back; they are sent again later");
        }
    }

    /// Continues until shutdown, and then until nothing is left or the first failure.
    async fn follow(&mut self, shutdown: &CancellationToken) {
        loop {
            let pause = match self.round().await {
                DeliveryRound::Delivered => continue,
                DeliveryRound::NothingNew | DeliveryRound::Failed { .. } if shutdown.is_cancelled() => return,
                DeliveryRound::NothingNew => self.pace.idle,
                DeliveryRound::Failed { pause } => pause,
            };
            self.rest(pause, shutdown).await;
        }
    }

    /// New events do not matter before a failed receiver's pause is over, so only an idle one hears the bell.
    async fn rest(&self, pause: Duration, shutdown: &CancellationToken) {
        let idle = self.backoff.failures() == 0;
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = self.bell.notified(), if idle => {}
            () = tokio::time::sleep(pause) => {}
        }
    }

    async fn round(&mut self) -> DeliveryRound {
        let events = match self.take().await {
            Err(error) => return self.ledger_away(&error),
            Ok(events) if events.is_empty() => return DeliveryRound::NothingNew,
            Ok(events) => events,
        };
        let ended = self.deliver(&events).await;
        self.settle(ended).await
    }

    /// Takes a batch, if there may be one. Requesting one is a write, which an idle ledger is spared.
    async fn take(&mut self) -> Result<Vec<RecordedEvent>, StoreError> {
        let end = self.store.ledger_end().await?;
        if self.nothing_until.as_ref() == Some(&end) && self.quiet_looks < QUIET_LOOKS_MAX {
            self.quiet_looks += 1;
            return Ok(Vec::new());
        }
        self.quiet_looks = 0;
        let batch = self.store.outbox(&self.sink, self.delivery.kinds(), self.delivery.batch_max()).await?;
        self.nothing_until = batch.is_empty().then_some(end);
        let events = batch.events.clone();
        self.in_hand = (!batch.is_empty()).then_some(batch);
        Ok(events)
    }

    async fn deliver(&mut self, events: &[RecordedEvent]) -> BatchEnd {
        let started = Instant::now();
        let had =
            |event: &&RecordedEvent| self.progress.get(&event.stream).is_some_and(|at| event.number <= *at);
        let left: Vec<RecordedEvent> = events.iter().filter(|event| !had(event)).cloned().collect();
        let mut left = &left[..];
        while !left.is_empty() {
            if started.elapsed() > HOLD_MAX {
                return BatchEnd::Unfinished;
            }
            let count = match self.delivery.deliver(&self.store, left, self.pace.attempt_limit).await {
                Ok(count) => {
                    self.board.took(&self.sink, count);
                    count
                }
                Err(failure) if self.gives_up(&failure, &left[0]) => failure.events,
                Err(failure) => return BatchEnd::Failed(failure),
            };
            let (done, rest) = left.split_at(count);
            self.passed(done);
            left = rest;
        }
        BatchEnd::Complete
    }

    /// Takes note of events that the receiver has had, or will never have.
    fn passed(&mut self, done: &[RecordedEvent]) {
        for event in done {
            self.progress.insert(event.stream.clone(), event.number);
        }
        if self.backoff.failures() > 0 {
            tracing::info!(receiver = self.sink, "deliveries go on");
        }
        self.backoff.reset();
        self.refusals = 0;
    }

    /// True if a receiver has refused events so often that they are skipped.
    fn gives_up(&mut self, failure: &DeliveryFailure, first: &RecordedEvent) -> bool {
        self.refusals += u32::from(failure.kind == FailureKind::Refused);
        let gives_up = self.refusals >= REFUSALS_MAX && self.delivery.unwanted() == RefusedEvents::Skipped;
        if gives_up {
            self.board.failed(&self.sink, &failure.why);
            self.board.passed_over(&self.sink, failure.events);
            let (receiver, events) = (&self.sink, failure.events);
            tracing::error!(
                receiver,
                stream = %first.stream,
                number = first.number,
                events,
                why = failure.why,
                "the receiver will not have these events"
            );
        }
        gives_up
    }

    /// Tells the store how it ended.
    async fn settle(&mut self, ended: BatchEnd) -> DeliveryRound {
        let batch = self.in_hand.take().expect("a batch was taken before it was delivered");
        let settled = match ended {
            BatchEnd::Complete => self.store.delivered(&self.sink, &batch).await,
            BatchEnd::Unfinished | BatchEnd::Failed(_) => self.store.not_delivered(&self.sink, &batch).await,
        };
        match (ended, settled) {
            (BatchEnd::Failed(failure), _) => self.failed(&failure),
            (_, Err(error)) => self.ledger_away(&error),
            (_, Ok(())) => DeliveryRound::Delivered,
        }
    }

    fn failed(&mut self, failure: &DeliveryFailure) -> DeliveryRound {
        self.board.failed(&self.sink, &failure.why);
        if self.backoff.failures() == 0 {
            tracing::warn!(receiver = self.sink, why = failure.why, "a delivery failed and is tried again");
        }
        DeliveryRound::Failed { pause: self.backoff.next(failure.retry_after) }
    }

    fn ledger_away(&mut self, error: &StoreError) -> DeliveryRound {
        if self.backoff.failures() == 0 {
            tracing::warn!(receiver = self.sink, %error, "the ledger cannot be followed now");
        }
        DeliveryRound::Failed { pause: self.backoff.next(None) }
    }
}
