//! The end of a connection loses everything in progress on it at once: one incident, regardless of the number
//! of calls.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use toolgate_core::FaultKind;

const RECENT: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct Incidents {
    /// The time of the last incident.
    last: Mutex<Option<Instant>>,
}

impl Incidents {
    /// True if this failure of a call that began then counts. A call that was in progress when another was
    /// lost was lost with it; timeouts and broken answers are each call's own.
    pub(crate) fn counts(&self, kind: &FaultKind, began: Instant) -> bool {
        if !matches!(kind, FaultKind::Lost { .. }) {
            return true;
        }
        let mut last = self.last.lock();
        let is_another = last.is_none_or(|last| began >= last);
        if is_another {
            *last = Some(Instant::now());
        }
        is_another
    }

    /// True if calls were lost a moment ago, so that the next one is better sent elsewhere: after a process
    /// was killed, not every connection is known to be dead at once.
    pub(crate) fn is_recent(&self) -> bool {
        let last = *self.last.lock();
        last.is_some_and(|last| last.elapsed() < RECENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_lost_together_counts_once() {
        let incidents = Incidents::default();
        let lost = FaultKind::Lost { reason: String::new() };
        let slow = FaultKind::TimedOut { after: Duration::ZERO };
        let began = Instant::now();
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(incidents.counts(&lost, began) && !incidents.counts(&lost, began));
        assert!(incidents.counts(&slow, began) && incidents.counts(&slow, began));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!incidents.is_recent());
        assert!(incidents.counts(&lost, Instant::now()), "it was sent after the last loss");
        assert!(incidents.is_recent());
    }
}
