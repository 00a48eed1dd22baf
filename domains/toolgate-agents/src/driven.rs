//! The runs that this gateway drives at the moment.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use toolgate_core::id::RunId;

#[derive(Default)]
pub(crate) struct DriverHalts {
    halts: Mutex<BTreeMap<RunId, CancellationToken>>,
}

/// A run that this gateway drives until this is dropped, however the work on it ends.
pub(crate) struct DrivenRun<'a> {
    halts: &'a DriverHalts,
    run: &'a RunId,
    /// Ends with that of the gateway.
    pub(crate) halt: CancellationToken,
}

impl Drop for DrivenRun<'_> {
    fn drop(&mut self) {
        self.halts.halts.lock().remove(self.run);
    }
}

impl DriverHalts {
    /// Begins to drive a run; `None` if this gateway does so already.
    pub(crate) fn enter<'a>(&'a self, run: &'a RunId, shutdown: &CancellationToken) -> Option<DrivenRun<'a>> {
        let mut halts = self.halts.lock();
        if halts.contains_key(run) {
            return None;
        }
        let halt = shutdown.child_token();
        halts.insert(run.clone(), halt.clone());
        Some(DrivenRun { halts: self, run, halt })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.halts.lock().is_empty()
    }

    /// Ends the work on a run as soon as nothing is lost by it.
    pub(crate) fn halt(&self, run: &RunId) {
        if let Some(halt) = self.halts.lock().get(run) {
            halt.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_driven_once_at_a_time_and_again_after_its_work_broke_off() {
        let (halts, run, shutdown) = (DriverHalts::default(), RunId::new("run_1"), CancellationToken::new());
        assert!(halts.is_empty());
        let driven = halts.enter(&run, &shutdown).expect("nobody drives it");
        assert!(!halts.is_empty());
        assert!(halts.enter(&run, &shutdown).is_none());
        halts.halt(&run);
        assert!(driven.halt.is_cancelled() && !shutdown.is_cancelled());
        drop(driven);
        assert!(!halts.enter(&run, &shutdown).expect("it is free again").halt.is_cancelled());
    }
}
