//! Calls per minute as bars, and the same as a table.

use maud::{Markup, html};

use super::data::{MinuteData, TrafficData};
use crate::pages::counted;
use crate::parts::number;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 190.0;
/// Room for the numbers beside the bars and for the minutes below them.
const LEFT: f64 = 44.0;
const BOTTOM: f64 = 26.0;
const TOP: f64 = 10.0;
/// A minute is named every so often.
const NAMED_EVERY: usize = 15;

pub(super) fn draw(traffic: &TrafficData) -> Markup {
    let minutes = &traffic.minutes;
    let top = scale(minutes.iter().map(MinuteData::calls).max().unwrap_or(0));
    let summary = format!(
        "{} calls in the last hour: {} failed, {} refused",
        number(traffic.calls),
        number(traffic.failed),
        number(traffic.refused)
    );
    html! {
        div.scroll.newest tabindex="0" role="region" aria-labelledby="minutes-title" {
            svg.chart.minutes viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-label=(summary) {
                (patterns())
                (axis(top))
                @for (place, minute) in minutes.iter().enumerate() { (bar(place, minutes.len(), minute, top)) }
                (names(minutes))
            }
        }
        (key())
        (table(minutes))
    }
}

/// The next round number that all bars fit under.
fn scale(most: u64) -> u64 {
    let mut top = 4;
    while top < most {
        // 4, 10, 20, 40, 100, …
        top = if top.to_string().starts_with('4') { top / 4 * 10 } else { top * 2 };
    }
    top
}

/// Stripes and dots: failed and refused calls are distinguishable without colour.
fn patterns() -> Markup {
    html! {
        defs {
            pattern #stripes width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                rect.bad width="5" height="5" {} rect.paper width="1.6" height="5" {}
            }
            pattern #dots width="5" height="5" patternUnits="userSpaceOnUse" {
                rect.wait width="5" height="5" {} circle.paper cx="2.5" cy="2.5" r="1.2" {}
            }
        }
    }
}

fn axis(top: u64) -> Markup {
    html! {
        @for part in [0, top / 2, top] {
            @let y = height_at(part, top);
            line.line x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
            text.soft x=(LEFT - 8.0) y=(y + 4.0) text-anchor="end" font-size="12" { (number(part)) }
        }
    }
}

fn height_at(calls: u64, top: u64) -> f64 {
    let room = HEIGHT - BOTTOM - TOP;
    TOP + room * (1.0 - calls as f64 / top as f64)
}

fn bar(place: usize, count: usize, minute: &MinuteData, top: u64) -> Markup {
    let step = (WIDTH - LEFT) / count.max(1) as f64;
    let left = LEFT + place as f64 * step + 1.5;
    let width = (step - 3.0).max(1.0);
    let kinds = [
        (minute.succeeded, "accent", None),
        (minute.other, "soft", None),
        (minute.refused, "", Some("url(#dots)")),
        (minute.failed, "", Some("url(#stripes)")),
    ];
    let told = format!(
        "{}: calls {}, failed {}, refused {}",
        clock(&minute.at),
        number(minute.calls()),
        number(minute.failed),
        number(minute.refused)
    );
    if minute.calls() == 0 {
        return html! {};
    }
    html! {
        a href=(minute.list(counted::ENDED)) tabindex="-1" {
            title { (told) }
            rect.hit x=(format!("{:.1}", left - 1.5)) y=(TOP) width=(format!("{step:.1}")) height=(HEIGHT - BOTTOM - TOP) {}
            @for (place, (calls, class, fill)) in kinds.iter().enumerate().filter(|(_, (calls, ..))| *calls > 0) {
                @let below: u64 = kinds[..place].iter().map(|(calls, ..)| calls).sum();
                @let y = height_at(below + calls, top);
                @let height = height_at(below, top) - y;
                rect class=(class) fill=[*fill] x=(format!("{left:.1}")) y=(format!("{y:.1}")) width=(format!("{width:.1}")) height=(format!("{height:.1}")) {}
            }
        }
    }
}

fn names(minutes: &[MinuteData]) -> Markup {
    let step = (WIDTH - LEFT) / minutes.len().max(1) as f64;
    html! {
        @for (place, minute) in minutes.iter().enumerate().filter(|(place, _)| place % NAMED_EVERY == 0) {
            text.soft x=(format!("{:.1}", LEFT + place as f64 * step)) y=(HEIGHT - 8.0) font-size="12" { (clock(&minute.at)) }
        }
        text.soft x=(WIDTH) y=(HEIGHT - 8.0) text-anchor="end" font-size="12" { "now" }
    }
}

/// 12:34 of an RFC 3339 moment.
fn clock(moment: &str) -> &str {
    moment.split_once('T').and_then(|(_, time)| time.get(..5)).unwrap_or(moment)
}

fn key() -> Markup {
    let sample = |class: &str, fill: Option<&str>| {
        html! { svg.sample viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" { rect class=(class) fill=[fill] width="14" height="14" {} } }
    };
    html! {
        ul.chips.help {
            li { (sample("accent", None)) " succeeded" }
            li { (sample("", Some("url(#stripes)"))) " failed" }
            li { (sample("", Some("url(#dots)"))) " refused" }
            li { (sample("soft", None)) " cancelled or waiting" }
        }
    }
}

fn table(minutes: &[MinuteData]) -> Markup {
    html! {
        details #minutes-table {
            summary { "As a table" }
            @if minutes.iter().all(|minute| minute.calls() == 0) { p.help { "There were no calls." } } @else {
                table.list {
                    caption { "Minutes with calls, in UTC, the latest first" }
                    thead { tr {
                        th scope="col" { "Minute" } th.number scope="col" { "Succeeded" } th.number scope="col" { "Failed" }
                        th.number scope="col" { "Refused" } th.number scope="col" { "Other" }
                    } }
                    tbody {
                        @for minute in minutes.iter().rev().filter(|minute| minute.calls() > 0) {
                            tr {
                                td data-name="Minute" { (clock(&minute.at)) }
                                td.number data-name="Succeeded" { (counted::shown(minute.succeeded, minute.list(counted::SUCCEEDED))) }
                                td.number data-name="Failed" { (counted::shown(minute.failed, minute.list(counted::FAILED))) }
                                td.number data-name="Refused" { (counted::shown(minute.refused, minute.list(counted::REFUSED))) }
                                td.number data-name="Other" { (counted::shown(minute.other, minute.list(counted::OTHER))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_fits_under_a_round_number() {
        assert_eq!([0, 4, 5, 11, 39, 41, 1_000].map(scale), [4, 4, 10, 20, 40, 100, 1_000]);
    }

    #[test]
    fn a_minute_is_as_high_as_its_calls() {
        let minute = MinuteData {
            at: "2026-08-01T12:34:00Z".into(),
            succeeded: 2,
            failed: 2,
            ..MinuteData::default()
        };
        let drawn = draw(&TrafficData { minutes: vec![minute], ..TrafficData::default() }).into_string();
        // Half of the room each: 154 high, of which a bar of two among four takes 77.
        assert_eq!(drawn.matches(r#"height="77.0""#).count(), 2, "{drawn}");
        assert!(drawn.contains("12:34: calls 4, failed 2, refused 0"), "{drawn}");
        let minute = "from=2026-08-01T12%3A34%3A00Z&amp;until=2026-08-01T12%3A35%3A00Z";
        assert!(drawn.contains(&format!("href=\"/console/calls?state=ended&amp;{minute}\"")), "{drawn}");
    }
}
