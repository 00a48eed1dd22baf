//! The wait before the next attempt: longer each time, never in step with others.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(60);
/// A connection that lasted this long was healthy, and the next failure is a first one.
const WELL_AFTER: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Notes how long a connection held.
    pub(crate) fn lasted(&mut self, held: Duration) {
        if held >= WELL_AFTER {
            self.failures = 0;
        }
    }

    /// The next pause: half of it fixed, half of it random.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = FIRST.saturating_mul(1u32.checked_shl(self.failures).unwrap_or(u32::MAX)).min(LONGEST);
        self.failures = (self.failures + 1).min(16);
        let random = f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX);
        pause.mul_f64(0.5 + random / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_minute_and_start_over_after_a_good_time() {
        let mut backoff = Backoff::default();
        let pauses: Vec<Duration> = (0..12).map(|_| backoff.next()).collect();
        assert!(pauses[0] >= FIRST / 2 && pauses[0] <= FIRST);
        assert!(pauses[11] >= LONGEST / 2 && pauses[11] <= LONGEST);
        backoff.lasted(Duration::from_secs(61));
        assert!(backoff.next() <= FIRST);
    }
}
