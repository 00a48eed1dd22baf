//! The head of the inbox: its views, and the switch for notifications.

use maud::{Markup, html};

use super::ways::inbox;
use crate::parts;
use crate::visit::PageVisit;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Waiting,
    Decided,
    Answered,
}

pub(super) fn head(visit: &PageVisit, here: Tab) -> Markup {
    let tabs = [
        (Tab::Waiting, "Waiting", inbox()),
        (Tab::Decided, "Decided", inbox().with("show", "decided")),
        (Tab::Answered, "Answered questions", inbox().with("show", "answered")),
    ];
    let actions = html! {
        button.button type="button" data-notify hidden { "Notify me on this device" }
        @if visit.decides() || visit.operates() { a.button href="/console/grants" { "Grants" } }
    };
    html! {
        (parts::heading(html! { "Inbox" }, actions))
        nav aria-label="Views" {
            ul.tabs {
                @for (tab, name, address) in tabs {
                    li { a href=(address) aria-current=[(tab == here).then_some("page")] { (name) } }
                }
            }
        }
    }
}
