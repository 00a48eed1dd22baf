//! Moments as people and other programs write them: RFC 3339. Inside, a moment is milliseconds since 1970.

use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// The first moment that four digits of a year can express. The last one is the calendar's own.
const FIRST: DateTime = DateTime::constant(0, 1, 1, 0, 0, 0, 0);
const NANOS_OF_MILLI: i32 = 1_000_000;
/// As HTTP writes them.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `2026-08-01T12:00:00.000Z`. Times beyond four-digit years become the last moment that they can express.
pub fn rfc3339(ms: i64) -> String {
    let moment = EPOCH.saturating_add(SignedDuration::from_millis(ms)).max(FIRST);
    format!("{moment:.3}Z")
}

/// Reads RFC 3339 with any offset. Digits beyond milliseconds are dropped.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let (clock, offset_minutes) = split_offset(time)?;
    let local = read_date(date)?.to_datetime(read_clock(clock)?);
    let local_ms = i64::try_from(local.duration_since(EPOCH).as_millis()).ok()?;
    Some(local_ms - offset_minutes * 60_000)
}

/// Reads a date of HTTP, as servers write it: `Sun, 06 Nov 1994 08:49:37 GMT`.
pub fn parse_http_date(text: &str) -> Option<i64> {
    let (_weekday, rest) = text.trim().split_once(", ")?;
    let words: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, clock, "GMT"] = words[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let date = Date::new(number(year)?, i8::try_from(month).ok()?, number(day)?).ok()?;
    i64::try_from(date.to_datetime(read_clock(clock)?).duration_since(EPOCH).as_millis()).ok()
}

/// True if this is a valid calendar date such as `2026-08-01`.
pub fn is_date(text: &str) -> bool {
    read_date(text).is_some()
}

fn read_date(text: &str) -> Option<Date> {
    let [year, month, day] = fields(text, '-', [4, 2, 2])?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn read_clock(text: &str) -> Option<Time> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let [hours, minutes, seconds] = fields(clock, ':', [2, 2, 2])?;
    // A leap second is the last moment of its minute.
    let seconds = if seconds == 60 { 59 } else { seconds };
    let part = |field: i16| i8::try_from(field).ok();
    Time::new(part(hours)?, part(minutes)?, part(seconds)?, millis(fraction)? * NANOS_OF_MILLI).ok()
}

fn fields(text: &str, separator: char, digits: [usize; 3]) -> Option<[i16; 3]> {
    let mut parts = text.split(separator);
    let mut read = [0; 3];
    for (field, digits) in read.iter_mut().zip(digits) {
        *field = number(parts.next().filter(|part| part.len() == digits)?)?;
    }
    parts.next().is_none().then_some(read)
}

fn number<N: FromStr>(text: &str) -> Option<N> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The time of day, and by how many minutes it is ahead of UTC.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let (clock, offset) = time.split_at_checked(time.len().checked_sub(6)?)?;
    let ahead = match offset.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = offset[1..].split_once(':').filter(|(hours, _)| hours.len() == 2)?;
    let (hours, minutes): (i64, i64) = (number(hours)?, number(minutes)?);
    (hours <= 23 && minutes <= 59).then_some((clock, ahead * (hours * 60 + minutes)))
}

fn millis(fraction: &str) -> Option<i32> {
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number(&format!("{fraction:0<3}")[..3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_back() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_785_585_600_123, "2026-08-01T12:00:00.123Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(ms), text);
            assert_eq!(parse_rfc3339(text), Some(ms), "{text}");
        }
        assert_eq!(rfc3339(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(rfc3339(i64::MIN), "0000-01-01T00:00:00.000Z");
    }

    #[test]
    fn every_day_of_eight_centuries_reads_back() {
        const DAY_MS: i64 = 24 * 60 * 60 * 1000;
        let mut days = -146_097..=146_097;
        assert!(days.all(|day| parse_rfc3339(&rfc3339(day * DAY_MS)) == Some(day * DAY_MS)));
    }

    #[test]
    fn offsets_and_fractions_are_understood() {
        let noon = Some(1_785_585_600_000);
        for text in ["2026-08-01T12:00:00Z", "2026-08-01t14:30:00+02:30", "2026-08-01 11:00:00.0009-01:00"] {
            assert_eq!(parse_rfc3339(text), noon, "{text}");
        }
        assert_eq!(parse_rfc3339("2026-08-01T12:00:00.5z"), noon.map(|ms| ms + 500));
    }

    #[test]
    fn a_date_of_http_is_understood() {
        assert_eq!(parse_http_date("Sat, 01 Aug 2026 12:00:00 GMT"), Some(1_785_585_600_000));
        assert_eq!(parse_http_date(" Sun, 06 Nov 1994 08:49:37 GMT "), Some(784_111_777_000));
        for text in [
            "",
            "Sat, 01 Aug 2026 12:00:00 CET",
            "Sat, 01 aug 2026 12:00:00 GMT",
            "Sat, 30 Feb 2026 12:00:00 GMT",
            "Sat, 01 Aug 2026 12:00 GMT",
            "20",
        ] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_is_not_read() {
        for text in [
            "",
            "T",
            "2026-08-01",
            "2026-08-01T12:00:00",
            "2026-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-08-00T12:00:00Z",
            "2026-08-01T24:00:00Z",
            "2026-08-01T12:00Z",
            "2026-08-01T12:00:00.Z",
            "2026-08-01T12:00:00+2:00",
            "2026-08-01T12:00:00€",
            "+026-08-01T12:00:00Z",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }
}
