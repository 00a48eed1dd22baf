//! Ends runs whose time is over or that nobody drives, and writes the events that an outage delayed.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::PrincipalId;
use toolgate_core::id::RunId;
use toolgate_store::{Outage, RunEnding, RunError, StoreError};

use crate::desk::RunDesk;
use crate::output::EndCause;

/// The time in which a run that the gateway drives gets its loop.
const START_MS_MAX: i64 = 60_000;
/// The reason of a run whose gateway died while it started it.
const NEVER_STARTED: &str = "start.interrupted";
/// The number of runs that are ended before other work gets a turn.
const DUE_MAX: usize = 100;

pub(crate) async fn run(desk: Arc<RunDesk>, shutdown: CancellationToken) {
    let mut outage = Outage::default();
    while desk.rest(desk.limits.upkeep, &shutdown).await {
        desk.write_down_late().await;
        let ended = match desk.end_due().await {
            Ok(()) => desk.end_unled().await,
            failed => failed,
        };
        outage.note("runs whose time is over are not ended", &ended);
    }
    desk.write_down_late().await;
}

impl RunDesk {
    pub(crate) async fn end_due(&self) -> Result<(), StoreError> {
        let mut failed = Ok(());
        for id in self.store.due_runs(self.clock.now_ms(), DUE_MAX).await? {
            // A run that cannot be ended does not block the others.
            if let Err(RunError::Store(error)) = self.run_out(&id).await {
                failed = Err(error);
            }
        }
        failed
    }

    /// Fails the driven runs that have no loop: the gateway that started them died in between.
    pub(crate) async fn end_unled(&self) -> Result<(), StoreError> {
        let (gateway, ending) =
            (PrincipalId::gateway(), RunEnding::Failed { reason: NEVER_STARTED.to_owned() });
        let until_ms = self.clock.now_ms().saturating_sub(START_MS_MAX);
        for id in self.store.unled_runs(until_ms, DUE_MAX).await? {
            match Box::pin(self.end(&id, EndCause::Order(&ending), &gateway)).await {
                Ok(stepped) => {
                    tracing::warn!(run = %id, "a run was created and never started: it has failed");
                    stepped.iter().for_each(|stepped| self.tell(stepped));
                }
                Err(RunError::Store(error)) => return Err(error),
                // It has ended meanwhile.
                Err(_) => {}
            }
        }
        Ok(())
    }

    async fn run_out(&self, id: &RunId) -> Result<(), RunError> {
        let gateway = PrincipalId::gateway();
        if let Some(stepped) = Box::pin(self.end(id, EndCause::Time, &gateway)).await? {
            tracing::info!(run = %id, state = stepped.run.state.as_str(), "the time of a run is over");
            self.tell(&stepped);
            self.halt(&stepped.ended).await;
        }
        Ok(())
    }
}
