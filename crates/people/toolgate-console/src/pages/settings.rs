//! Settings: values that can be changed while the gateway runs, and the configuration. Nothing here can start
//! a command.

mod aliases;
mod kept;
mod me;
mod receivers;
mod secrets;
mod server_list;
mod servers;
mod tokens;
mod tool_changes;
mod value;

use axum::Router;
use axum::response::Redirect;
use axum::routing::{get, post};
use maud::{Markup, html};

use crate::Context;
use crate::parts::{self, text};
use crate::problem::Problem;

/// The page that shows failed actions, and the target when such a page is opened again.
const TOKENS: &str = "/console/settings/tokens";
const WEBHOOKS: &str = "/console/settings/webhooks";

pub(crate) fn routes() -> Router<Context> {
    Router::new()
        .route("/console/settings", get(servers::show).post(servers::change))
        .route(TOKENS, get(tokens::show).post(tokens::create))
        .route(
            "/console/settings/tokens/{id}/revoke",
            post(tokens::revoke).get(async || Redirect::to(TOKENS)),
        )
        .route(WEBHOOKS, get(receivers::show))
        .route(
            "/console/settings/webhooks/{name}/test",
            post(receivers::test).get(async || Redirect::to(WEBHOOKS)),
        )
        .route("/console/settings/retention", get(kept::show))
        .route("/console/settings/aliases", get(aliases::show).post(aliases::change))
        .route("/console/settings/tools", get(tool_changes::show).post(tool_changes::change))
        .route("/console/settings/secrets", get(secrets::show).post(secrets::change))
        .route("/console/settings/me", get(me::show))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Servers,
    Tokens,
    Secrets,
    Webhooks,
    Retention,
    Aliases,
    Tools,
    Me,
}

const SIDES: [(Side, &str, &str); 8] = [
    (Side::Servers, "Servers", "/console/settings"),
    (Side::Tokens, "Tokens", TOKENS),
    (Side::Secrets, "Secrets", "/console/settings/secrets"),
    (Side::Webhooks, "Webhooks", WEBHOOKS),
    (Side::Retention, "Retention", "/console/settings/retention"),
    (Side::Aliases, "Aliases", "/console/settings/aliases"),
    (Side::Tools, "Changes to tools", "/console/settings/tools"),
    (Side::Me, "Me", "/console/settings/me"),
];

/// The top of every tab.
fn head(here: Side) -> Markup {
    html! {
        (parts::heading(html! { "Settings" }, html! {}))
        nav aria-label="Settings" {
            ul.tabs {
                @for (side, name, address) in SIDES {
                    li { a href=(address) aria-current=[(side == here).then_some("page")] { (name) } }
                }
            }
        }
    }
}

/// The problem of a failed action, above its form.
fn refused(problem: &Problem) -> Markup {
    let faster = problem.status == 412;
    html! {
        section.card.error role="alert" {
            h2 { @if faster { "Changed by someone else" } @else { "Nothing was changed" } }
            @if faster {
                p { "Someone else changed this while you had it open. Below is the current state; repeat your change if it still makes sense." }
            } @else {
                p { (text::long(&problem.detail)) }
                @if let Some(hint) = problem.hint.as_deref().filter(|hint| !hint.is_empty()) { p.hint { strong { "Hint: " } (text::long(hint)) } }
            }
        }
    }
}

/// A note about actions that need another role.
fn for_others(roles: &str, what: &str) -> Markup {
    html! { p.notice { "Your role may not " (what) ". A token with the role " (roles) " may." } }
}
