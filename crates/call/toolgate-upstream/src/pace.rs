//! The recent speed of an instance, as one number that costs nothing to read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Faster values count as this: smaller differences say nothing about an instance.
const FLOOR_US: usize = 1_000;
/// The weight of a new request is one part in this many.
const WEIGHT: usize = 8;
/// Slower values count as this, so that the instance is still tried now and then.
const CEILING_US: usize = 60_000_000;

/// A moving average. Two that note at once may lose one of both, which changes little.
pub(crate) struct Pace(AtomicUsize);

impl Default for Pace {
    fn default() -> Self {
        Self(AtomicUsize::new(FLOOR_US))
    }
}

impl Pace {
    pub(crate) fn note(&self, took: Duration) {
        let took = usize::try_from(took.as_micros()).unwrap_or(CEILING_US).clamp(FLOOR_US, CEILING_US);
        let before = self.0.load(Ordering::Relaxed);
        self.0.store((before * (WEIGHT - 1) + took) / WEIGHT, Ordering::Relaxed);
    }

    /// Never zero.
    pub(crate) fn usual_us(&self) -> usize {
        self.0.load(Ordering::Relaxed).max(FLOOR_US)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_follows_what_is_noted() {
        let pace = Pace::default();
        assert_eq!(pace.usual_us(), FLOOR_US);
        for _ in 0..64 {
            pace.note(Duration::from_millis(100));
        }
        assert!((95_000..=100_000).contains(&pace.usual_us()), "{}", pace.usual_us());
        for _ in 0..128 {
            pace.note(Duration::ZERO);
        }
        assert!(pace.usual_us() < 2 * FLOOR_US, "{}", pace.usual_us());
        pace.note(Duration::MAX);
        assert!(pace.usual_us() <= CEILING_US);
    }
}
