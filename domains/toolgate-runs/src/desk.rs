//! The parts of the runs, and the shared state of their tasks.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolgate_core::governance::Clock;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{InputRequest, RunCallEnd};
use toolgate_core::{PrincipalId, RawJson};
use toolgate_store::{ActionStamp, Books, RunError, SteppedRun, Store};

use crate::bells::RunBells;
use crate::contents::RunContents;
use crate::waiting::QuestionWaiters;

/// The maximum number of entries that wait for the store. More are lost, and look like a crash.
const LATE_MAX: usize = 10_000;

pub struct RunsSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    /// Manifests and saved states.
    pub contents: Arc<dyn RunContents>,
    /// This gateway's ledger stream.
    pub stream: String,
    pub shutdown: CancellationToken,
}

/// Ends the work that is under way in a run which somebody has ended: requests to models, and calls, down to the servers.
pub trait RunHalt: Send + Sync {
    fn halt<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()>;
}

/// Checks a value against a JSON Schema.
pub trait OutcomeCheck: Send + Sync {
    /// The error says what does not fit, in words for a model.
    fn check(&self, schema: &RawJson, value: &Value) -> Result<(), String>;
}

/// The time limits for waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitLimits {
    /// For the calls in flight, before a run is completed.
    pub completing: Duration,
    /// For the result of a call that runs already.
    pub recording: Duration,
    /// The interval between checks for changes by other gateways.
    pub poll: Duration,
    /// The polling interval of runs whose time may be over.
    pub upkeep: Duration,
}

impl Default for WaitLimits {
    fn default() -> Self {
        Self {
            completing: Duration::from_secs(60),
            recording: Duration::from_secs(120),
            poll: Duration::from_millis(150),
            upkeep: Duration::from_secs(1),
        }
    }
}

pub(crate) struct RunDesk {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) contents: Arc<dyn RunContents>,
    pub(crate) stream: String,
    pub(crate) limits: WaitLimits,
    pub(crate) waiting: QuestionWaiters,
    pub(crate) bells: RunBells,
    /// Set during assembly: it is made of parts that need the runs.
    pub(crate) halt: OnceLock<Arc<dyn RunHalt>>,
    /// The same.
    pub(crate) outcomes: OnceLock<Arc<dyn OutcomeCheck>>,
    late: Mutex<Vec<LateEvent>>,
}

/// An event that could not be written.
#[derive(Clone, Debug)]
pub(crate) enum LateEvent {
    Finished { run: RunId, call: CallId, end: RunCallEnd },
    Recorded { run: RunId, client_id: String, result: RawJson },
    PutOff { run: RunId, client_id: String, result: RawJson },
}

impl RunDesk {
    pub(crate) fn new(setup: RunsSetup, limits: WaitLimits) -> Self {
        let RunsSetup { store, books, clock, contents, stream, shutdown: _ } = setup;
        Self {
            store,
            books,
            clock,
            contents,
            stream,
            limits,
            waiting: QuestionWaiters::default(),
            bells: RunBells::default(),
            halt: OnceLock::new(),
            outcomes: OnceLock::new(),
            late: Mutex::default(),
        }
    }

    pub(crate) fn act<'a>(&self, by: &'a PrincipalId) -> ActionStamp<'a> {
        ActionStamp { by, at_ms: self.clock.now_ms() }
    }

    /// Notifies the waiters in this process about the changes of a step.
    pub(crate) fn tell(&self, stepped: &SteppedRun) {
        for input in &stepped.cancelled {
            self.tell_resolved(input);
        }
        for run in stepped.ended.iter().chain([&stepped.run.id]) {
            self.bells.ring(run);
        }
    }

    /// Ends what is under way in runs that have ended.
    pub(crate) async fn halt(&self, ended: &[RunId]) {
        let Some(halt) = self.halt.get() else { return };
        for run in ended {
            halt.halt(run).await;
        }
    }

    pub(crate) fn tell_resolved(&self, input: &InputRequest) {
        self.waiting.tell(input);
        self.bells.ring(&input.run);
    }

    /// Writes something now, or later if the store is down.
    pub(crate) async fn write_down(&self, late: LateEvent) {
        match self.try_write_down(&late).await {
            Ok(()) => {}
            Err(RunError::Store(error)) => {
                tracing::debug!(%error, "the end of a call in a run is written down later");
                self.keep(late);
            }
            Err(error) => tracing::warn!(%error, "the end of a call in a run is not written down"),
        }
    }

    pub(crate) fn keep(&self, late: LateEvent) {
        let mut kept = self.late.lock();
        match kept.len() < LATE_MAX {
            true => kept.push(late),
            false => tracing::error!("too much waits for the store: the end of a call is not written down"),
        }
    }

    /// Writes the kept events.
    pub(crate) async fn write_down_late(&self) {
        let kept = std::mem::take(&mut *self.late.lock());
        for late in kept {
            self.write_down(late).await;
        }
    }

    async fn try_write_down(&self, late: &LateEvent) -> Result<(), RunError> {
        let run = match late {
            LateEvent::Finished { run, call, end } => {
                self.books.finish_run_call(run, call, *end, self.clock.now_ms()).await?;
                run
            }
            LateEvent::Recorded { run, client_id, result } => {
                self.store.record_batch_call(run, client_id, result).await?;
                run
            }
            LateEvent::PutOff { run, client_id, result } => {
                self.store.put_off_batch_call(run, client_id, result).await?;
                run
            }
        };
        self.bells.ring(run);
        Ok(())
    }

    /// Waits, and returns true to continue.
    pub(crate) async fn rest(&self, period: Duration, shutdown: &CancellationToken) -> bool {
        tokio::select! {
            () = self.clock.sleep(period) => true,
            () = shutdown.cancelled() => false,
        }
    }
}
