//! The range of a plot and its steps.

use toolgate_store::FigureSpan;

pub(super) const POINTS_USUAL: i64 = 200;
pub(super) const POINTS_MAX: i64 = 400;

const MINUTE_MS: i64 = FigureSpan::Minute.ms();
const HOUR_MS: i64 = FigureSpan::Hour.ms();
pub(super) const DAY_MS: i64 = FigureSpan::Day.ms();

/// The longest range: a step is at most this many days for each point.
const RANGE_MS_MAX: i64 = 10 * 366 * DAY_MS;

pub(super) const RANGES: [(&str, i64); 8] = [
    ("15m", 15 * MINUTE_MS),
    ("1h", HOUR_MS),
    ("3h", 3 * HOUR_MS),
    ("6h", 6 * HOUR_MS),
    ("24h", DAY_MS),
    ("7d", 7 * DAY_MS),
    ("30d", 30 * DAY_MS),
    ("90d", 90 * DAY_MS),
];

/// In minutes. Each begins with midnight, UTC; more than a day is a number of days.
const STEPS: [i64; 12] = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1_440];

/// Whole steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FigureRange {
    pub(super) from_ms: i64,
    /// Exclusive.
    pub(super) until_ms: i64,
    pub(super) step_ms: i64,
}

impl FigureRange {
    /// The shortest steps with no more than so many points whose rows are still kept. `None` if the range is too long.
    pub(super) fn of(from_ms: i64, until_ms: i64, now_ms: i64, points: i64) -> Option<Self> {
        let length = until_ms.checked_sub(from_ms).filter(|length| *length <= RANGE_MS_MAX)?;
        // The time before is compared, so it is to be there as well.
        let age = now_ms - from_ms + length;
        let least =
            FigureSpan::ALL.into_iter().find(|span| span.days_kept().is_none_or(|days| age <= days * DAY_MS));
        let least = least.unwrap_or(FigureSpan::Day).ms();
        let short = STEPS.map(|minutes| minutes * MINUTE_MS).into_iter();
        let long = (2..).map(|days| days * DAY_MS);
        let mut fitting = short.chain(long).filter(|step| *step >= least && length <= step * points);
        let step_ms = fitting.next()?;
        let from_ms = from_ms.div_euclid(step_ms) * step_ms;
        let steps = (until_ms - from_ms + step_ms - 1).div_euclid(step_ms);
        Some(Self { from_ms, until_ms: from_ms + steps * step_ms, step_ms })
    }

    /// As many steps that end where this begins.
    pub(super) fn before(&self) -> Self {
        let length = self.until_ms - self.from_ms;
        Self { from_ms: self.from_ms - length, until_ms: self.from_ms, step_ms: self.step_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_780_000_123_456;

    #[test]
    fn every_range_has_few_whole_steps() {
        for (name, length) in RANGES {
            for points in [1, 60, 200, 400] {
                let range = FigureRange::of(NOW - length, NOW, NOW, points).unwrap();
                let steps = (range.until_ms - range.from_ms) / range.step_ms;
                assert!(steps <= points + 1 && range.from_ms <= NOW - length, "{name}: {range:?}");
                assert!(range.until_ms >= NOW && range.until_ms - NOW < range.step_ms, "{name}: {range:?}");
                assert_eq!(range.before().until_ms, range.from_ms);
            }
        }
    }

    #[test]
    fn old_ranges_have_the_steps_that_are_kept() {
        let old = FigureRange::of(NOW - 60 * DAY_MS, NOW - 60 * DAY_MS + HOUR_MS, NOW, 200).unwrap();
        assert_eq!(old.step_ms, HOUR_MS);
        let older = FigureRange::of(NOW - 900 * DAY_MS, NOW - 899 * DAY_MS, NOW, 200).unwrap();
        assert_eq!(older.step_ms, DAY_MS);
        assert_eq!(FigureRange::of(0, i64::MAX, NOW, 200), None);
    }
}
