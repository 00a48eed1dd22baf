//! Work that is completed even if its client leaves.

use std::future::Future;

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use crate::ApiContext;

/// The work in progress.
pub(crate) struct WorkInProgress {
    tasks: TaskTracker,
    /// The threads of connections end with them; this does not.
    runtime: Handle,
}

impl WorkInProgress {
    pub(crate) fn here() -> Self {
        Self { tasks: TaskTracker::new(), runtime: Handle::current() }
    }

    pub(crate) async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl ApiContext {
    /// Runs work to its end even if its future is dropped.
    pub(crate) async fn see_through<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let WorkInProgress { tasks, runtime } = &self.0.work;
        tasks.spawn_on(work, runtime).await.expect("the work does not panic, and is never aborted")
    }
}
