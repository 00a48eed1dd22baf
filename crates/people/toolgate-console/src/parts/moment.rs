//! Moments and spans of time as people say them. The script keeps them current.

use maud::{Markup, html};
use toolgate_core::moment::{parse_rfc3339, rfc3339};

use crate::visit::PageVisit;

/// After a time.
const UTC: &str = " UTC";
const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A form of a moment. The script has the same, for the zone that a person chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockForm {
    /// 2026-08-01 12:34:56
    Full,
    /// 12:34:56.789
    Precise,
    /// 1 Aug 12:34
    Short,
    /// 1 Aug
    Day,
    /// 12:34
    Minute,
}

impl ClockForm {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            ClockForm::Full => "full",
            ClockForm::Precise => "precise",
            ClockForm::Short => "short",
            ClockForm::Day => "day",
            ClockForm::Minute => "minute",
        }
    }

    /// The moment in this form, in UTC.
    pub(crate) fn of(self, ms: i64) -> String {
        let written = rfc3339(ms);
        let (date, time) = written.split_once('T').unwrap_or((&written, ""));
        let minute = time.get(..5).unwrap_or(time);
        match self {
            ClockForm::Full => format!("{date} {}", time.split(['.', 'Z']).next().unwrap_or_default()),
            ClockForm::Precise => time.trim_end_matches('Z').to_owned(),
            ClockForm::Short => format!("{} {minute}", day(date)),
            ClockForm::Day => day(date),
            ClockForm::Minute => minute.to_owned(),
        }
    }
}

/// `1 Aug` of `2026-08-01`.
fn day(date: &str) -> String {
    let number = |part: std::ops::Range<usize>| date.get(part).and_then(|part| part.parse::<usize>().ok());
    let month = number(5..7).and_then(|month| MONTHS.get(month.checked_sub(1)?).copied());
    match (number(8..10), month) {
        (Some(day), Some(month)) => format!("{day} {month}"),
        _ => date.to_owned(),
    }
}

/// A moment in this form; its date, time and zone on demand.
pub(crate) fn clock(ms: i64, form: ClockForm) -> Markup {
    html! { time datetime=(rfc3339(ms)) title=(in_utc(ms)) data-clock=(form.as_str()) { (form.of(ms)) } }
}

/// Something that happened at a moment; the moment on demand.
pub(crate) fn happened(ms: i64, shown: &str) -> Markup {
    html! { time datetime=(rfc3339(ms)) title=(in_utc(ms)) data-hover { (shown) } }
}

/// The name of the zone that the times of a page are in.
pub(crate) fn zone() -> Markup {
    html! { span data-zone-name { (UTC.trim()) } }
}

/// The time since or until an RFC 3339 time; the time itself on demand.
pub(crate) fn ago(visit: &PageVisit, moment: &str) -> Markup {
    match parse_rfc3339(moment) {
        Some(ms) => ago_ms(visit, ms),
        None => super::text::short(moment),
    }
}

pub(crate) fn ago_ms(visit: &PageVisit, ms: i64) -> Markup {
    html! { time datetime=(rfc3339(ms)) title=(in_utc(ms)) data-ago { (said(ms - visit.now_ms)) } }
}

/// The time itself; the zone, and how long ago it was, on demand.
pub(crate) fn at(visit: &PageVisit, moment: &str) -> Markup {
    let Some(ms) = parse_rfc3339(moment) else { return super::text::short(moment) };
    let full = in_utc(ms);
    let shown = full.strip_suffix(UTC).unwrap_or(&full).to_owned();
    html! { time datetime=(rfc3339(ms)) title={ (full) " · " (said(ms - visit.now_ms)) } data-at { (shown) } }
}

/// 2026-08-01 12:34:56 UTC
fn in_utc(ms: i64) -> String {
    format!("{}{UTC}", ClockForm::Full.of(ms))
}

/// The remaining time.
pub(crate) fn left(visit: &PageVisit, moment: &str) -> Markup {
    let Some(ms) = parse_rfc3339(moment) else { return super::text::short(moment) };
    let rest = ms - visit.now_ms;
    let said = if rest > 0 { format!("{} left", span(rest)) } else { "time is over".to_owned() };
    html! { time datetime=(rfc3339(ms)) title=(in_utc(ms)) data-left { (said) } }
}

fn said(distance_ms: i64) -> String {
    match distance_ms {
        near if near.abs() <= SECOND_MS => "now".to_owned(),
        past if past < 0 => format!("{} ago", span(-past)),
        future => format!("in {}", span(future)),
    }
}

/// A span in its largest unit.
pub(crate) fn span(ms: i64) -> String {
    match ms {
        _ if ms < SECOND_MS => format!("{ms} ms"),
        _ if ms < MINUTE_MS => format!("{:.1} s", ms as f64 / SECOND_MS as f64),
        _ if ms < HOUR_MS => format!("{} min", ms / MINUTE_MS),
        _ if ms < DAY_MS => format!("{} h {} min", ms / HOUR_MS, ms % HOUR_MS / MINUTE_MS),
        _ => format!("{} days", ms / DAY_MS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_with_its_zone() {
        assert_eq!(in_utc(1_785_585_600_000), "2026-08-01 12:00:00 UTC");
    }

    #[test]
    fn a_moment_is_written_in_the_form_of_its_place() {
        use ClockForm::{Day, Full, Minute, Precise, Short};
        let told = [Full, Precise, Short, Day, Minute].map(|form| form.of(1_785_587_696_789));
        assert_eq!(told, ["2026-08-01 12:34:56", "12:34:56.789", "1 Aug 12:34", "1 Aug", "12:34"]);
        let shown = clock(1_785_587_696_789, Minute).into_string();
        assert!(shown.contains("title=\"2026-08-01 12:34:56 UTC\"") && shown.contains(">12:34<"), "{shown}");
    }

    #[test]
    fn spans_are_told_in_their_largest_unit() {
        assert_eq!([12, 2_500, 180_000, 3_900_000].map(span), ["12 ms", "2.5 s", "3 min", "1 h 5 min"]);
        assert_eq!([0, -61_000, 7_200_000].map(said), ["now", "1 min ago", "in 2 h 0 min"]);
    }
}
