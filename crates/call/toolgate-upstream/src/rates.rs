//! A limit on the number of calls per unit of time.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use toolgate_core::tool::{CallRate, TokenBucket};

pub(crate) struct RateLimiter {
    /// Tokio's clock, so that tests can control it. It is monotonic.
    since: Instant,
    refill: Mutex<TokenBucket>,
}

impl RateLimiter {
    pub(crate) fn new(rate: CallRate) -> Self {
        Self { since: Instant::now(), refill: Mutex::new(TokenBucket::new(rate, Duration::ZERO)) }
    }

    /// Takes one, or returns the wait until one is available.
    pub(crate) fn check(&self) -> Result<(), Duration> {
        self.refill.lock().take(self.since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_are_refilled_as_time_goes_by() {
        let limiter = RateLimiter::new("10/s".parse().expect("a rate"));
        assert_eq!((0..20).filter(|_| limiter.check().is_ok()).count(), 10);
        advance(Duration::from_millis(100)).await;
        assert_eq!((0..20).filter(|_| limiter.check().is_ok()).count(), 1);
    }
}
