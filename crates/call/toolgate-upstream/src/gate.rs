//! The limit on concurrent requests of one server, and on those that wait for a place.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};
use toolgate_core::FaultKind;

use crate::deadline::Deadline;

/// Requests that may wait, as a multiple of those that may run.
const QUEUE_FACTOR: usize = 4;

pub(crate) struct ConcurrencyGate {
    places: Semaphore,
    queued: AtomicUsize,
    limit: usize,
}

impl ConcurrencyGate {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.clamp(1, Semaphore::MAX_PERMITS);
        Self { places: Semaphore::new(limit), queued: AtomicUsize::new(0), limit }
    }

    /// True if the next request need not wait.
    pub(crate) fn has_place(&self) -> bool {
        self.places.available_permits() > 0
    }

    /// Requests that wait for a place.
    pub(crate) fn waiting(&self) -> usize {
        self.queued.load(Ordering::Acquire)
    }

    pub(crate) async fn enter(&self, deadline: &Deadline) -> Result<SemaphorePermit<'_>, FaultKind> {
        if let Ok(place) = self.places.try_acquire() {
            return Ok(place);
        }
        let busy = FaultKind::Busy { limit: self.limit };
        let queued = QueuedGuard::join(&self.queued);
        if queued.place > self.limit.saturating_mul(QUEUE_FACTOR) {
            return Err(busy);
        }
        match deadline.limit(self.places.acquire()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(busy),
        }
    }
}

struct QueuedGuard<'a> {
    count: &'a AtomicUsize,
    place: usize,
}

impl<'a> QueuedGuard<'a> {
    fn join(count: &'a AtomicUsize) -> Self {
        Self { count, place: count.fetch_add(1, Ordering::AcqRel) + 1 }
    }
}

impl Drop for QueuedGuard<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_is_busy_at_once_and_a_long_wait_in_the_end() {
        let gate = ConcurrencyGate::new(1);
        let deadline = Deadline::after(Duration::from_secs(5));
        let _running = gate.enter(&deadline).await.expect("the first has a place");
        let waiting = futures_util::future::join_all((0..4).map(|_| gate.enter(&deadline)));
        let fifth = async {
            tokio::task::yield_now().await;
            tokio::time::timeout(Duration::from_secs(1), gate.enter(&deadline))
                .await
                .expect("refused at once")
                .is_err()
        };
        let (waited, refused) = tokio::join!(waiting, fifth);
        assert!(refused);
        assert!(waited.iter().all(Result::is_err));
    }
}
