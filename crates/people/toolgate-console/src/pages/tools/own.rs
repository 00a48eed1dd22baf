//! A tool of the gateway itself: no server offers it, so there is nothing to review, and nothing that could
//! drift.

use maud::{Markup, html};
use toolgate_core::platform::OWN_SERVER;

use crate::parts::{self, BadgeTone, text};

/// Policy and ledger know them by names that begin with the gateway's own.
pub(super) fn is_own(name: &str) -> bool {
    name.strip_prefix(OWN_SERVER).is_some_and(|rest| rest.starts_with('.'))
}

pub(super) fn page(name: &str, calls: &Markup) -> Markup {
    html! {
        (parts::heading(html! { (text::short(name)) " " (parts::badge("built in", BadgeTone::Plain)) }, html! {}))
        section.card {
            h2 { "A tool of the gateway itself" }
            p { "No server offers it. Sessions of a run get the tools that ask people, store artifacts and end the run. Sessions that see tools for files get the tools that transfer files. Such a session's list shows what agents read." }
            p { a.button href="/console/sessions" { "Sessions" } " " a.button href="/docs" { "Documentation" } }
        }
        (calls)
    }
}
