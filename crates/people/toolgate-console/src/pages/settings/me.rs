//! The user's own login: the identity, the rights, and the expiry.

use axum::response::Response;
use maud::{Markup, html};
use toolgate_core::Role;

use super::tabs::{Side, head};
use crate::layout::{ConsolePage, csrf};
use crate::parts::moment::ago_ms;
use crate::parts::{self, BadgeTone, text};
use crate::visit::PageVisit;

pub(super) async fn show(visit: PageVisit) -> Response {
    let body = html! {
        (head(Side::Me))
        section.card aria-labelledby="me-title" {
            h2 #me-title { "Your login" }
            (facts(&visit))
            form method="post" action="/console/logout" {
                (csrf(&visit))
                p { button.button type="submit" { "Log out" } }
            }
            form method="post" action="/console/logout/everywhere" {
                (csrf(&visit))
                p { button.button type="submit" { "Log out everywhere" } }
            }
            p.help { "The first button ends this login, the second ends all your logins on all devices. Someone who has your token can log in again; to prevent that, an admin revokes the token under "
                a href="/console/settings/tokens" { "Tokens" } "." }
        }
    };
    visit.page("Me", ConsolePage::Settings, body).await
}

fn facts(visit: &PageVisit) -> Markup {
    let principal = &visit.credential.principal;
    let agent = visit.credential.agent.as_ref();
    parts::facts([
        ("Principal", html! { (text::short(principal.id.as_str())) }),
        (
            "Role",
            html! { (parts::badge(principal.role.as_str(), BadgeTone::Plain)) " " (may(principal.role)) },
        ),
        ("Kind", html! { (principal.kind.as_str()) }),
        ("Groups", groups(&principal.groups)),
        (
            "Agent",
            html! { @match agent { Some(agent) => (text::short(agent.as_str())), None => span.soft { "not bound to one" } } },
        ),
        ("Logged in until", ago_ms(visit, visit.ends_at_ms)),
    ])
}

fn groups(groups: &[String]) -> Markup {
    html! {
        @if groups.is_empty() { span.soft { "none; gates that require a group do not count you" } }
        ul.chips { @for group in groups { li { (parts::badge(group, BadgeTone::Plain)) } } }
    }
}

fn may(role: Role) -> &'static str {
    match role {
        Role::Admin => "everything, including tokens",
        Role::Operator => {
            "runs the gateway: everything except tokens, approvals and putting policies in force"
        }
        Role::Approver => "decides on approvals",
        Role::Auditor => "reads what happened",
        Role::Agent => "calls tools",
        Role::Server => "registers itself",
    }
}
