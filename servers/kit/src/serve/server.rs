//! The parts that all connections share.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::catalogue;
use crate::capability::Capability;
use crate::home::ServerHome;
use crate::metrics::Metrics;
use crate::refs::RefStore;
use crate::settings::WorkerLimits;
use crate::worker::pool::Pool;

/// The time for calls in progress when the server is told to stop. Containers usually get ten seconds.
const GRACE: Duration = Duration::from_secs(8);

/// The shared state of all handlers.
pub(crate) struct KitServer {
    pub(crate) capability: Capability,
    pub(super) tools: Vec<rmcp::model::Tool>,
    pub(super) pool: Pool,
    pub(super) refs: RefStore,
    pub(super) limits: WorkerLimits,
    pub(super) metrics: Arc<Metrics>,
    /// Running calls.
    pub(super) calls: TaskTracker,
    /// No new calls.
    pub(super) stopping: CancellationToken,
}

impl KitServer {
    pub(super) fn new(capability: Capability, limits: WorkerLimits, home: &ServerHome) -> Self {
        let metrics = Arc::new(Metrics::new());
        Self {
            tools: catalogue::tools(&capability),
            capability,
            pool: Pool::new(home.refs(), &[], limits, Arc::clone(&metrics)),
            refs: RefStore::open(home.refs(), limits.refs_bytes),
            limits,
            metrics,
            calls: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }
    }

    /// Stops accepting calls and waits for the running ones.
    pub(super) async fn drain(&self) {
        self.stopping.cancel();
        self.calls.close();
        if tokio::time::timeout(GRACE, self.calls.wait()).await.is_err() {
            tracing::warn!(
                calls = self.calls.len(),
                "some calls did not end in time and are being cancelled"
            );
        }
    }
}
