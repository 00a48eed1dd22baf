//! The tabs of the settings, and the notices that they share.

use maud::{Markup, html};

use crate::parts::{self, text};
use crate::problem::ApiProblem;

/// The page that shows failed actions, and the target when such a page is opened again.
pub(super) const TOKENS: &str = "/console/settings/tokens";

pub(super) const CREDENTIALS: &str = "/console/settings/credentials";

pub(super) const WEBHOOKS: &str = "/console/settings/webhooks";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Servers,
    Tokens,
    Secrets,
    Credentials,
    Webhooks,
    Retention,
    Quotas,
    Aliases,
    Tools,
    Me,
}

const SIDES: [(Side, &str, &str); 10] = [
    (Side::Servers, "Servers", "/console/settings"),
    (Side::Tokens, "Tokens", TOKENS),
    (Side::Secrets, "Secrets", "/console/settings/secrets"),
    (Side::Credentials, "Credentials", CREDENTIALS),
    (Side::Webhooks, "Webhooks", WEBHOOKS),
    (Side::Retention, "Retention", "/console/settings/retention"),
    (Side::Quotas, "Quotas", "/console/settings/quotas"),
    (Side::Aliases, "Aliases", "/console/settings/aliases"),
    (Side::Tools, "Changes to tools", "/console/settings/tools"),
    (Side::Me, "Me", "/console/settings/me"),
];

/// The top of every tab.
pub(super) fn head(here: Side) -> Markup {
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
pub(super) fn refused(problem: &ApiProblem) -> Markup {
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
pub(super) fn for_others(roles: &str, what: &str) -> Markup {
    html! { p.notice { "Your role may not " (what) ". A token with the role " (roles) " may." } }
}
