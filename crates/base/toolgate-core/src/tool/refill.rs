//! A limit on the number of calls per unit of time.
//!
//! The generic cell rate algorithm in one number: the moment at which everything taken is refilled. Written
//! by hand, since it is only a few lines, and the crate for it brings its own clocks, stores and keys.

use std::time::Duration;

use super::CallRate;

/// A supply of calls: as many at once as the rate has in its unit, refilled evenly. Moments are times since any fixed one.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    /// The time to refill one call, and the time to refill all of them.
    one: Duration,
    all: Duration,
    /// The time at which it is full. A time in the past means that it is full now.
    full_at: Duration,
}

impl TokenBucket {
    pub fn new(rate: CallRate, now: Duration) -> Self {
        let one = (rate.per / rate.count.get()).max(Duration::from_nanos(1));
        Self { one, all: one * rate.count.get(), full_at: now }
    }

    /// Takes one, or returns the wait until one is available.
    pub fn take(&mut self, now: Duration) -> Result<(), Duration> {
        let then = self.full_at.max(now) + self.one;
        match then.checked_sub(now + self.all) {
            None | Some(Duration::ZERO) => self.full_at = then,
            Some(wait) => return Err(wait),
        }
        Ok(())
    }

    /// True if nothing is missing.
    pub fn is_full(&self, now: Duration) -> bool {
        self.full_at <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(100);

    fn refill(rate: &str) -> TokenBucket {
        TokenBucket::new(rate.parse().expect("a rate"), START)
    }

    #[test]
    fn as_many_as_the_rate_says_go_at_once_and_the_next_is_told_when() {
        let mut refill = refill("10/s");
        for _ in 0..10 {
            assert_eq!(refill.take(START), Ok(()));
        }
        assert_eq!(refill.take(START), Err(Duration::from_millis(100)));
        let later = START + Duration::from_millis(60);
        assert_eq!(refill.take(later), Err(Duration::from_millis(40)));
        let later = START + Duration::from_millis(100);
        assert_eq!(refill.take(later), Ok(()));
        assert!(refill.take(later).is_err() && !refill.is_full(later));
    }

    #[test]
    fn a_pause_fills_it_up_and_not_beyond() {
        let mut refill = refill("60/m");
        let later = START + Duration::from_secs(3600);
        assert_eq!((0..100).filter(|_| refill.take(later).is_ok()).count(), 60);
    }

    #[test]
    fn a_rate_finer_than_a_nanosecond_still_limits() {
        assert_eq!(refill("4000000000/s").take(START), Ok(()));
    }
}
