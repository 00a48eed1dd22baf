//! The parts of the loops, shared by all their tasks.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolgate_core::PrincipalId;
use toolgate_core::governance::Clock;
use toolgate_core::model::{Models, SpendLimit};
use toolgate_core::run::TurnPlayer;
use toolgate_runs::{RunWatchers, Runs};
use toolgate_store::{ActionStamp, Books, Store};

use crate::driven::DriverHalts;
use crate::settings::AgentsSettings;
use crate::watch::LoopPiece;

pub struct AgentsSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    pub runs: Arc<Runs>,
    pub models: Arc<dyn Models>,
    pub player: Arc<dyn TurnPlayer>,
    /// Limits over many runs, if there are any.
    pub spend: Option<Arc<dyn SpendLimit>>,
    pub settings: AgentsSettings,
    /// This gateway's ledger stream.
    pub stream: String,
    pub shutdown: CancellationToken,
}

pub(crate) struct LoopDesk {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) models: Arc<dyn Models>,
    pub(crate) player: Arc<dyn TurnPlayer>,
    pub(crate) spend: Option<Arc<dyn SpendLimit>>,
    pub(crate) settings: AgentsSettings,
    pub(crate) stream: String,
    pub(crate) shutdown: CancellationToken,
    pub(crate) driven: DriverHalts,
    pub(crate) watchers: RunWatchers<LoopPiece>,
    /// Rings when a loop may be due.
    pub(crate) bell: Notify,
}

impl LoopDesk {
    pub(crate) fn new(setup: AgentsSetup) -> Self {
        let AgentsSetup { store, books, clock, runs, models, player, spend, settings, stream, shutdown } =
            setup;
        Self {
            store,
            books,
            clock,
            runs,
            models,
            player,
            spend,
            settings,
            stream,
            shutdown: shutdown.child_token(),
            driven: DriverHalts::default(),
            watchers: RunWatchers::default(),
            bell: Notify::new(),
        }
    }

    pub(crate) fn act<'a>(&self, by: &'a PrincipalId) -> ActionStamp<'a> {
        ActionStamp { by, at_ms: self.clock.now_ms() }
    }

    /// The milliseconds since a moment of the monotonic clock.
    pub(crate) fn passed_ms(&self, began_us: i64) -> u64 {
        u64::try_from(self.clock.monotonic_us().saturating_sub(began_us) / 1_000).unwrap_or(0)
    }

    /// The moment after a wait from now.
    pub(crate) fn after(&self, wait: std::time::Duration) -> i64 {
        let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        self.clock.now_ms().saturating_add(wait)
    }
}
