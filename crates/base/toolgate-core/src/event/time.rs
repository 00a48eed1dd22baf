//! Hybrid logical time: the order of events across the streams of the ledger.
//!
//! An event gets the time at which it happened or, if its stream or another one that its writer could see is
//! already there, the next tick after that. So whatever follows from an event has a later time, also on
//! another machine, and a clock that is set back changes no order.

use std::fmt;

use crate::moment::rfc3339;

/// Ticks of one millisecond, as bits.
const TICK_BITS: u32 = 16;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// The last millisecond that leaves room for ticks.
const LAST_MS: i64 = (i64::MAX >> TICK_BITS) - 1;

/// Milliseconds since 1970 and a tick, as one number that sorts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HybridTime(i64);

impl HybridTime {
    /// Before every event.
    pub const START: HybridTime = HybridTime(0);

    /// The first tick of a millisecond; times before 1970 become its first.
    pub fn of_ms(ms: i64) -> Self {
        Self(ms.clamp(0, LAST_MS) << TICK_BITS)
    }

    /// As it is stored.
    pub fn from_number(number: i64) -> Self {
        Self(number)
    }

    pub fn number(self) -> i64 {
        self.0
    }

    pub fn ms(self) -> i64 {
        self.0 >> TICK_BITS
    }

    /// Days since 1970, in UTC.
    pub fn day(self) -> i64 {
        self.ms().div_euclid(DAY_MS)
    }

    /// The time of an event that happened at `at_ms`, after this one.
    pub fn next(self, at_ms: i64) -> Self {
        Self::of_ms(at_ms).max(Self(self.0.saturating_add(1)))
    }
}

/// RFC 3339 with the tick as further digits of the second: `2026-08-01T12:00:00.00000007Z`. Texts sort as the
/// times do.
impl fmt::Display for HybridTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = rfc3339(self.ms());
        let tick = self.0 & ((1 << TICK_BITS) - 1);
        write!(f, "{}{tick:05}Z", text.trim_end_matches('Z'))
    }
}

impl serde::Serialize for HybridTime {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_forward_whatever_the_clock_says() {
        let noon = HybridTime::START.next(43_200_000);
        assert_eq!(noon, HybridTime::of_ms(43_200_000));
        let same = noon.next(43_200_000);
        let back = same.next(1);
        assert!(noon < same && same < back, "{noon} {same} {back}");
        assert_eq!(back.ms(), 43_200_000);
        assert_eq!(back.next(43_200_001), HybridTime::of_ms(43_200_001));
        assert!(HybridTime::of_ms(i64::MAX).next(0) > HybridTime::of_ms(i64::MAX));
        assert_eq!(HybridTime::START.next(-5).ms(), 0);
    }

    #[test]
    fn texts_sort_as_the_times_do() {
        let first = HybridTime::of_ms(1_780_000_000_123);
        assert_eq!(first.to_string(), "2026-05-28T20:26:40.12300000Z");
        let times = [first, first.next(0), first.next(0).next(0), first.next(1_780_000_000_124)];
        let texts = times.map(|time| time.to_string());
        assert!(texts.is_sorted(), "{texts:?}");
        assert_eq!(texts[2], "2026-05-28T20:26:40.12300002Z");
        assert_eq!(crate::moment::parse_rfc3339(&texts[2]), Some(1_780_000_000_123));
    }

    #[test]
    fn a_day_ends_at_midnight() {
        assert_eq!(HybridTime::of_ms(DAY_MS - 1).day(), 0);
        assert_eq!(HybridTime::of_ms(DAY_MS).day(), 1);
    }
}
