//! Times in headers. There is no clock here: an answer says its own time in `Date`, which is also free of differing clocks.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

use crate::words::HeaderOf;

/// Until the time of an `after` header: seconds, or a date.
pub(crate) fn until_after(headers: HeaderOf<'_>, name: &str) -> Option<Duration> {
    let text = headers(name)?;
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.ceil()).ok();
    }
    until(headers, http_date(text)?)
}

/// A smaller number of seconds is no time of our days, but the rest of a wait.
const SECONDS_SINCE_1970_MIN: u64 = 100_000_000;

/// Until the time of a `reset` header: seconds since 1970. Some providers write the seconds that are left.
pub(crate) fn until_reset(headers: HeaderOf<'_>, name: &str) -> Option<Duration> {
    match headers(name)?.trim().parse::<u64>().ok()? {
        left @ ..SECONDS_SINCE_1970_MIN => Some(Duration::from_secs(left)),
        second => until(headers, i64::try_from(second).ok()?),
    }
}

/// A date of RFC 3339 as milliseconds since 1970.
pub(crate) fn unix_ms(text: &str) -> Option<i64> {
    Some(text.parse::<Timestamp>().ok()?.as_millisecond())
}

fn until(headers: HeaderOf<'_>, second: i64) -> Option<Duration> {
    let now = http_date(headers("date")?.trim())?;
    Some(Duration::from_secs(u64::try_from(second.saturating_sub(now)).unwrap_or(0)))
}

fn http_date(text: &str) -> Option<i64> {
    Some(DateTimeParser::new().parse_timestamp(text).ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        move |name| {
            let found = pairs.iter().find(|(one, _)| one.eq_ignore_ascii_case(name));
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn a_time_is_seconds_or_a_date_and_is_measured_by_the_clock_of_the_answer() {
        let date = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
        for (value, seconds) in
            [("30", Some(30)), ("0.2", Some(1)), (" 7 ", Some(7)), ("soon", None), ("-1", None)]
        {
            let answer = |name: &str| (name == "retry-after").then(|| value.to_owned());
            assert_eq!(until_after(&answer, "retry-after"), seconds.map(Duration::from_secs), "{value}");
        }
        let pairs: &'static [_] =
            Box::leak(Box::new([date, ("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT")]));
        assert_eq!(until_after(&headers(pairs), "retry-after"), Some(Duration::from_secs(30)));
        let pairs: &'static [_] = Box::leak(Box::new([date, ("X-Reset", "784111787")]));
        assert_eq!(until_reset(&headers(pairs), "x-reset"), Some(Duration::from_secs(10)));
        let pairs: &'static [_] = Box::leak(Box::new([date, ("X-Reset", "784111700")]));
        assert_eq!(until_reset(&headers(pairs), "x-reset"), Some(Duration::ZERO), "a time in the past");
        let left = Some(Duration::from_secs(30));
        assert_eq!(until_reset(&headers(&[("X-Reset", "30")]), "x-reset"), left, "seconds that are left");
        assert_eq!(until_reset(&headers(&[("X-Reset", "784111787")]), "x-reset"), None, "no clock");
    }

    #[test]
    fn dates_of_records_become_milliseconds() {
        assert_eq!(unix_ms("2019-12-07T16:50:06.678Z"), Some(1_575_737_406_678));
        assert_eq!(unix_ms("yesterday"), None);
    }
}
