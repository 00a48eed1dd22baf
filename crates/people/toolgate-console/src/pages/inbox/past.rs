//! The earlier calls on the page of an approval: the latest calls of the same run or session.

use maud::{Markup, html};

use super::data::CallBefore;
use crate::address::PageAddress;
use crate::parts::{self, allowed, moment, text};
use crate::visit::PageVisit;

pub(super) fn calls(
    visit: &PageVisit,
    calls: &[CallBefore],
    run: Option<&str>,
    session: Option<&str>,
) -> Markup {
    let place = if run.is_some() { "run" } else { "session" };
    html! {
        section.card aria-labelledby="before" {
            h2 #before { "Earlier calls" }
            @if calls.is_empty() {
                p.soft { "This is the first call of this " (place) "." }
            } @else {
                p.soft { "The latest calls of the same " (place) ", newest first." }
                ol.before {
                    @for call in calls { (one(visit, call)) }
                }
            }
            @if visit.audits() { (whole(run, session)) }
        }
    }
}

fn one(visit: &PageVisit, call: &CallBefore) -> Markup {
    html! {
        li {
            @match &call.tool {
                Some(name) if visit.audits() => a href=(PageAddress::of(["console", "calls", &call.id])) { (text::short(name)) },
                Some(name) => (text::short(name)),
                None => (allowed::id(visit, &call.id)),
            }
            " " (parts::state(&call.state)) " "
            span.soft { (moment::ago(visit, &call.started_at)) }
        }
    }
}

fn whole(run: Option<&str>, session: Option<&str>) -> Markup {
    html! {
        @match (run, session) {
            (Some(run), _) => p { a href=(PageAddress::of(["console", "runs", run])) { "The whole run" } },
            (None, Some(session)) => p { a href=(PageAddress::of(["console", "calls"]).with("session", session)) { "All calls of the session" } },
            (None, None) => {},
        }
    }
}
