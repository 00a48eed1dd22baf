//! The tasks that wait for approvals. Decisions in this process wake them at once; decisions in another
//! process are found by one task that polls for as long as there are waiters.

mod polling;

use std::collections::HashMap;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;
use toolgate_core::id::ApprovalId;

#[derive(Default)]
pub(crate) struct ApprovalWaiters {
    inner: Mutex<WaiterTable>,
}

#[derive(Default)]
struct WaiterTable {
    /// The last version of each approval with waiters.
    versions: HashMap<ApprovalId, watch::Sender<i64>>,
    is_polling: bool,
}

impl ApprovalWaiters {
    /// An approval has changed, as far as this process knows.
    pub(crate) fn tell(&self, id: &ApprovalId, version: i64) {
        if let Some(sender) = self.lock().versions.get(id) {
            sender.send_if_modified(|known| {
                let is_news = *known < version;
                *known = version.max(*known);
                is_news
            });
        }
    }

    fn wait_for(&self, id: &ApprovalId) -> watch::Receiver<i64> {
        self.lock().versions.entry(id.clone()).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }

    /// The approvals that still have waiters.
    fn wanted(&self) -> Vec<ApprovalId> {
        self.lock().versions.keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, WaiterTable> {
        self.inner.lock()
    }
}
