//! The choice of range, grouping and comparison.

use maud::{Markup, html};

use crate::address::PageAddress;
use crate::pages::filters::{self, PageFilters};

const RANGES: [(&str, &str); 8] = [
    ("15m", "15 min"),
    ("1h", "1 hour"),
    ("3h", "3 hours"),
    ("6h", "6 hours"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
    ("30d", "30 days"),
    ("90d", "90 days"),
];
const USUAL: &str = "24h";
const GROUPS: [&str; 5] = ["agent", "tool", "server", "model", "error"];

const PLACE: [&str; 2] = ["console", "metrics"];

/// The ranges that end now. What else was chosen stays.
pub(super) fn ranges(wanted: &PageFilters) -> Markup {
    let here = match wanted.get("from") {
        None => wanted.get("range").unwrap_or(USUAL),
        Some(_) => "",
    };
    html! {
        nav aria-label="Range" {
            ul.tabs {
                @for (range, name) in RANGES {
                    li { a href=(kept(wanted).with("range", range)) aria-current=[(range == here).then_some("true")] { (name) } }
                }
            }
        }
    }
}

/// This page with everything but the range.
fn kept(wanted: &PageFilters) -> PageAddress {
    ["by", "name", "compare"]
        .into_iter()
        .fold(PageAddress::of(PLACE), |address, name| address.maybe(name, wanted.get(name)))
}

/// This page for the same range with another grouping.
pub(super) fn grouped(wanted: &PageFilters, by: &str, name: &str) -> PageAddress {
    ["range", "from", "until", "compare"]
        .into_iter()
        .fold(PageAddress::of(PLACE), |address, name| address.maybe(name, wanted.get(name)))
        .with("by", by)
        .with("name", name)
}

pub(super) fn form(wanted: &PageFilters, refused: Markup) -> Markup {
    html! {
        form.card method="get" action="/console/metrics" aria-label="Choose figures" {
            (refused)
            div.filters.two {
                (filters::choice(wanted, "by", "Group by", &GROUPS))
                (filters::text(wanted, "name", "Only this name", ""))
                (filters::moment(wanted, "from", "From, in UTC"))
                (filters::moment(wanted, "until", "Until, in UTC"))
                @if let (None, Some(range)) = (wanted.get("from"), wanted.get("range")) {
                    input type="hidden" name="range" value=(range);
                }
                div.field {
                    label.check {
                        input type="checkbox" name="compare" value="before" checked[wanted.get("compare") == Some("before")];
                        " Compare with the previous period"
                    }
                }
            }
            (filters::buttons(wanted, "/console/metrics"))
        }
    }
}

/// 1 minute, 2 hours, 3 days.
pub(super) fn step(seconds: i64) -> String {
    const UNITS: [(i64, &str); 3] = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = UNITS.into_iter().find(|(length, _)| seconds % length == 0);
    let (length, name) = unit.unwrap_or((1, "second"));
    let count = seconds / length;
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {name}{ending}")
}
