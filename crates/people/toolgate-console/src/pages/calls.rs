//! Calls: all of them by any filter, and one from its proposal to its result.

mod data;
mod detail;
mod outcome;
mod steps;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use toolgate_core::event::{DecisionKind, Outcome};

use super::filters::{self, PageFilters};
use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::{ago, span};
use crate::parts::{self, links, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;
use data::CallData;

const PAGE: usize = 50;
const PLACE: [&str; 2] = ["console", "calls"];
/// The filters of the list, in the order of the form.
const FILTERS: [&str; 11] =
    ["state", "outcome", "decision", "tool", "server", "principal", "session", "run", "id", "from", "until"];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/calls", get(list)).route("/console/calls/{id}", get(detail::show))
}

#[derive(Default, Deserialize)]
struct CallsData {
    calls: Vec<CallData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

async fn list(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let wanted = PageFilters::of(pairs, &FILTERS);
    let (page, refused) = match visit.get::<CallsData>(wanted.asking(PageAddress::of(["calls"]), PAGE)).await
    {
        Ok(page) => (page, None),
        // The form stays, so that it can be mended.
        Err(problem) if problem.is(StatusCode::BAD_REQUEST) => (CallsData::default(), Some(problem)),
        Err(problem) => return Err(problem),
    };
    let next =
        page.next_cursor.as_deref().map(|cursor| wanted.on(PageAddress::of(PLACE)).with("cursor", cursor));
    let body = html! {
        (parts::heading(html! { "Calls" }, html! {}))
        (form(&wanted, refused.as_deref()))
        section #calls data-live="tool.call approval" aria-label="Calls" {
            @if page.calls.is_empty() { (nothing(&wanted, refused.is_some(), next.is_some())) } @else { (table(&visit, &page.calls)) }
            (parts::next_page(next))
        }
    };
    Ok(visit.page("Calls", ConsolePage::Calls, body).await)
}

fn form(wanted: &PageFilters, refused: Option<&ApiProblem>) -> Markup {
    let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
    let decisions: Vec<&str> = DecisionKind::ALL.iter().map(|decision| decision.as_str()).collect();
    html! {
        form.card method="get" action="/console/calls" aria-label="Filter calls" {
            (filters::refused(refused))
            div.filters.two {
                (filters::text(wanted, "tool", "Tool", "files:read"))
                (filters::choice(wanted, "state", "State", &["waiting", "running", "ended"]))
                (filters::choice(wanted, "outcome", "Outcome", &outcomes))
                (filters::choice(wanted, "decision", "Policy decision", &decisions))
                (filters::text(wanted, "server", "Server", ""))
                (filters::text(wanted, "principal", "Principal", ""))
                (filters::text(wanted, "id", "Any id", "tc_, apr_, ses_, run_"))
            }
            (filters::more(wanted, &["session", "run", "from", "until"], html! {
                (filters::text(wanted, "session", "Session", "ses_…"))
                (filters::text(wanted, "run", "Run", "run_…"))
                (filters::moment(wanted, "from", "From, in UTC"))
                (filters::moment(wanted, "until", "Until, in UTC"))
            }))
            (filters::buttons(wanted, "/console/calls"))
        }
    }
}

fn nothing(wanted: &PageFilters, is_refused: bool, has_next: bool) -> Markup {
    let all = html! { p { a href="/console/calls" { "Show all calls" } } };
    match () {
        () if is_refused => html! {},
        () if has_next => {
            html! { p.help { "No match in the calls searched so far; older calls may match." } }
        }
        () if wanted.is_anything() => parts::empty(
            "No tool has been called yet.",
            html! {
                p { "Every call appears here with its policy decision, its approvals and its outcome." }
                p { "Connect an agent with " code { "toolgate connect" } ", or "
                    a href="/console/tools" { "try a tool yourself" } "." }
            },
        ),
        () => parts::empty("No call matches this filter.", all),
    }
}

fn table(visit: &PageVisit, calls: &[CallData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Tool" } th scope="col" { "State" } th scope="col" { "Policy" } th scope="col" { "Principal" }
                th scope="col" { "Where" } th scope="col" { "Started" } th.number scope="col" { "Duration" }
            } }
            tbody { @for call in calls { (row(visit, call)) } }
        }
    }
}

fn row(visit: &PageVisit, call: &CallData) -> Markup {
    html! {
        tr data-entry=(call.id) {
            td data-name="Tool" {
                a.tool href=(PageAddress::of(["console", "calls", &call.id])) { (text::short(call.tool.as_deref().unwrap_or("no tool"))) }
                div.help.id title=(call.id) { (links::brief_text(&call.id)) }
            }
            td data-name="State" { (outcome::badge(&call.state)) }
            td data-name="Policy" {
                @if let Some(decision) = &call.decision { (outcome::decision(decision)) } @else { span.soft { "not asked" } }
            }
            td data-name="Principal" { (links::principal(&call.principal)) }
            td data-name="Where" {
                @if let Some(run) = &call.run { (links::brief(run)) }
                @else if let Some(session) = &call.session { (links::brief(session)) }
            }
            td data-name="Started" { (ago(visit, &call.started_at)) }
            td.number data-name="Duration" { @if let Some(ms) = call.duration_ms { (span(ms.round() as i64)) } @else { span.soft { "–" } } }
        }
    }
}
