//! Ends runs whose time is over, and writes the events that an outage delayed.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::PrincipalId;
use toolgate_core::id::RunId;
use toolgate_store::{Outage, RunError, StoreError};

use crate::desk::RunDesk;
use crate::output::EndCause;

/// The number of runs that are ended before other work gets a turn.
const DUE_MAX: usize = 100;

pub(crate) async fn run(desk: Arc<RunDesk>, shutdown: CancellationToken) {
    let mut outage = Outage::default();
    while desk.rest(desk.limits.upkeep, &shutdown).await {
        desk.write_down_late().await;
        outage.note("runs whose time is over are not ended", &desk.end_due().await);
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
