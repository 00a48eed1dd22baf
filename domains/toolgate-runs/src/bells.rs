//! Waiters for events in runs. They check for themselves; a bell only tells them when.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::watch;
use toolgate_core::id::RunId;

#[derive(Default)]
pub(crate) struct RunBells {
    bells: Mutex<BTreeMap<RunId, watch::Sender<()>>>,
}

impl RunBells {
    /// Subscribes to bells from now on.
    pub(crate) fn hear(&self, run: &RunId) -> watch::Receiver<()> {
        let mut bells = self.bells.lock();
        bells.retain(|_, bell| bell.receiver_count() > 0);
        bells.entry(run.clone()).or_insert_with(|| watch::Sender::new(())).subscribe()
    }

    pub(crate) fn ring(&self, run: &RunId) {
        if let Some(bell) = self.bells.lock().get(run) {
            bell.send_replace(());
        }
    }
}
