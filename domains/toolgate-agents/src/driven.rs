//! The runs that this gateway drives at the moment.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use toolgate_core::id::RunId;

#[derive(Default)]
pub(crate) struct DriverHalts {
    halts: Mutex<BTreeMap<RunId, CancellationToken>>,
}

impl DriverHalts {
    /// Begins to drive a run; `None` if this gateway does so already. The token ends with that of the gateway.
    pub(crate) fn enter(&self, run: &RunId, shutdown: &CancellationToken) -> Option<CancellationToken> {
        let mut halts = self.halts.lock();
        if halts.contains_key(run) {
            return None;
        }
        let halt = shutdown.child_token();
        halts.insert(run.clone(), halt.clone());
        Some(halt)
    }

    pub(crate) fn leave(&self, run: &RunId) {
        self.halts.lock().remove(run);
    }

    /// Ends the work on a run as soon as nothing is lost by it.
    pub(crate) fn halt(&self, run: &RunId) {
        if let Some(halt) = self.halts.lock().get(run) {
            halt.cancel();
        }
    }
}
