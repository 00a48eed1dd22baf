//! Policy: the rules for calls, shown four ways.

mod explain;
mod explained;
mod in_force;
mod shadow;
mod table;

use axum::Router;
use axum::routing::get;
use maud::{Markup, html};

use crate::Context;
use crate::parts;

pub(crate) fn routes() -> Router<Context> {
    Router::new()
        .route("/console/policy", get(in_force::show))
        .route("/console/policy/table", get(table::show))
        .route("/console/policy/explain", get(explain::show).post(explain::answer))
        .route("/console/policy/shadow", get(shadow::show))
}

/// The ways to look at it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    InForce,
    Table,
    Explain,
    Shadow,
}

const SIDES: [(Side, &str, &str); 4] = [
    (Side::InForce, "In force", "/console/policy"),
    (Side::Table, "Decision table", "/console/policy/table"),
    (Side::Explain, "Explain a call", "/console/policy/explain"),
    (Side::Shadow, "Shadow mode", "/console/policy/shadow"),
];

/// The top of every tab.
fn head(here: Side) -> Markup {
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

/// The meaning of a level of care.
fn care(template: &str) -> &'static str {
    match template {
        "exploratory" => "no gates of its own",
        "standard" => "asks about promotions and external writes",
        "regulated" => "also asks about schema changes and decisions on claims",
        "audit_critical" => "asks about every write and every external action",
        _ => "",
    }
}
