//! The starts of an automation, and the starts that did not happen, each with what triggered it.

use maud::{Markup, html};
use serde::Deserialize;
use toolgate_core::moment::rfc3339;

use crate::parts::moment::{ago, at};
use crate::parts::{self, links, text};
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct FireData {
    cause: String,
    state: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    run: Option<String>,
    at: String,
}

impl FireData {
    /// True if it started a run, or is about to.
    pub(super) fn is_start(&self) -> bool {
        matches!(self.state.as_str(), "claimed" | "started" | "buffered")
    }

    /// The state, in the words of the page.
    fn badge(&self) -> Markup {
        match self.state.as_str() {
            "claimed" => parts::badge("starting", parts::BadgeTone::Waiting),
            "buffered" => parts::badge("waits for the previous run", parts::BadgeTone::Waiting),
            "started" => parts::badge("started", parts::BadgeTone::Good),
            state @ ("skipped" | "missed") => parts::badge(state, parts::BadgeTone::Waiting),
            state => parts::state(state),
        }
    }
}

/// Those that started a run.
pub(super) fn started(visit: &PageVisit, fires: &[&FireData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "When" } th scope="col" { "State" } th scope="col" { "Run" } th scope="col" { "Triggered by" } } }
            tbody {
                @for fire in fires {
                    tr data-entry=(fire.cause) {
                        td data-name="When" { (ago(visit, &fire.at)) }
                        td data-name="State" { (fire.badge()) @if let Some(reason) = &fire.reason { div.help { (text::short(reason)) } } }
                        td data-name="Run" { @if let Some(run) = &fire.run { (links::brief(run)) } @else { span.soft { "none yet" } } }
                        td data-name="Triggered by" { (cause(visit, &fire.cause)) }
                    }
                }
            }
        }
    }
}

/// Those that started nothing, with the reason.
pub(super) fn left_out(visit: &PageVisit, fires: &[&FireData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Recorded" } th scope="col" { "State" } th scope="col" { "Reason" } th scope="col" { "Triggered by" } } }
            tbody {
                @for fire in fires {
                    tr data-entry=(fire.cause) {
                        td data-name="Recorded" { (ago(visit, &fire.at)) }
                        td data-name="State" { (fire.badge()) }
                        td data-name="Reason" { @match &fire.reason { Some(reason) => (text::long(reason)), None => span.soft { "not recorded" } } }
                        td data-name="Triggered by" { (cause(visit, &fire.cause)) }
                    }
                }
            }
        }
    }
}

/// An instant, an event, a request or a run, as the store names it, in words.
fn cause(visit: &PageVisit, cause: &str) -> Markup {
    let instant = |text: &str| text.parse::<i64>().ok().map(rfc3339);
    if let Some(moment) = instant(cause) {
        return html! { "its time, " (at(visit, &moment)) };
    }
    if let Some((Some(from), Some(until))) =
        cause.split_once('-').map(|(from, until)| (instant(from), instant(until)))
    {
        return html! { "times from " (at(visit, &from)) " to " (at(visit, &until)) };
    }
    match cause.split_once(':') {
        Some(("event", place)) => event("an event", place),
        Some(("pointer", place)) => event("a new file", place),
        Some(("webhook", id)) => html! { "the request " (text::short(id)) },
        Some(("run", id)) => html! { "the end of " (links::brief(id)) },
        _ => text::short(cause),
    }
}

/// `stream/number`
fn event(what: &str, place: &str) -> Markup {
    html! {
        (what)
        @if let Some((stream, number)) = place.rsplit_once('/') { ": number " (text::short(number)) " of stream " (text::short(stream)) }
    }
}
