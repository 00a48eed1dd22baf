//! A clock that was set back. The order of events does not depend on it, but their dates do, and so does the end of tokens,
//! approvals and leases: people are told, once for each time.

/// Events of one batch may be this old: a call is recorded when it ends.
const BEHIND_MS_MIN: i64 = 60_000;

/// The dates of what was written.
#[derive(Default)]
pub(super) struct ClockWatch {
    latest_ms: i64,
    is_told: bool,
}

impl ClockWatch {
    /// Takes the latest date of a batch. Returns by how much the clock was set back, if that is news.
    pub(super) fn note(&mut self, at_ms: i64) -> Option<i64> {
        let behind_ms = self.latest_ms.saturating_sub(at_ms);
        if behind_ms < BEHIND_MS_MIN {
            self.latest_ms = self.latest_ms.max(at_ms);
            self.is_told = false;
            return None;
        }
        (!std::mem::replace(&mut self.is_told, true)).then_some(behind_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    #[test]
    fn a_clock_that_is_set_back_is_told_once() {
        let mut watch = ClockWatch::default();
        assert_eq!(watch.note(10 * HOUR_MS), None);
        assert_eq!(watch.note(10 * HOUR_MS - 500), None, "batches overlap a little");
        assert_eq!(watch.note(9 * HOUR_MS), Some(HOUR_MS));
        assert_eq!(watch.note(9 * HOUR_MS + 1_000), None, "it was told");
        assert_eq!(watch.note(10 * HOUR_MS + 1), None);
        assert_eq!(watch.note(8 * HOUR_MS), Some(2 * HOUR_MS + 1), "once more");
    }
}
