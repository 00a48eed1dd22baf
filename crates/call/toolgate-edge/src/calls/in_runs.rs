//! The calls of runs in progress, so that they end with their run. Other calls are not listed here.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use toolgate_core::id::RunId;

/// The calls in progress of every run that has some.
#[derive(Default)]
pub(crate) struct RunCalls {
    state: Mutex<RunCallsState>,
}

#[derive(Default)]
struct RunCallsState {
    last: u64,
    /// By number.
    tokens: HashMap<RunId, HashMap<u64, CancellationToken>>,
}

impl RunCalls {
    /// Lists a call, with the means to end it, until the returned entry is dropped.
    pub(crate) fn enter(self: &Arc<Self>, run: &RunId, cancel: CancellationToken) -> RunCallEntry {
        let mut state = self.state.lock();
        state.last += 1;
        let number = state.last;
        state.tokens.entry(run.clone()).or_default().insert(number, cancel.clone());
        RunCallEntry { calls: Arc::clone(self), run: run.clone(), number, cancel }
    }

    /// Ends the calls of a run that are in progress now.
    pub(crate) fn cancel(&self, run: &RunId) {
        let tokens: Vec<CancellationToken> =
            self.state.lock().tokens.get(run).into_iter().flat_map(HashMap::values).cloned().collect();
        // Not under the lock: waking a call may end it at once.
        tokens.iter().for_each(CancellationToken::cancel);
    }

    fn leave(&self, run: &RunId, number: u64) {
        let mut state = self.state.lock();
        let Some(tokens) = state.tokens.get_mut(run) else { return };
        tokens.remove(&number);
        if tokens.is_empty() {
            state.tokens.remove(run);
        }
    }
}

/// One call in progress.
pub(crate) struct RunCallEntry {
    calls: Arc<RunCalls>,
    run: RunId,
    number: u64,
    /// Ends the call.
    pub(crate) cancel: CancellationToken,
}

impl Drop for RunCallEntry {
    fn drop(&mut self) {
        self.calls.leave(&self.run, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_run_ends_its_calls_in_progress_and_no_others() {
        let calls = Arc::new(RunCalls::default());
        let (one, other) = (RunId::new("run_1"), RunId::new("run_2"));
        let callers = CancellationToken::new();
        let first = calls.enter(&one, callers.child_token());
        let second = calls.enter(&one, CancellationToken::new());
        let elsewhere = calls.enter(&other, CancellationToken::new());
        drop(second);
        calls.cancel(&one);
        assert!(first.cancel.is_cancelled() && !elsewhere.cancel.is_cancelled());
        assert!(!callers.is_cancelled(), "the caller's other work goes on");
        let later = calls.enter(&one, CancellationToken::new());
        assert!(!later.cancel.is_cancelled());
        drop((first, later, elsewhere));
        assert!(calls.state.lock().tokens.is_empty(), "nothing is kept of calls that have ended");
    }
}
