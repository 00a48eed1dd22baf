//! The trials of policies that are under way. Each takes processor time for seconds, so there are few.

use tokio::sync::{Semaphore, SemaphorePermit};
use toolgate_core::codes;

use crate::problem::{ApiResult, Problem};

/// The maximum number of trials at once, of all callers of this gateway.
pub(crate) const TRIALS_AT_ONCE: usize = 2;

pub(crate) struct PolicyTrials(Semaphore);

impl Default for PolicyTrials {
    fn default() -> Self {
        Self(Semaphore::new(TRIALS_AT_ONCE))
    }
}

impl PolicyTrials {
    /// A place for one trial, until it is dropped. Nobody waits for one.
    pub(crate) fn begin(&self) -> ApiResult<SemaphorePermit<'_>> {
        self.0.try_acquire().map_err(|_| {
            let detail =
                format!("{TRIALS_AT_ONCE} trials of policies are under way, and no more are allowed");
            Problem::new(&codes::TOO_MANY_CALLS, detail)
                .hint("try again when one of them has ended, within 15 s")
        })
    }
}
