//! The server: the shared parts of its transports, and its life cycle.

mod calls;
mod catalogue;
mod entry;
mod handler;
mod http;
mod resources;
mod stdio;

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::capability::Capability;
use crate::home::{self, Home};
use crate::metrics::Metrics;
use crate::refs::RefStore;
use crate::run::RunError;
use crate::settings::{Limits, Settings, Transport};
use crate::worker::pool::Pool;

/// The time for calls in progress when the server is told to stop. Containers usually get ten seconds.
const GRACE: Duration = Duration::from_secs(8);
const SWEEP_EVERY_MAX: Duration = Duration::from_secs(60);
const SWEEP_EVERY_MIN: Duration = Duration::from_millis(100);

/// The shared state of all handlers.
pub(crate) struct Server {
    pub(crate) capability: Capability,
    tools: Vec<rmcp::model::Tool>,
    pool: Pool,
    refs: RefStore,
    limits: Limits,
    metrics: Arc<Metrics>,
    /// Running calls.
    calls: TaskTracker,
    /// No new calls.
    stopping: CancellationToken,
}

/// Serves until the client disconnects (stdio) or a signal arrives.
pub(crate) fn run(capability: Capability, settings: Settings) -> Result<(), RunError> {
    let home = Home::create().map_err(RunError::Home)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(RunError::Runtime)?;
    let done = runtime.block_on(serve(capability, settings, &home));
    // A read of stdin may still be in progress, which nothing interrupts.
    runtime.shutdown_background();
    done
}

async fn serve(capability: Capability, settings: Settings, home: &Home) -> Result<(), RunError> {
    // Dropped at the end, which ends them.
    let mut background = JoinSet::new();
    let signals = watch_signals(&mut background).map_err(RunError::Runtime)?;
    let server = Arc::new(Server::new(capability, settings.limits, home));
    server.pool.prepare();
    background.spawn(sweep_refs(server.refs.clone(), settings.limits.refs_age));
    tokio::task::spawn_blocking(home::sweep);
    let done = match settings.transport {
        Transport::Stdio => stdio::serve(&server, signals).await,
        Transport::Http(place) => http::serve(&server, *place, home, signals).await,
    };
    server.pool.close().await;
    done
}

/// Cancelled by the first signal; the second ends the program at once.
fn watch_signals(background: &mut JoinSet<()>) -> std::io::Result<CancellationToken> {
    const KILLED: i32 = 130;
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let came = CancellationToken::new();
    let token = came.clone();
    background.spawn(async move {
        for _ in 0..2 {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
            if came.is_cancelled() {
                std::process::exit(KILLED);
            }
            came.cancel();
        }
    });
    Ok(token)
}

async fn sweep_refs(refs: RefStore, age_max: Duration) {
    let every = (age_max / 4).clamp(SWEEP_EVERY_MIN, SWEEP_EVERY_MAX);
    loop {
        tokio::time::sleep(every).await;
        let refs = refs.clone();
        let swept = tokio::task::spawn_blocking(move || refs.sweep(age_max)).await;
        if let Ok(Err(error)) = swept {
            tracing::warn!(%error, "expired results could not be removed");
        }
    }
}

impl Server {
    fn new(capability: Capability, limits: Limits, home: &Home) -> Self {
        let metrics = Arc::new(Metrics::new());
        Self {
            tools: catalogue::tools(&capability),
            capability,
            pool: Pool::new(home.refs(), limits, Arc::clone(&metrics)),
            refs: RefStore::open(home.refs(), limits.refs_bytes),
            limits,
            metrics,
            calls: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }
    }

    /// Stops accepting calls and waits for the running ones.
    async fn drain(&self) {
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
