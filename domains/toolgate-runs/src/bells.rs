//! Waiters for events in runs. They check for themselves; a bell only tells them when.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use toolgate_core::id::RunId;

#[derive(Default)]
pub(crate) struct Bells {
    bells: Mutex<BTreeMap<RunId, watch::Sender<()>>>,
}

impl Bells {
    /// Subscribes to bells from now on.
    pub(crate) fn hear(&self, run: &RunId) -> watch::Receiver<()> {
        let mut bells = self.lock();
        bells.retain(|_, bell| bell.receiver_count() > 0);
        bells.entry(run.clone()).or_insert_with(|| watch::Sender::new(())).subscribe()
    }

    pub(crate) fn ring(&self, run: &RunId) {
        if let Some(bell) = self.lock().get(run) {
            bell.send_replace(());
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RunId, watch::Sender<()>>> {
        // Every change is one insert or remove: a panic elsewhere leaves nothing half done.
        self.bells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
