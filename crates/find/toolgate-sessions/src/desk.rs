//! The shared state of the session tasks.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_core::governance::Clock;
use toolgate_store::{Books, Store, StoreError};

use crate::defaults::{DefaultSeat, DefaultSeats};
use crate::live::LiveSessions;
use crate::port::{Setup, Surroundings};
use crate::versions::Versions;

pub(crate) struct Desk {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) surroundings: Arc<dyn Surroundings>,
    pub(crate) live: LiveSessions,
    pub(crate) defaults: DefaultSeats,
    pub(crate) versions: tokio::sync::Mutex<Versions>,
    /// The revision up to which changes of others were followed. Locked while sessions are read from the
    /// store: a session that was open when it was read and is closed now must not come back.
    pub(crate) followed: tokio::sync::Mutex<u64>,
}

impl Desk {
    /// The revision comes first: later changes are followed.
    pub(crate) async fn open(
        setup: Setup,
    ) -> Result<(Arc<Desk>, mpsc::Receiver<Arc<DefaultSeat>>), StoreError> {
        let Setup { store, books, clock, surroundings, shutdown: _ } = setup;
        let revision = store.read_revisions().await?.sessions;
        let versions = Versions::seen(store.read_agent_digests().await?);
        let (defaults, unkept) = DefaultSeats::new();
        let desk = Desk {
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
