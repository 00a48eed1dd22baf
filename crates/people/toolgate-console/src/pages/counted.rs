//! The list of calls behind a number: the filters with which it has exactly the calls that were counted.

use maud::{Markup, html};
use toolgate_core::event::Outcome;

use crate::address::PageAddress;
use crate::parts::number;

/// Any outcome. A call under way is counted nowhere.
pub(crate) const ENDED: &[Outcome] = &[];
pub(crate) const SUCCEEDED: &[Outcome] = &[Outcome::Succeeded, Outcome::Accepted, Outcome::Joined];
/// The tool failed, no answer came, or it is not known.
pub(crate) const FAILED: &[Outcome] = &[Outcome::ToolError, Outcome::Failed, Outcome::Unknown];
/// Nothing was sent.
pub(crate) const REFUSED: &[Outcome] = &[
    Outcome::Denied,
    Outcome::Rejected,
    Outcome::ChangesRequested,
    Outcome::Invalid,
    Outcome::Expired,
    Outcome::Refused,
];
/// Policy, a filter or a person said no: a part of what was refused.
pub(crate) const DENIED: &[Outcome] = &[Outcome::Denied, Outcome::Rejected, Outcome::ChangesRequested];
/// Cancelled, or waiting.
pub(crate) const OTHER: &[Outcome] =
    &[Outcome::Cancelled, Outcome::PendingApproval, Outcome::PendingInput, Outcome::InputRequired];

/// The calls that ended with one of these outcomes, from a moment until another, or until now.
pub(crate) fn calls(outcomes: &[Outcome], from: &str, until: Option<&str>) -> PageAddress {
    let words: Vec<&str> = outcomes.iter().map(|outcome| outcome.as_str()).collect();
    PageAddress::of(["console", "calls"])
        .with("state", "ended")
        .maybe("outcome", Some(&words.join(",")))
        .maybe("from", Some(&brief(from)))
        .maybe("until", until.map(brief).as_deref())
}

/// A number, as a link to what it counts.
pub(crate) fn shown(count: u64, list: impl Into<Option<PageAddress>>) -> Markup {
    let list: Option<PageAddress> = list.into();
    html! {
        @match list.filter(|_| count > 0) {
            Some(list) => a href=(list) { (number(count)) },
            None => (number(count)),
        }
    }
}

/// Without its fraction of a second, as the filters of lists take it.
pub(crate) fn brief(moment: &str) -> String {
    moment.get(..19).map_or_else(|| moment.to_owned(), |whole| format!("{whole}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_counted_once() {
        for outcome in Outcome::ALL {
            let sums = [SUCCEEDED, FAILED, REFUSED, OTHER];
            assert_eq!(sums.iter().filter(|some| some.contains(outcome)).count(), 1, "{outcome:?}");
        }
        assert!(DENIED.iter().all(|outcome| REFUSED.contains(outcome)));
    }

    #[test]
    fn a_number_leads_to_what_it_counts() {
        let list = calls(&[Outcome::Failed, Outcome::Unknown], "2026-08-01T12:34:00.000Z", None);
        let address = "/console/calls?state=ended&outcome=failed%2Cunknown&from=2026-08-01T12%3A34%3A00Z";
        assert_eq!(list.as_str(), address);
        assert!(shown(2, list.clone()).into_string().contains(">2</a>"));
        assert_eq!(shown(0, list).into_string(), "0");
        assert_eq!(shown(2, None::<PageAddress>).into_string(), "2");
    }
}
