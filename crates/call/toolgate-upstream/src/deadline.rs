//! The time limit of a request. Time spent waiting for a person at the client does not count.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep_until};

pub(crate) struct Deadline {
    after: Duration,
    at: Instant,
    held: Mutex<DeadlineHolds>,
    released: Notify,
}

#[derive(Default)]
struct DeadlineHolds {
    open: usize,
    since: Option<Instant>,
    total: Duration,
}

#[derive(Debug)]
pub(crate) struct DeadlinePassed;

impl Deadline {
    pub(crate) fn after(after: Duration) -> Arc<Self> {
        Arc::new(Self { after, at: Instant::now() + after, held: Mutex::default(), released: Notify::new() })
    }

    pub(crate) fn length(&self) -> Duration {
        self.after
    }

    /// Stops the clock until the guard is dropped.
    pub(crate) fn hold(self: &Arc<Self>) -> DeadlineHold {
        let mut held = self.held.lock();
        held.open += 1;
        held.since.get_or_insert_with(Instant::now);
        DeadlineHold(self.clone())
    }

    /// Runs `work` until it ends or the time is over.
    pub(crate) async fn limit<F: Future>(&self, work: F) -> Result<F::Output, DeadlinePassed> {
        tokio::select! {
            biased;
            output = work => Ok(output),
            // Work that is always ready uses up the task's budget, and a timer within it would never fire.
            () = unconstrained(self.passed()) => Err(DeadlinePassed),
        }
    }

    async fn passed(&self) {
        loop {
            let released = self.released.notified();
            match self.remaining() {
                RemainingTime::Held => released.await,
                RemainingTime::Until(at) if at <= Instant::now() => return,
                RemainingTime::Until(at) => sleep_until(at).await,
            }
        }
    }

    fn remaining(&self) -> RemainingTime {
        let held = self.held.lock();
        if held.open > 0 { RemainingTime::Held } else { RemainingTime::Until(self.at + held.total) }
    }
}

enum RemainingTime {
    Held,
    Until(Instant),
}

pub(crate) struct DeadlineHold(Arc<Deadline>);

impl Drop for DeadlineHold {
    fn drop(&mut self) {
        let mut held = self.0.held.lock();
        held.open -= 1;
        if held.open == 0 {
            let waited = held.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            held.total += waited;
            self.0.released.notify_waiters();
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests start tasks as they like")]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_on_hold_does_not_count() {
        let deadline = Deadline::after(Duration::from_secs(10));
        let started = Instant::now();
        let held = deadline.hold();
        let waiting = deadline.clone();
        let over = tokio::spawn(async move { waiting.passed().await });
        tokio::time::sleep(Duration::from_secs(100)).await;
        drop(held);
        over.await.expect("no panic");
        assert_eq!(started.elapsed().as_secs(), 110);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hold_inside_the_wait_is_seen() {
        let deadline = Deadline::after(Duration::from_secs(10));
        let started = Instant::now();
        let waiting = deadline.clone();
        let over = tokio::spawn(async move { waiting.passed().await });
        tokio::time::sleep(Duration::from_secs(4)).await;
        let held = deadline.hold();
        tokio::time::sleep(Duration::from_secs(30)).await;
        drop(held);
        over.await.expect("no panic");
        assert_eq!(started.elapsed().as_secs(), 40);
    }
}
