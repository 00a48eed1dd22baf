//! How many calls may come within a time: `governor` behind the rate that the operator wrote.

use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::time::Instant;
use toolgate_core::tool::Rate;

/// So many calls at once as the rate has in its unit, and then as they fill up again, evenly.
pub(crate) struct Limiter {
    limiter: RateLimiter<NotKeyed, InMemoryState, SinceStart, NoOpMiddleware<Duration>>,
}

impl Limiter {
    pub(crate) fn new(rate: Rate) -> Self {
        let one = (rate.per / rate.count.get()).max(Duration::from_nanos(1));
        let quota = Quota::with_period(one).expect("at least a nanosecond").allow_burst(rate.count);
        Self { limiter: RateLimiter::direct_with_clock(quota, SinceStart(Instant::now())) }
    }

    /// Takes one, or says how long until there is one.
    pub(crate) fn check(&self) -> Result<(), Duration> {
        self.limiter.check().map_err(|not_until| not_until.wait_time_from(self.limiter.clock().now()))
    }
}

/// Tokio's clock, so that tests can turn it. It never goes back.
struct SinceStart(Instant);

impl Clock for SinceStart {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
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
