//! Calls: all of them by any filter, and one from its proposal to its result.

mod columns;
mod counts;
mod data;
mod detail;
mod listing;
mod outcome;
mod period;
mod place;
mod steps;
mod views;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::{get, post};
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use toolgate_core::event::{DecisionKind, Outcome};

use super::filters::{self, PageFilters};
use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;
use counts::CallCountsData;
use data::CallsData;
use place::{FILTERS, PLACE};

const PAGE: usize = 50;
const FORMATS: [(&str, &str); 2] = [("csv", "CSV"), ("jsonl", "JSON lines")];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/calls", get(list))
        .route("/console/calls/export", get(export))
        .route("/console/calls/views", post(views::change).get(views::back))
        .route("/console/calls/{id}", get(detail::show))
        .route("/console/calls/{id}/proof", post(detail::prove).get(detail::back))
}

async fn list(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let wanted = PageFilters::of(pairs, &FILTERS);
    let since = period::since(&wanted, visit.now_ms);
    let asked = since.asking(PageAddress::of(["calls"]), PAGE);
    let (page, refused) = match visit.get::<CallsData>(asked).await {
        Ok(page) => (page, None),
        // The form stays, so that it can be mended.
        Err(problem) if problem.is(StatusCode::BAD_REQUEST) => (CallsData::default(), Some(problem)),
        Err(problem) => return Err(problem),
    };
    // A text that is nowhere would be searched for again.
    let is_nowhere = page.calls.is_empty() && wanted.get("q").is_some();
    let counts: Option<CallCountsData> = match refused.is_none() && wanted.is_first_page() && !is_nowhere {
        true => visit.find(since.for_api(PageAddress::of(["calls", "counts"]))).await?,
        false => None,
    };
    let views = views::saved(&visit).await?;
    let next =
        page.next_cursor.as_deref().map(|cursor| wanted.on(PageAddress::of(PLACE)).with("cursor", cursor));
    let body = html! {
        (parts::heading(html! { "Calls" }, exports(&wanted)))
        (views::listed(&visit, &wanted, &views))
        (form(&wanted, refused.as_deref()))
        (period::ranges(&visit, &wanted))
        @if let Some(counts) = &counts { (counts::shown(&wanted, counts)) }
        section #calls data-live="tool.call approval" aria-label="Calls" {
            @if page.calls.is_empty() { (nothing(&wanted, refused.is_some(), next.is_some())) }
            @else { (listing::table(&visit, &wanted, &page.calls)) }
            (parts::next_page(next))
        }
        (columns::choice(&wanted))
    };
    Ok(visit.page("Calls", ConsolePage::Calls, body).await)
}

/// The API's own export, to save.
async fn export(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let is_csv = pairs.iter().any(|(name, value)| name == "format" && value == "csv");
    let address = PageAddress::of(["calls", "export"]).with("format", if is_csv { "csv" } else { "jsonl" });
    let wanted = period::since(&PageFilters::of(pairs, &FILTERS), visit.now_ms);
    visit.pass_on(wanted.for_api(address), HeaderMap::new()).await
}

fn exports(wanted: &PageFilters) -> Markup {
    html! {
        @for (format, name) in FORMATS {
            a.button href=(wanted.on(PageAddress::of(["console", "calls", "export"])).with("format", format)) download { "Export " (name) }
        }
    }
}

fn form(wanted: &PageFilters, refused: Option<&ApiProblem>) -> Markup {
    let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
    let decisions: Vec<&str> = DecisionKind::ALL.iter().map(|decision| decision.as_str()).collect();
    let less = ["error", "session", "run", "id", "server", "principal", "decision", "from", "until"];
    html! {
        form.card method="get" action="/console/calls" aria-label="Filter calls" {
            (filters::refused(refused))
            @for column in wanted.all("column") { input type="hidden" name="column" value=(column); }
            @if wanted.get("from").is_none() && wanted.get("until").is_none() {
                @if let Some(range) = wanted.get("range") { input type="hidden" name="range" value=(range); }
            }
            div.field {
                label for="q" { "Search" }
                input type="search" #q name="q" value=[wanted.get("q")] maxlength="200" autocomplete="off" spellcheck="false" data-search
                    placeholder="tool, caller, arguments, error or any id";
            }
            div.filters.two {
                (filters::text(wanted, "tool", "Tool", "files:read"))
                (filters::choice(wanted, "state", "State", &["waiting", "running", "ended"]))
                (filters::choice(wanted, "outcome", "Outcome", &outcomes))
            }
            (filters::more(wanted, &less, html! {
                (filters::choice(wanted, "decision", "Policy decision", &decisions))
                (filters::text(wanted, "error", "Error code", "server_timeout"))
                (filters::text(wanted, "server", "Server", ""))
                (filters::text(wanted, "principal", "Principal", ""))
                (filters::text(wanted, "session", "Session", "ses_…"))
                (filters::text(wanted, "run", "Run", "run_…"))
                (filters::text(wanted, "id", "Any id", "tc_, apr_, ses_, run_"))
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
            html! { p.help { "None of the calls searched so far match. Older calls may match." } }
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
