//! The tabs of the policy: the ways to look at it.

use maud::{Markup, html};

use crate::parts;

/// The ways to look at it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    InForce,
    Write,
    Table,
    Explain,
    Shadow,
}

const SIDES: [(Side, &str, &str); 5] = [
    (Side::InForce, "In force", "/console/policy"),
    (Side::Write, "Write", "/console/policy/write"),
    (Side::Table, "Decision table", "/console/policy/table"),
    (Side::Explain, "Explain a call", "/console/policy/explain"),
    (Side::Shadow, "Shadow mode", "/console/policy/shadow"),
];

/// The top of every tab.
pub(super) fn head(here: Side) -> Markup {
    html! {
        (parts::heading(html! { "Policy" }, html! { a.button href="/docs/how-to/write-a-policy" { "How to write a policy" } }))
        nav aria-label="Policy" {
            ul.tabs {
                @for (side, name, address) in SIDES {
                    li { a href=(address) aria-current=[(side == here).then_some("page")] { (name) } }
                }
            }
        }
    }
}
