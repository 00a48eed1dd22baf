//! A day of the calendar.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

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
pub struct InvalidDay;

impl Day {
    /// `None` for invalid dates.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        let date = Date::new(i16::try_from(year).ok()?, month, day).ok()?;
        (date.year() >= 1).then(|| date.into())
    }

    /// Of this machine's clock, in UTC.
    pub fn today() -> Self {
        Timestamp::now().to_zoned(TimeZone::UTC).date().into()
    }
}

impl From<Date> for Day {
    fn from(date: Date) -> Self {
        Self { year: date.year().into(), month: date.month().unsigned_abs(), day: date.day().unsigned_abs() }
    }
}

impl FromStr for Day {
    type Err = InvalidDay;

    /// `2026-11-15`, with or without a time after it.
    fn from_str(text: &str) -> Result<Self, InvalidDay> {
        let date = text.trim().split(['T', ' ']).next().unwrap_or_default();
        let mut parts = date.splitn(3, '-').map(|part| part.parse::<i32>().ok());
        let mut next = || parts.next().flatten().ok_or(InvalidDay);
        let (year, month, day) = (next()?, next()?, next()?);
        let small = |value: i32| u8::try_from(value).map_err(|_| InvalidDay);
        Self::new(year, small(month)?, small(day)?).ok_or(InvalidDay)
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
    fn a_day_is_written_as_the_calendar_has_it() {
        assert_eq!(Day::from(Date::constant(2000, 2, 29)).to_string(), "2000-02-29");
        let today = Day::today();
        assert_eq!(today.to_string().parse(), Ok(today));
    }

    #[test]
    fn only_days_of_the_calendar_are_days() {
        assert_eq!("2026-11-15T10:00:00Z".parse(), Ok(Day { year: 2026, month: 11, day: 15 }));
        for wrong in [
            "2026-02-29",
            "2026-13-01",
            "2026-1",
            "0000-01-01",
            "",
            "yesterday",
            "2026-300-01",
            "99999-01-01",
        ] {
            assert_eq!(wrong.parse::<Day>(), Err(InvalidDay), "{wrong}");
        }
    }
}
