//! Spans of time and moments as people type them: `90s`, `1h30m`, `7d`; `2026-08-01` or RFC 3339.

use std::time::Duration;

use toolgate_core::moment::parse_rfc3339;

const UNITS: [(char, u64); 5] = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400), ('w', 604_800)];
const HINT: &str = "expected a span such as 45s, 30m, 1h30m, 7d or 2w";

/// A point in time, said from now or by the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Ago(Duration),
    At { ms: i64 },
}

impl Moment {
    /// Milliseconds since 1970.
    pub(crate) fn from(self, now_ms: i64) -> i64 {
        match self {
            Moment::Ago(span) => now_ms.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
            Moment::At { ms } => ms,
        }
    }
}

pub(super) fn moment(text: &str) -> Result<Moment, String> {
    let whole_day = format!("{text}T00:00:00Z");
    match parse_rfc3339(text).or_else(|| parse_rfc3339(&whole_day)) {
        Some(ms) => Ok(Moment::At { ms }),
        None => {
            let refusal =
                |_| format!("{HINT}, a day such as 2026-08-01, or a time such as 2026-08-01T12:00:00Z");
            span(text).map(Moment::Ago).map_err(refusal)
        }
    }
}

pub(super) fn span(text: &str) -> Result<Duration, String> {
    let refusal = || HINT.to_owned();
    let mut seconds: u64 = 0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(refusal());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(refusal)?;
        let number: u64 = rest[..digits].parse().map_err(|_| refusal())?;
        let unit = rest[digits..].chars().next().ok_or_else(refusal)?;
        let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or_else(refusal)?;
        let part = number.checked_mul(factor).ok_or_else(refusal)?;
        seconds = seconds.checked_add(part).ok_or_else(refusal)?;
        rest = &rest[digits + unit.len_utf8()..];
    }
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_add_up() {
        for (text, seconds) in
            [("45s", 45), ("30m", 1800), ("1h30m", 5400), ("7d", 604_800), ("2w", 1_209_600)]
        {
            assert_eq!(span(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_has_a_hint() {
        for text in
            ["", "7", "d", "1.5h", "-1h", "1y", "1h ", "99999999999999999999s", "18446744073709551615w", "1µ"]
        {
            match span(text) {
                Ok(found) => assert_eq!((text, found), ("1h ", Duration::from_secs(3600))),
                Err(hint) => assert!(hint.contains("1h30m"), "{text}: {hint}"),
            }
        }
    }

    #[test]
    fn a_moment_is_ago_or_by_the_calendar() {
        assert_eq!(moment("1h").map(|moment| moment.from(5_000_000)), Ok(1_400_000));
        assert_eq!(moment("1970-01-02"), Ok(Moment::At { ms: 86_400_000 }));
        assert_eq!(moment("1970-01-01T00:00:01+00:00"), Ok(Moment::At { ms: 1000 }));
        assert!(moment("yesterday").is_err_and(|hint| hint.contains("2026-08-01")));
    }
}
