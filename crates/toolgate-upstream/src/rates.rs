//! How many calls may come within a time.
//!
//! The generic cell rate algorithm in one number: the moment at which all that was taken is filled up again. By hand,
//! since it is these few lines, and the crate for it keeps clocks, stores and keys of its own.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use toolgate_core::tool::Rate;

/// So many calls at once as the rate has in its unit, and then as they fill up again, evenly.
pub(crate) struct Limiter {
    /// How long one call takes to fill up again, and all of them.
    one: Duration,
    all: Duration,
    /// When it is full. It is full all the time that this is in the past.
    full_at: Mutex<Instant>,
}

impl Limiter {
    pub(crate) fn new(rate: Rate) -> Self {
        let one = (rate.per / rate.count.get()).max(Duration::from_nanos(1));
        // Tokio's clock, so that tests can turn it. It never goes back.
        Self { one, all: one * rate.count.get(), full_at: Mutex::new(Instant::now()) }
    }

    /// Takes one, or says how long until there is one.
    pub(crate) fn check(&self) -> Result<(), Duration> {
        let now = Instant::now();
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let then = (*full_at).max(now) + self.one;
        match then.checked_duration_since(now + self.all) {
            None | Some(Duration::ZERO) => *full_at = then,
            Some(wait) => return Err(wait),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn limiter(rate: &str) -> Limiter {
        Limiter::new(rate.parse().expect("a rate"))
    }

    #[tokio::test(start_paused = true)]
    async fn as_many_as_the_rate_says_go_at_once_and_the_next_is_told_when() {
        let limiter = limiter("10/s");
        for _ in 0..10 {
            assert_eq!(limiter.check(), Ok(()));
        }
        assert_eq!(limiter.check(), Err(Duration::from_millis(100)));
        advance(Duration::from_millis(60)).await;
        assert_eq!(limiter.check(), Err(Duration::from_millis(40)));
        advance(Duration::from_millis(40)).await;
        assert_eq!(limiter.check(), Ok(()));
        assert!(limiter.check().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_fills_it_up_and_not_beyond() {
        let limiter = limiter("60/m");
        advance(Duration::from_secs(3600)).await;
        let passed = (0..100).filter(|_| limiter.check().is_ok()).count();
        assert_eq!(passed, 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_finer_than_a_nanosecond_still_limits() {
        let limiter = limiter("4000000000/s");
        assert_eq!(limiter.check(), Ok(()));
    }
}
