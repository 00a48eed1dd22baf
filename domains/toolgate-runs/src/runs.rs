//! The runs of one gateway process: its inputs and answers. `poller` and `upkeep` do the work behind it.

mod batches;
mod calls;
mod checkpoints;
mod ending;
mod keyed;
mod life;
mod manifests;
mod notes;
mod questions;
mod tasks;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::Refusal;

use crate::desk::{OutcomeCheck, RunDesk, RunHalt, RunsSetup, WaitLimits};
use crate::refusal::down;
use crate::{poller, upkeep};

/// The number of calls of data tools that must have completed in a run before a person is asked.
pub const DATA_TOOLS_BEFORE_ASKING: usize = 2;

/// Live; one per gateway process.
pub struct Runs {
    desk: Arc<RunDesk>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Runs {
    /// Must be called before the gateway takes calls: it closes everything that an earlier process of the
    /// same stream left open.
    pub async fn start(setup: RunsSetup) -> Result<Arc<Runs>, Refusal> {
        Self::start_within(setup, WaitLimits::default()).await
    }

    /// The same with other limits.
    pub async fn start_within(setup: RunsSetup, limits: WaitLimits) -> Result<Arc<Runs>, Refusal> {
        let shutdown = setup.shutdown.child_token();
        let desk = Arc::new(RunDesk::new(setup, limits));
        batches::forget(&desk, &desk.stream).await.map_err(|error| down(&error))?;
        let tasks = TaskTracker::new();
        tasks.spawn(poller::run(Arc::clone(&desk), shutdown.clone()));
        tasks.spawn(upkeep::run(Arc::clone(&desk), shutdown.clone()));
        tasks.close();
        Ok(Arc::new(Runs { desk, tasks, shutdown }))
    }

    /// Connects what ends the work of cancelled runs, once, during assembly.
    pub fn halt_with(&self, halt: Arc<dyn RunHalt>) {
        drop(self.desk.halt.set(halt));
    }

    /// Connects what checks the results of runs whose tasks want one, once, during assembly.
    pub fn check_outcomes_with(&self, check: Arc<dyn OutcomeCheck>) {
        drop(self.desk.outcomes.set(check));
    }

    /// Stops the tasks; events that are not written yet are written, if the store is up.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        self.tasks.wait().await;
    }
}
