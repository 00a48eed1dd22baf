//! The server: the shared parts of its transports, and its life cycle.

mod callers;
mod calls;
mod catalogue;
mod connector;
mod entry;
mod handler;
mod http;
mod resident;
mod resources;
mod server;
mod stdio;

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::capability::Capability;
use crate::home::{self, ServerHome};
use crate::refs::RefStore;
use crate::run_error::RunError;
use crate::settings::{KitSettings, Transport};
use server::KitServer;

const SWEEP_EVERY_MAX: Duration = Duration::from_secs(60);
const SWEEP_EVERY_MIN: Duration = Duration::from_millis(100);

/// Serves until the client disconnects (stdio) or a signal arrives.
pub(crate) fn run(capability: Capability, settings: KitSettings) -> Result<(), RunError> {
    let home = ServerHome::create().map_err(RunError::Home)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(RunError::Runtime)?;
    let done = runtime.block_on(serve(capability, settings, &home));
    // A read of stdin may still be in progress, which nothing interrupts.
    runtime.shutdown_background();
    done
}

async fn serve(capability: Capability, settings: KitSettings, home: &ServerHome) -> Result<(), RunError> {
    // Dropped at the end, which ends them.
    let mut background = JoinSet::new();
    let signals = watch_signals(&mut background).map_err(RunError::Runtime)?;
    let server = Arc::new(KitServer::new(capability, settings.limits, home));
    if server.capability.has_workers() {
        server.pool.prepare();
    }
    background.spawn(sweep_refs(server.refs.clone(), settings.limits.refs_age));
    tokio::task::spawn_blocking(home::sweep);
    let done = match settings.transport {
        Transport::Stdio => stdio::serve(&server, signals).await,
        Transport::Http(place) => http::serve(&server, *place, home, signals).await,
    };
    if let Some(residence) = &server.capability.residence {
        residence.close().await;
    }
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
