//! The wait for a decision, and the one task that looks for decisions of other processes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::id::ApprovalId;

use super::ApprovalWaiters;
use crate::Store;

/// Including the time of the query itself, a decision made elsewhere is known within 200 ms.
const POLL: Duration = Duration::from_millis(150);
/// The maximum number of approvals in one query.
const POLLED_MAX: usize = 256;
/// The polling task may end with the event loop that it was started on; the remaining waiters start another.
const REVIVE: Duration = Duration::from_secs(1);

impl Store {
    /// Ends when the approval is no longer in `state`. One that does not exist never is.
    pub(crate) async fn approval_left(&self, id: &ApprovalId, state: ApprovalState) -> Approval {
        // Before it is read, so that no change is missed.
        let mut version = self.waiting.wait_for(id);
        loop {
            match self.get_approval(id).await {
                Ok(Some(approval)) if approval.state != state => return approval,
                Ok(_) => self.approval_changed(&mut version).await,
                // While the store is down nothing can be decided either.
                Err(_) => tokio::time::sleep(POLL).await,
            }
        }
    }

    async fn approval_changed(&self, version: &mut watch::Receiver<i64>) {
        self.poll();
        while tokio::time::timeout(REVIVE, version.changed()).await.is_err() {
            self.poll();
        }
    }

    /// Starts the task that looks, unless it runs.
    fn poll(&self) {
        if std::mem::replace(&mut self.waiting.lock().is_polling, true) {
            return;
        }
        let store = self.clone();
        let mut polling = PollingGuard { waiting: Arc::clone(&self.waiting), is_over: false };
        self.tasks.spawn(async move {
            while polling.is_wanted() {
                tokio::time::sleep(POLL).await;
                store.look().await;
            }
        });
    }

    async fn look(&self) {
        for ids in self.waiting.wanted().chunks(POLLED_MAX) {
            // While the store is down there is nothing to report.
            for (id, version) in self.approval_versions(ids).await.unwrap_or_default() {
                self.waiting.tell(&id, version);
            }
        }
    }
}

/// Stands for the task that looks; once dropped, another one may be started.
struct PollingGuard {
    waiting: Arc<ApprovalWaiters>,
    is_over: bool,
}

impl PollingGuard {
    /// True if it should continue. Decided under one lock, so that no waiter relies on a task that has just
    /// stopped.
    fn is_wanted(&mut self) -> bool {
        let mut inner = self.waiting.lock();
        inner.versions.retain(|_, sender| sender.receiver_count() > 0);
        inner.is_polling = !inner.versions.is_empty();
        self.is_over = !inner.is_polling;
        inner.is_polling
    }
}

impl Drop for PollingGuard {
    fn drop(&mut self) {
        // The event loop ended before the task did.
        if !self.is_over {
            self.waiting.lock().is_polling = false;
        }
    }
}
