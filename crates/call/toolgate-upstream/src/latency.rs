//! The duration of calls: counts in fixed buckets that grow by half and by a third in turn, from 0.1 ms to
//! ten minutes.
//!
//! Ours instead of `hdrhistogram`, because that one needs `&mut` or a recorder per thread and many times the
//! memory; here a record is three atomic additions, and an unused tool has no counts at all.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of buckets below the last one, which takes everything longer.
const BOUNDED: usize = 46;
const BUCKETS: usize = BOUNDED + 1;
/// Half of the first bound: the bounds are its powers of two and the values half-way between them.
const STEP_MICROS: u64 = 50;

#[derive(Default)]
pub(crate) struct LatencyHistogram(OnceLock<Box<LatencyCounts>>);

struct LatencyCounts {
    buckets: [AtomicU64; BUCKETS],
    sum_micros: AtomicU64,
    max_micros: AtomicU64,
}

/// The counts so far. Percentiles are estimates, precise to the width of a bucket.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LatencySnapshot {
    pub count: u64,
    pub sum: Duration,
    /// Upper bound and how many were below it and not below the one before. The last bound is [`Duration::MAX`].
    pub buckets: Vec<(Duration, u64)>,
    pub p50: Duration,
    pub p95: Duration,
    pub p99: Duration,
    pub max: Duration,
}

impl LatencyHistogram {
    pub(crate) fn record(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let counts = self.0.get_or_init(LatencyCounts::new);
        counts.buckets[bucket_of(micros)].fetch_add(1, Ordering::Relaxed);
        counts.sum_micros.fetch_add(micros, Ordering::Relaxed);
        // Most calls are not the longest, and a load is cheaper than an exchange.
        if counts.max_micros.load(Ordering::Relaxed) < micros {
            counts.max_micros.fetch_max(micros, Ordering::Relaxed);
        }
    }

    pub(crate) fn snapshot(&self) -> LatencySnapshot {
        self.0.get().map(|counts| counts.snapshot()).unwrap_or_default()
    }
}

impl LatencyCounts {
    fn new() -> Box<Self> {
        Box::new(Self {
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            sum_micros: AtomicU64::new(0),
            max_micros: AtomicU64::new(0),
        })
    }

    fn snapshot(&self) -> LatencySnapshot {
        let counts: Vec<u64> = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        let max = self.max_micros.load(Ordering::Relaxed);
        let percentile = |share: f64| Duration::from_micros(percentile(&counts, share).min(max));
        LatencySnapshot {
            count: counts.iter().sum(),
            sum: Duration::from_micros(self.sum_micros.load(Ordering::Relaxed)),
            p50: percentile(0.50),
            p95: percentile(0.95),
            p99: percentile(0.99),
            max: Duration::from_micros(max),
            buckets: counts.iter().enumerate().map(|(bucket, count)| (bound(bucket), *count)).collect(),
        }
    }
}

fn bucket_of(micros: u64) -> usize {
    let steps = micros / STEP_MICROS;
    if steps < 2 {
        return 0;
    }
    let power = steps.ilog2();
    let upper_half = (steps >> (power - 1)) & 1;
    let bucket = 2 * power as usize - 1 + usize::from(upper_half == 1);
    bucket.min(BOUNDED)
}

/// The first number of microseconds beyond the bucket.
fn bound_micros(bucket: usize) -> u64 {
    let halves = bucket as u64 + 2;
    let power = halves / 2;
    let whole = STEP_MICROS << power;
    if halves.is_multiple_of(2) { whole } else { whole + whole / 2 }
}

fn bound(bucket: usize) -> Duration {
    if bucket < BOUNDED { Duration::from_micros(bound_micros(bucket)) } else { Duration::MAX }
}

/// The value below which `share` of all counts lie, as if each bucket were filled evenly.
fn percentile(counts: &[u64], share: f64) -> u64 {
    let wanted = counts.iter().sum::<u64>() as f64 * share;
    let mut below = 0.0;
    for (bucket, count) in counts.iter().enumerate() {
        let count = *count as f64;
        if count > 0.0 && below + count >= wanted {
            return within(bucket, (wanted - below) / count);
        }
        below += count;
    }
    0
}

fn within(bucket: usize, part: f64) -> u64 {
    if bucket >= BOUNDED {
        // The longest duration is the best estimate for an unbounded bucket.
        return u64::MAX;
    }
    let low = bucket.checked_sub(1).map_or(0, bound_micros);
    low + ((bound_micros(bucket) - low) as f64 * part) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(all: impl IntoIterator<Item = Duration>) -> LatencySnapshot {
        let latency = LatencyHistogram::default();
        all.into_iter().for_each(|took| latency.record(took));
        latency.snapshot()
    }

    #[test]
    fn every_length_falls_between_the_bounds_of_its_bucket() {
        let mut micros = 0;
        while micros < 1_000_000_000 {
            let bucket = bucket_of(micros);
            assert!(bucket == BOUNDED || micros < bound_micros(bucket), "{micros} in {bucket}");
            assert!(bucket == 0 || micros >= bound_micros(bucket - 1), "{micros} in {bucket}");
            micros += micros / 50 + 1;
        }
    }

    #[test]
    fn buckets_reach_from_a_tenth_of_a_millisecond_to_ten_minutes() {
        assert_eq!(bound(0), Duration::from_micros(100));
        let last = bound(BOUNDED - 1);
        assert!(last >= Duration::from_secs(600) && last < Duration::from_secs(900), "{last:?}");
        assert_eq!(bucket_of(u64::MAX), BOUNDED);
        assert!((1..BOUNDED).all(|bucket| bound(bucket) <= bound(bucket - 1) * 3 / 2));
    }

    #[test]
    fn percentiles_are_right_up_to_a_bucket() {
        let snapshot = recorded((1..=1000).map(Duration::from_millis));
        let near = |estimate: Duration, millis: f64| {
            let ratio = estimate.as_secs_f64() * 1000.0 / millis;
            assert!((0.67..1.5).contains(&ratio), "{estimate:?} for {millis} ms");
        };
        near(snapshot.p50, 500.0);
        near(snapshot.p95, 950.0);
        near(snapshot.p99, 990.0);
        assert_eq!((snapshot.count, snapshot.max), (1000, Duration::from_secs(1)));
        assert_eq!(snapshot.sum, Duration::from_millis(500_500));
        assert_eq!(snapshot.buckets.iter().map(|(_, count)| count).sum::<u64>(), 1000);
    }

    #[test]
    fn no_percentile_is_above_the_longest() {
        let snapshot = recorded([Duration::from_micros(1), Duration::from_secs(3600)]);
        assert!(snapshot.p50 <= Duration::from_micros(100), "{:?}", snapshot.p50);
        assert_eq!((snapshot.p99, snapshot.max), (Duration::from_secs(3600), Duration::from_secs(3600)));
        let snapshot = recorded([Duration::from_micros(130); 10]);
        assert!(snapshot.p99 <= snapshot.max);
    }

    #[test]
    fn nothing_recorded_is_nothing() {
        assert_eq!(LatencyHistogram::default().snapshot(), LatencySnapshot::default());
        assert!(
            size_of::<LatencyHistogram>() <= 16,
            "10,000 tools that were never called cost next to nothing"
        );
    }
}
