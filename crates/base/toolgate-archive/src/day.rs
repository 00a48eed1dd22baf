//! Days: their texts, and which of them are over.

use std::time::Duration;

use toolgate_core::moment::{parse_rfc3339, rfc3339};

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A day as people write it: `2026-08-01`.
pub fn day_text(day: i64) -> String {
    let text = rfc3339(day.saturating_mul(DAY_MS));
    text.split('T').next().unwrap_or_default().to_owned()
}

/// The number of a day, counted from 1970 in UTC.
pub fn day_of_text(text: &str) -> Option<i64> {
    let ms = parse_rfc3339(&format!("{text}T00:00:00Z"))?;
    Some(ms.div_euclid(DAY_MS))
}

/// The last day that ended at least this long ago. A line that is written later with the time of an archived
/// day becomes a further segment of that day, so the wait only keeps segments few.
pub fn closed_until(now_ms: i64, after: Duration) -> i64 {
    let after = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
    now_ms.saturating_sub(after).div_euclid(DAY_MS) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_as_people_do() {
        assert_eq!(day_text(20_666), "2026-08-01");
        assert_eq!(day_of_text("2026-08-01"), Some(20_666));
        assert_eq!(day_of_text("2026-08-01T00:00:00Z"), None);
        assert_eq!(day_of_text("August"), None);
    }

    #[test]
    fn a_day_is_closed_when_it_ended_long_enough_ago() {
        let hour = Duration::from_secs(3600);
        assert_eq!(closed_until(10 * DAY_MS, Duration::ZERO), 9);
        assert_eq!(closed_until(10 * DAY_MS - 1, Duration::ZERO), 8);
        assert_eq!(closed_until(10 * DAY_MS + 3_599_999, hour), 8);
        assert_eq!(closed_until(10 * DAY_MS + 3_600_000, hour), 9);
    }
}
