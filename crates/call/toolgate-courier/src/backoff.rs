//! The wait before the next attempt: twice as long each time, up to a cap.

use std::time::Duration;

#[derive(Clone, Copy)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    failures: u32,
}

impl Backoff {
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, failures: 0 }
    }

    /// The pause after one more failure; longer if the receiver asked for it, never longer than the cap.
    pub(crate) fn next(&mut self, asked_for: Option<Duration>) -> Duration {
        let factor = 1u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        self.failures = self.failures.saturating_add(1);
        self.first.saturating_mul(factor).max(asked_for.unwrap_or_default()).min(self.longest)
    }

    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_cap_and_start_over() {
        let (first, longest) = (Duration::from_millis(250), Duration::from_secs(60));
        let mut backoff = Backoff::new(first, longest);
        assert_eq!([(); 3].map(|()| backoff.next(None)), [first, first * 2, first * 4]);
        assert!((0..100).all(|_| backoff.next(None) <= longest));
        assert_eq!(backoff.next(None), longest);
        backoff.reset();
        assert_eq!(backoff.next(Some(Duration::from_secs(3))), Duration::from_secs(3));
        assert_eq!(backoff.next(Some(Duration::MAX)), longest);
    }
}
