//! The tasks and automations of one gateway process. `scheduler` and `follower` do the work behind it.

mod automations;
mod backfill;
mod scheduled;
mod start;
mod webhooks;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::desk::{TasksDesk, TasksPace, TasksSetup};
use crate::{follower, scheduler};

/// Live; one per gateway process.
pub struct Tasks {
    desk: Arc<TasksDesk>,
    shutdown: CancellationToken,
}

impl Tasks {
    /// Automations fire from now on.
    pub fn start(setup: TasksSetup) -> Arc<Tasks> {
        Self::start_at(setup, TasksPace::default())
    }

    /// The same at another pace.
    pub fn start_at(setup: TasksSetup, pace: TasksPace) -> Arc<Tasks> {
        let shutdown = setup.shutdown.child_token();
        let desk = Arc::new(TasksDesk::new(setup, pace));
        desk.work.spawn(scheduler::run(Arc::clone(&desk), shutdown.clone()));
        desk.work.spawn(follower::run(Arc::clone(&desk), shutdown.clone()));
        Arc::new(Tasks { desk, shutdown })
    }

    /// Ends when the starts in progress have; they are limited in time.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        self.desk.work.close();
        self.desk.work.wait().await;
    }
}
