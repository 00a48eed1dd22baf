//! Beside the list: how many of the calls have each outcome, error, tool, server and caller, as links that narrow it.

use maud::{Markup, html};
use serde::Deserialize;

use super::place::PLACE;
use crate::address::PageAddress;
use crate::pages::filters::PageFilters;
use crate::parts::{number, text};

/// Values of each kind that are shown.
const VALUES: usize = 6;
const VALUE_CHARS: usize = 60;

#[derive(Default, Deserialize)]
pub(super) struct CallCountsData {
    calls: u64,
    #[serde(default)]
    more: bool,
    #[serde(default)]
    tools: Vec<ValueCountData>,
    #[serde(default)]
    servers: Vec<ValueCountData>,
    #[serde(default)]
    principals: Vec<ValueCountData>,
    #[serde(default)]
    outcomes: Vec<ValueCountData>,
    #[serde(default)]
    errors: Vec<ValueCountData>,
}

#[derive(Deserialize)]
struct ValueCountData {
    value: String,
    calls: u64,
}

pub(super) fn shown(wanted: &PageFilters, counts: &CallCountsData) -> Markup {
    let kinds = [
        ("outcome", "Outcome", &counts.outcomes),
        ("error", "Error", &counts.errors),
        ("tool", "Tool", &counts.tools),
        ("server", "Server", &counts.servers),
        ("principal", "Principal", &counts.principals),
    ];
    html! {
        section.facets aria-label="Counts" {
            p.help {
                @if counts.more { "Counts of the latest " (number(counts.calls)) " matching calls." }
                @else if counts.calls == 1 { "1 call matches." }
                @else { (number(counts.calls)) " calls match." }
            }
            @if counts.calls > 0 {
                div.facets-grid {
                    @for (name, title, values) in kinds {
                        @if !values.is_empty() { (kind(wanted, name, title, values)) }
                    }
                }
            }
        }
    }
}

fn kind(wanted: &PageFilters, name: &'static str, title: &str, values: &[ValueCountData]) -> Markup {
    html! {
        div {
            h2 { (title) }
            ul {
                @for one in values.iter().take(VALUES) { (value(wanted, name, one)) }
                @if values.len() > VALUES { li.soft { "and " (values.len() - VALUES) " more" } }
            }
        }
    }
}

/// A link that filters by a value, or no longer does.
fn value(wanted: &PageFilters, name: &'static str, one: &ValueCountData) -> Markup {
    let is_on = wanted.get(name) == Some(&*one.value);
    let address = wanted.but(name, (!is_on).then_some(&*one.value)).on(PageAddress::of(PLACE));
    let shown = match (name, &*one.value) {
        ("outcome", "pending_approval") => "asked for approval".to_owned(),
        ("outcome", value) => value.replace('_', " "),
        (_, value) => value.to_owned(),
    };
    html! {
        li {
            a href=(address) aria-current=[is_on.then_some("true")] {
                span.value { (text::cut(&shown, VALUE_CHARS)) }
                span.calls { (number(one.calls)) span.unseen { " calls" } }
                @if is_on { span.off { "✕" span.unseen { " remove this filter" } } }
            }
        }
    }
}
