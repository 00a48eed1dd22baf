//! A tool of the gateway's own: no server offers it, so there is nothing to review, and nothing that could drift.

use maud::{Markup, html};
use toolgate_core::platform::OWN_SERVER;

use crate::parts::{self, Tone, text};

/// Policy and ledger know them by names that begin with the gateway's own.
pub(super) fn is_own(name: &str) -> bool {
    name.strip_prefix(OWN_SERVER).is_some_and(|rest| rest.starts_with('.'))
}

pub(super) fn page(name: &str, calls: &Markup) -> Markup {
    html! {
        (parts::heading(html! { (text::short(name)) " " (parts::badge("built in", Tone::Plain)) }, html! {}))
        section.card {
            h2 { "A tool of the gateway's own" }
            p { "No server offers it. Sessions that belong to a run have those that ask people, store artifacts and end the run; sessions that see tools for files have those that hand files over. The list of such a session shows what agents read of it." }
            p { a.button href="/console/sessions" { "Sessions" } " " a.button href="/docs" { "Documentation" } }
        }
        (calls)
    }
}
