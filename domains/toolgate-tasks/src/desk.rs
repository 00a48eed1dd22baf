//! The parts of the tasks, and the shared state of their background work.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{AcquireError, Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::PrincipalId;
use toolgate_core::governance::Clock;
use toolgate_core::run::RunStarter;
use toolgate_runs::Runs;
use toolgate_store::{ActionStamp, Books, FireHolder, Store};

use crate::unreadable::UnreadableNotes;
use crate::view::WebhookKeys;

/// Runs that are being started at the same time.
const STARTS_MAX: usize = 16;

pub struct TasksSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    pub runs: Arc<Runs>,
    pub starter: Arc<dyn RunStarter>,
    /// The secrets of webhooks.
    pub keys: Arc<dyn WebhookKeys>,
    /// This gateway's ledger stream.
    pub stream: String,
    pub shutdown: CancellationToken,
}

/// The speed of the background work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TasksPace {
    /// The longest sleep of the scheduler: then it looks at the clock and at changes by other gateways.
    pub look: Duration,
    /// The polling interval of a ledger without new events, while there are automations.
    pub follow: Duration,
    /// The time for the start of one run.
    pub start_limit: Duration,
    /// The time after which another gateway takes up a start. Longer than `start_limit`.
    pub claim: Duration,
}

impl Default for TasksPace {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(15),
            follow: Duration::from_millis(500),
            start_limit: Duration::from_secs(30),
            claim: Duration::from_secs(90),
        }
    }
}

/// One of the starts that may happen at the same time. It always comes: the semaphore is never closed.
pub(crate) type StartPermit = Result<OwnedSemaphorePermit, AcquireError>;

pub(crate) struct TasksDesk {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) starter: Arc<dyn RunStarter>,
    pub(crate) keys: Arc<dyn WebhookKeys>,
    pub(crate) stream: String,
    pub(crate) pace: TasksPace,
    pub(crate) gateway: PrincipalId,
    /// Rung when an automation has changed or a run has ended.
    pub(crate) changed: Notify,
    /// Rung when an automation is made here: from then on the ledger is followed.
    pub(crate) made: Notify,
    pub(crate) unreadable: UnreadableNotes,
    starts: Arc<Semaphore>,
    pub(crate) work: TaskTracker,
}

impl TasksDesk {
    pub(crate) fn new(setup: TasksSetup, pace: TasksPace) -> Self {
        let TasksSetup { store, books, clock, runs, starter, keys, stream, shutdown: _ } = setup;
        Self {
            store,
            books,
            clock,
            runs,
            starter,
            keys,
            stream,
            pace,
            gateway: PrincipalId::gateway(),
            changed: Notify::new(),
            made: Notify::new(),
            unreadable: UnreadableNotes::default(),
            starts: Arc::new(Semaphore::new(STARTS_MAX)),
            work: TaskTracker::new(),
        }
    }

    pub(crate) fn act<'a>(&self, by: &'a PrincipalId) -> ActionStamp<'a> {
        ActionStamp { by, at_ms: self.clock.now_ms() }
    }

    /// The gateway itself acts.
    pub(crate) fn own_act(&self) -> ActionStamp<'_> {
        self.act(&self.gateway)
    }

    /// Waits until another run may be started.
    pub(crate) async fn start_permit(&self) -> StartPermit {
        Arc::clone(&self.starts).acquire_owned().await
    }

    /// The claim on a start, from now on.
    pub(crate) fn holder(&self) -> FireHolder<'_> {
        let claim_ms = i64::try_from(self.pace.claim.as_millis()).unwrap_or(i64::MAX);
        FireHolder { stream: &self.stream, until_ms: self.clock.now_ms().saturating_add(claim_ms) }
    }
}
