//! The period of the list: the last hours or days, or from one moment to another.

use maud::{Markup, html};
use toolgate_core::moment::rfc3339;

use super::place::PLACE;
use crate::address::PageAddress;
use crate::pages::filters::PageFilters;
use crate::parts::moment::at;
use crate::visit::PageVisit;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
const RANGES: [(&str, &str, i64); 6] = [
    ("15m", "15 min", 15 * MINUTE_MS),
    ("1h", "1 hour", HOUR_MS),
    ("24h", "24 hours", DAY_MS),
    ("7d", "7 days", 7 * DAY_MS),
    ("30d", "30 days", 30 * DAY_MS),
    ("90d", "90 days", 90 * DAY_MS),
];

/// With the beginning of the range as `from`. What was filled in there counts more.
pub(super) fn since(wanted: &PageFilters, now_ms: i64) -> PageFilters {
    let plain = wanted.without("range");
    let range = RANGES.iter().find(|(word, ..)| wanted.get("range") == Some(*word));
    match range {
        Some((_, _, ms)) if !is_exact(wanted) => plain.with_start(&rfc3339(now_ms - ms)),
        _ => plain,
    }
}

fn is_exact(wanted: &PageFilters) -> bool {
    wanted.get("from").is_some() || wanted.get("until").is_some()
}

/// The ranges as links, and the period that the list shows.
pub(super) fn ranges(visit: &PageVisit, wanted: &PageFilters) -> Markup {
    let of_range = wanted.get("range").filter(|_| !is_exact(wanted));
    let link = |range: Option<&str>| {
        wanted.but("from", None).but("until", None).but("range", range).on(PageAddress::of(PLACE))
    };
    let since = since(wanted, visit.now_ms);
    html! {
        nav.ranges aria-label="Period" {
            ul.chips {
                @for (word, name, _) in RANGES {
                    li { a href=(link(Some(word))) aria-current=[(of_range == Some(word)).then_some("true")] { (name) } }
                }
                li { a href=(link(None)) aria-current=[(of_range.is_none() && !is_exact(wanted)).then_some("true")] { "All" } }
            }
            p.help {
                @match (since.get("from"), since.get("until")) {
                    (None, None) => { "All calls in the ledger." },
                    (Some(from), None) => { "From " (moment(visit, from)) " until now." },
                    (None, Some(until)) => { "Until " (moment(visit, until)) "." },
                    (Some(from), Some(until)) => { "From " (moment(visit, from)) " to " (moment(visit, until)) "." },
                }
            }
        }
    }
}

fn moment(visit: &PageVisit, written: &str) -> Markup {
    at(visit, &crate::pages::filters::with_zone(written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_now_and_gives_way_to_a_period() {
        let wanted = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            PageFilters::of(pairs, &["range", "from", "until"])
        };
        let address = |filters: PageFilters| filters.for_api(PageAddress::of(["calls"])).to_string();
        let now_ms = 1_785_585_600_000;
        let hour = address(since(&wanted(&[("range", "1h")]), now_ms));
        assert_eq!(hour, "/calls?from=2026-08-01T11%3A00%3A00.000Z");
        let exact = address(since(&wanted(&[("range", "1h"), ("until", "2026-08-01T12:34")]), now_ms));
        assert_eq!(exact, "/calls?until=2026-08-01T12%3A34%3A00Z");
        assert_eq!(address(since(&wanted(&[("range", "soon")]), now_ms)), "/calls");
    }
}
