//! A day of the calendar.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// Year, month, day.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Day {
    pub year: i32,
    pub month: u8,
    pub day: u8,
}

/// The text is not a day.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write a date as 2026-11-15")]
pub struct NotADay;

impl Day {
    /// `None` for invalid dates.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let known = (1..=9999).contains(&year) && (1..=12).contains(&month);
        (known && (1..=days_of(year, month)).contains(&day)).then_some(Self { year, month, day })
    }

    /// Of this machine's clock, in UTC.
    #[expect(clippy::disallowed_methods, reason = "the one place of the servers that reads the wall clock")]
    pub fn today() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self::of_epoch(i64::try_from(seconds / 86_400).unwrap_or_default())
    }

    /// The day that many days after 1970-01-01. Counted in eras of 400 years that begin in March, so that the leap day is
    /// the last of its year.
    fn of_epoch(days: i64) -> Self {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year: year as i32, month: month as u8, day: day as u8 }
    }
}

fn days_of(year: i32, month: u8) -> u8 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Day {
    type Err = NotADay;

    /// `2026-11-15`, with or without a time after it.
    fn from_str(text: &str) -> Result<Self, NotADay> {
        let date = text.trim().split(['T', ' ']).next().unwrap_or_default();
        let mut parts = date.splitn(3, '-').map(|part| part.parse::<i32>().ok());
        let mut next = || parts.next().flatten().ok_or(NotADay);
        let (year, month, day) = (next()?, next()?, next()?);
        let small = |value: i32| u8::try_from(value).map_err(|_| NotADay);
        Self::new(year, small(month)?, small(day)?).ok_or(NotADay)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_from_1970() {
        assert_eq!(Day::of_epoch(0).to_string(), "1970-01-01");
        assert_eq!(Day::of_epoch(11_016).to_string(), "2000-02-29");
        assert_eq!(Day::of_epoch(20_772).to_string(), "2026-11-15");
    }

    #[test]
    fn only_days_of_the_calendar_are_days() {
        assert_eq!("2026-11-15T10:00:00Z".parse(), Ok(Day { year: 2026, month: 11, day: 15 }));
        for wrong in ["2026-02-29", "2026-13-01", "2026-1", "", "yesterday", "2026-300-01", "99999-01-01"] {
            assert_eq!(wrong.parse::<Day>(), Err(NotADay), "{wrong}");
        }
    }
}
