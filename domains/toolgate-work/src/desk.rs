//! The parts of the desk, shared by all that happens there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use tokio::sync::Notify;
use toolgate_core::governance::Clock;
use toolgate_runs::Runs;
use toolgate_store::Store;

use crate::worker::Worker;

pub struct WorkSetup {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub runs: Arc<Runs>,
    pub settings: WorkSettings,
    /// This gateway's ledger stream.
    pub stream: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkSettings {
    /// The works that this gateway does at a time.
    pub parallel_max: usize,
    /// The time after which the work of a gateway that says nothing is taken up by another.
    pub lease: Duration,
    /// The interval between renewals of a lease, and between looks at the run.
    pub beat: Duration,
    /// The interval between looks for work that others opened.
    pub poll: Duration,
    /// The time until work goes on that was interrupted by a pause of its run or by a fault.
    pub pause: Duration,
    /// The time for which ended work is kept. Its run is kept for longer.
    pub keep: Duration,
}

impl Default for WorkSettings {
    fn default() -> Self {
        Self {
            parallel_max: 2,
            lease: Duration::from_secs(30),
            beat: Duration::from_secs(1),
            poll: Duration::from_millis(500),
            pause: Duration::from_secs(5),
            keep: Duration::from_secs(30 * 24 * 3_600),
        }
    }
}

/// Live; one per gateway process.
pub struct WorkDesk {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) settings: WorkSettings,
    pub(crate) stream: String,
    /// Rings when there may be work.
    pub(crate) bell: Notify,
    workers: RwLock<BTreeMap<&'static str, Arc<dyn Worker>>>,
}

impl WorkDesk {
    pub fn new(setup: WorkSetup) -> Arc<Self> {
        let WorkSetup { store, clock, runs, settings, stream } = setup;
        let workers = RwLock::default();
        Arc::new(Self { store, clock, runs, settings, stream, bell: Notify::new(), workers })
    }

    /// Lets this gateway do work of the worker's kind.
    pub fn add(&self, worker: Arc<dyn Worker>) {
        self.workers.write().insert(worker.kind(), worker);
        self.bell.notify_one();
    }

    pub(crate) fn worker(&self, kind: &str) -> Option<Arc<dyn Worker>> {
        self.workers.read().get(kind).map(Arc::clone)
    }

    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        self.workers.read().keys().copied().collect()
    }

    /// The moment after a wait from now.
    pub(crate) fn after(&self, wait: Duration) -> i64 {
        self.clock.now_ms().saturating_add(millis(wait))
    }
}

pub(crate) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
