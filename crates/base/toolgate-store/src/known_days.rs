//! The days of the ledger that are known to have partitions on Postgres, so that a writer does not ask for each batch.

use std::collections::BTreeSet;

use parking_lot::Mutex;

/// Days that are remembered. A writer uses one or two.
const KNOWN_MAX: usize = 64;

#[derive(Default)]
pub(crate) struct KnownDays(Mutex<BTreeSet<i64>>);

impl KnownDays {
    /// Those of `days` that are not known.
    pub(crate) fn unknown(&self, days: impl IntoIterator<Item = i64>) -> BTreeSet<i64> {
        let known = self.0.lock();
        days.into_iter().filter(|day| !known.contains(day)).collect()
    }

    /// Notes days whose partitions are committed.
    pub(crate) fn note(&self, days: impl IntoIterator<Item = i64>) {
        let mut known = self.0.lock();
        known.extend(days);
        while known.len() > KNOWN_MAX {
            known.pop_first();
        }
    }

    /// After a failure: one of them may be gone.
    pub(crate) fn forget(&self) {
        self.0.lock().clear();
    }
}
