//! The shared state of the session tasks.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_core::governance::Clock;
use toolgate_store::{Books, Store, StoreError};

use crate::defaults::{DefaultSeat, DefaultSeats};
use crate::live::LiveSessions;
use crate::port::{SessionEnvironment, SessionsSetup};
use crate::versions::KnownVersions;

pub(crate) struct SessionDesk {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) surroundings: Arc<dyn SessionEnvironment>,
    pub(crate) live: LiveSessions,
    pub(crate) defaults: DefaultSeats,
    pub(crate) versions: tokio::sync::Mutex<KnownVersions>,
    /// The revision up to which changes of others were followed. Locked while sessions are read from the
    /// store: a session that was open when it was read and is closed now must not come back.
    pub(crate) followed: tokio::sync::Mutex<u64>,
}

impl SessionDesk {
    /// The revision comes first: later changes are followed.
    pub(crate) async fn open(
        setup: SessionsSetup,
    ) -> Result<(Arc<SessionDesk>, mpsc::Receiver<Arc<DefaultSeat>>), StoreError> {
        let SessionsSetup { store, books, clock, surroundings, shutdown: _ } = setup;
        let revision = store.read_revisions().await?.sessions;
        let versions = KnownVersions::seen(store.read_agent_digests().await?);
        let (defaults, unkept) = DefaultSeats::new();
        let desk = SessionDesk {
            store,
            books,
            clock,
            surroundings,
            live: LiveSessions::default(),
            defaults,
            versions: tokio::sync::Mutex::new(versions),
            followed: tokio::sync::Mutex::new(revision),
        };
        Ok((Arc::new(desk), unkept))
    }

    /// Waits, and returns true to continue.
    pub(crate) async fn rest(&self, period: Duration, shutdown: &CancellationToken) -> bool {
        tokio::select! {
            () = self.clock.sleep(period) => true,
            () = shutdown.cancelled() => false,
        }
    }
}
