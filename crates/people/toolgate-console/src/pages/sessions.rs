//! Sessions: the owner, the view and its reasons, the cost, and the exact list of each.

mod data;
mod detail;
mod explain;
pub(super) mod listing;
pub(super) mod price;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::catalogue::budget;
use crate::pages::filters::{self, PageFilters};
use crate::parts::{self, links, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{SessionData, SessionsData};

const ALL: &str = "/console/sessions";
const PAGE: usize = 50;
const FILTERS: [&str; 3] = ["agent", "principal", "state"];
const STATES: [&str; 3] = ["active", "idle", "closed"];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/sessions", get(list))
        .route("/console/sessions/{id}", get(detail::show))
        .route("/console/sessions/{id}/close", post(detail::close))
}

async fn list(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let wanted = PageFilters::of(pairs, &FILTERS);
    let asked: PageResult<SessionsData> = visit.get(wanted.asking(PageAddress::of(["sessions"]), PAGE)).await;
    let (found, problem) = match asked {
        Ok(found) => (Some(found), None),
        Err(problem) if problem.is(http::StatusCode::BAD_REQUEST) => (None, Some(problem)),
        Err(problem) => return Err(problem),
    };
    let body = html! {
        (parts::heading(html! { "Sessions" }, html! { a.button href="/console/agents" { "Agents" } }))
        form.card method="get" action=(ALL) role="search" {
            (filters::refused(problem.as_deref()))
            div.filters {
                (filters::text(&wanted, "agent", "Agent", ""))
                (filters::text(&wanted, "principal", "Principal", ""))
                (filters::choice(&wanted, "state", "State", &STATES))
                (filters::buttons(&wanted, ALL))
            }
        }
        @if let Some(found) = &found { (table(&visit, &wanted, found)) }
    };
    Ok(visit.page("Sessions", ConsolePage::Sessions, body).await)
}

fn table(visit: &PageVisit, wanted: &PageFilters, found: &SessionsData) -> Markup {
    let next = found
        .next_cursor
        .as_ref()
        .map(|cursor| wanted.on(PageAddress::of(["console", "sessions"])).with("cursor", cursor));
    html! {
        section #sessions data-live="session" {
            @if found.sessions.is_empty() { (nothing(wanted)) } @else {
                table.list {
                    thead {
                        tr {
                            th scope="col" { "Session" } th scope="col" { "State" } th scope="col" { "Agent" } th scope="col" { "Principal" }
                            th scope="col" { "List budget" } th scope="col" { "Opened" } th scope="col" { "Last used" }
                        }
                    }
                    tbody { @for session in &found.sessions { (row(visit, session)) } }
                }
                (parts::next_page(next))
            }
        }
    }
}

fn row(visit: &PageVisit, session: &SessionData) -> Markup {
    html! {
        tr data-entry=(session.id) {
            td data-name="Session" { div { (links::id(&session.id)) @if session.kind == "default" { div.help { "default" } } } }
            td data-name="State" { (parts::state(&session.state)) }
            td data-name="Agent" { a href=(PageAddress::of(["console", "agents", &session.agent])) { (text::short(&session.agent)) } }
            td data-name="Principal" { (links::principal(&session.principal)) }
            td data-name="List budget" { (budget(&session.token_budget)) }
            td data-name="Opened" { (moment::ago(visit, &session.created_at)) }
            td data-name="Last used" { (moment::ago(visit, &session.last_used_at)) }
        }
    }
}

fn nothing(wanted: &PageFilters) -> Markup {
    if !wanted.is_anything() {
        return parts::empty(
            "No session matches these filters.",
            html! { p { a.button href=(ALL) { "Show all sessions" } } },
        );
    }
    parts::empty(
        "There are no sessions yet.",
        html! { p { "A session starts when an agent connects: every token has a default session, and " code { "POST /sessions" } " opens others." } p { a.button href="/docs" { "Connect an agent" } } },
    )
}
