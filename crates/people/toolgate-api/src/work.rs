//! Work that is seen through even if the client that asked for it goes away.

use std::future::Future;

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use crate::Context;

/// What is under way.
pub(crate) struct Work {
    tasks: TaskTracker,
    /// The threads of connections end with them; this does not.
    runtime: Handle,
}

impl Work {
    pub(crate) fn here() -> Self {
        Self { tasks: TaskTracker::new(), runtime: Handle::current() }
    }

    pub(crate) async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Context {
    /// Does something that is not left half done when nobody waits for it any more.
    pub(crate) async fn see_through<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let Work { tasks, runtime } = &self.0.work;
        tasks.spawn_on(work, runtime).await.expect("the work does not panic, and nobody aborts it")
    }
}
