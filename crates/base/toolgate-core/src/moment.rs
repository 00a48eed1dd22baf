//! Moments as people and other programs write them: RFC 3339. Inside, a moment is milliseconds since 1970.

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// The years that four digits can say, as days since 1970.
const FIRST_DAY: i64 = -719_528;
const LAST_DAY: i64 = 2_932_896;

/// `2026-08-01T12:00:00.000Z`. Times beyond four-digit years become the last moment that they can express.
pub fn rfc3339(ms: i64) -> String {
    let ms = ms.clamp(FIRST_DAY * DAY_MS, (LAST_DAY + 1) * DAY_MS - 1);
    let (year, month, day) = civil(ms.div_euclid(DAY_MS));
    let rest = ms.rem_euclid(DAY_MS);
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, millis) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

/// Reads RFC 3339 with any offset. Digits beyond milliseconds are dropped.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    if day < 1 || day > days_of_month(year, month)? {
        return None;
    }
    let (clock, offset_minutes) = split_offset(time)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hours, minutes, seconds] = fields(clock, ':', [2, 2, 2])?;
    // A leap second is the last moment of its minute.
    let seconds = if seconds == 60 { 59 } else { seconds };
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let since_midnight = (hours * 60 + minutes - offset_minutes) * 60 + seconds;
    Some(days(year, month, day) * DAY_MS + since_midnight * 1000 + millis(fraction)?)
}

/// True if this is a valid calendar date such as `2026-08-01`.
pub fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = fields(text, '-', [4, 2, 2]) else { return false };
    day >= 1 && days_of_month(year, month).is_some_and(|last| day <= last)
}

fn fields(text: &str, separator: char, digits: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut read = [0; 3];
    for (field, digits) in read.iter_mut().zip(digits) {
        *field = number(parts.next().filter(|part| part.len() == digits)?)?;
    }
    parts.next().is_none().then_some(read)
}

fn number(text: &str) -> Option<i64> {
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
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 23 && minutes <= 59).then_some((clock, ahead * (hours * 60 + minutes)))
}

fn millis(fraction: &str) -> Option<i64> {
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number(&format!("{fraction:0<3}")[..3])
}

fn days_of_month(year: i64, month: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => Some(if leap { 29 } else { 28 }),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

/// Days since 1970. Years are counted from March, so that the leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

/// The date of a day since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
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
    }

    #[test]
    fn every_day_of_eight_centuries_reads_back() {
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
