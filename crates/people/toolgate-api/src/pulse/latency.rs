//! The duration of calls, in steps of about a tenth: precise enough for a chart, and of constant size.

/// Steps for each doubling.
const STEPS: f64 = 8.0;

/// The number of calls by duration step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(std::collections::BTreeMap<u16, u64>);

impl Latencies {
    pub(super) fn count(&mut self, us: i64) {
        *self.0.entry(step(us)).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: &Latencies) {
        for (step, count) in &other.0 {
            *self.0.entry(*step).or_default() += count;
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.0.values().sum()
    }

    /// The percentile of the durations, in milliseconds.
    pub(crate) fn percentile_ms(&self, percent: u64) -> f64 {
        let wanted = (self.len() * percent).div_ceil(100);
        let mut seen = 0;
        for (step, count) in &self.0 {
            seen += count;
            if seen >= wanted {
                return upper_us(*step) / 1_000.0;
            }
        }
        0.0
    }
}

fn step(us: i64) -> u16 {
    let step = (us.max(1) as f64).log2() * STEPS;
    // The logarithm of a number of 64 bits is not larger than 64.
    step.floor() as u16
}

/// The end of a step.
fn upper_us(step: u16) -> f64 {
    ((f64::from(step) + 1.0) / STEPS).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_right_to_about_a_tenth() {
        let mut latencies = Latencies::default();
        (1..=1_000).for_each(|ms| latencies.count(ms * 1_000));
        for (percent, expected) in [(50, 500.0), (95, 950.0), (100, 1_000.0)] {
            let told = latencies.percentile_ms(percent);
            assert!((expected..expected * 1.1).contains(&told), "{percent}: {told}");
        }
        assert_eq!(latencies.len(), 1_000);
    }

    #[test]
    fn nothing_took_no_time_and_odd_times_are_counted() {
        assert_eq!(Latencies::default().percentile_ms(95), 0.0);
        let mut odd = Latencies::default();
        [0, -5, i64::MAX].into_iter().for_each(|us| odd.count(us));
        assert_eq!(odd.len(), 3);
    }
}
