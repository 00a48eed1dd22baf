//! The ledger: events by any filter, the verification of the chain, and the export.

mod chain;
mod checkpoints;

use std::collections::BTreeSet;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::event::{DecisionKind, EventKind, Outcome};

use super::filters::{self, PageFilters};
use crate::PageContext;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, json, links, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;
use chain::{LedgerSummaryData, VerificationData, chain};

const PAGE: usize = 50;
const PLACE: [&str; 2] = ["console", "ledger"];
/// The filters of the list.
const FILTERS: [&str; 12] = [
    "kind",
    "call",
    "tool",
    "server",
    "principal",
    "session",
    "run",
    "outcome",
    "decision",
    "from",
    "until",
    SOURCE,
];
/// The place that is read, and its word for the archive.
const SOURCE: &str = "source";
const ARCHIVE: &str = "archive";
const FORMATS: [(&str, &str); 2] = [("jsonl", "JSONL"), ("cloudevents", "CloudEvents")];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/ledger", get(list))
        .route("/console/ledger/verify", post(verify).get(async || Redirect::to("/console/ledger")))
        .route("/console/ledger/checkpoints", get(checkpoints::show))
        .route("/console/ledger/export", get(export))
}

#[derive(Default, Deserialize)]
struct LedgerPageData {
    events: Vec<Value>,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct LedgerOverviewData {
    #[serde(default)]
    ledger: Option<LedgerSummaryData>,
}

async fn list(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    show(&visit, &PageFilters::of(pairs, &FILTERS), None).await
}

/// Verifies the whole chain, which takes a while on a long one; so it runs on request and not on every view.
async fn verify(visit: PageVisit, State(_): State<PageContext>, fields: FormFields) -> PageResult<Response> {
    let pairs = fields.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let found: VerificationData = visit.get(PageAddress::of(["ledger", "verify"])).await?;
    show(&visit, &PageFilters::of(pairs, &FILTERS), Some(found)).await
}

/// The API's own export, to save.
async fn export(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let format = pairs.iter().find(|(name, _)| name == "format").map(|(_, format)| format.as_str());
    let format = FORMATS.iter().find(|(known, _)| Some(*known) == format).map_or("jsonl", |(known, _)| known);
    let address = PageAddress::of(["ledger", "export"]).with("format", format);
    let address = PageFilters::of(pairs.clone(), &FILTERS).for_api(address);
    visit.pass_on(address, HeaderMap::new()).await
}

async fn show(
    visit: &PageVisit,
    wanted: &PageFilters,
    found: Option<VerificationData>,
) -> PageResult<Response> {
    let (page, refused) =
        match visit.get::<LedgerPageData>(wanted.asking(PageAddress::of(["ledger"]), PAGE)).await {
            Ok(page) => (page, None),
            // The form stays, so that it can be mended.
            Err(problem) if problem.is(StatusCode::BAD_REQUEST) => (LedgerPageData::default(), Some(problem)),
            Err(problem) => return Err(problem),
        };
    let overview: LedgerOverviewData = visit.get(PageAddress::of(["overview"])).await?;
    let next =
        page.next_cursor.as_deref().map(|cursor| wanted.on(PageAddress::of(PLACE)).with("cursor", cursor));
    let body = html! {
        (parts::heading(html! { "Ledger" }, html! {
            a.button href="/console/ledger/checkpoints" { "Checkpoints" }
            (places(wanted, overview.ledger.as_ref())) (exports(wanted))
        }))
        (chain(visit, &hidden(wanted, &FILTERS), overview.ledger.as_ref(), found.as_ref()))
        (form(wanted, refused.as_deref()))
        section #events data-live=[(!is_archive(wanted)).then(live)] aria-label="Events" {
            @if page.events.is_empty() { (nothing(wanted, refused.is_some(), next.is_some())) } @else { (table(visit, &page.events)) }
            (parts::next_page(next))
        }
    };
    Ok(visit.page("Ledger", ConsolePage::Ledger, body).await)
}

/// The first words of all kinds of events: each of them refreshes the list.
fn live() -> String {
    let first = |kind: &EventKind| kind.as_str().split('.').next().unwrap_or_default();
    let words: BTreeSet<&str> = EventKind::ALL.iter().map(first).collect();
    Vec::from_iter(words).join(" ")
}

/// True if days are shown that the archive has.
fn is_archive(wanted: &PageFilters) -> bool {
    wanted.get(SOURCE) == Some(ARCHIVE)
}

/// The way to the archived days and back, where there are any.
fn places(wanted: &PageFilters, ledger: Option<&LedgerSummaryData>) -> Markup {
    let has_archive = ledger.is_some_and(|ledger| ledger.archive);
    html! {
        @if is_archive(wanted) { a.button href=(PageAddress::of(PLACE)) { "Days in the database" } }
        @else if has_archive {
            a.button href=(wanted.on(PageAddress::of(PLACE)).with(SOURCE, ARCHIVE)) { "Archived days" }
        }
    }
}

/// Filters that go along with a form.
fn hidden(wanted: &PageFilters, names: &[&str]) -> Markup {
    html! { @for name in names { @if let Some(value) = wanted.get(name) { input type="hidden" name=(name) value=(value); } } }
}

fn exports(wanted: &PageFilters) -> Markup {
    html! {
        @for (format, name) in FORMATS {
            @let address = wanted.on(PageAddress::of(["console", "ledger", "export"])).with("format", format);
            a.button href=(address) download { "Export " (name) }
        }
    }
}

fn form(wanted: &PageFilters, refused: Option<&ApiProblem>) -> Markup {
    let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
    let decisions: Vec<&str> = DecisionKind::ALL.iter().map(|decision| decision.as_str()).collect();
    html! {
        form.card method="get" action="/console/ledger" aria-label="Filter events" {
            (filters::refused(refused))
            (hidden(wanted, &[SOURCE]))
            div.filters.two {
                (filters::choice(wanted, "kind", "Kind", &kinds))
                (filters::text(wanted, "principal", "Principal", ""))
                (filters::text(wanted, "tool", "Tool", "files:read"))
                (filters::text(wanted, "call", "Call", "tc_…"))
                (filters::moment(wanted, "from", "From, in UTC"))
                (filters::moment(wanted, "until", "Until, in UTC"))
            }
            (filters::more(wanted, &["server", "session", "run", "outcome", "decision"], html! {
                (filters::text(wanted, "server", "Server", ""))
                (filters::text(wanted, "session", "Session", "ses_…"))
                (filters::text(wanted, "run", "Run", "run_…"))
                (filters::choice(wanted, "outcome", "Outcome", &outcomes))
                (filters::choice(wanted, "decision", "Policy decision", &decisions))
            }))
            (filters::buttons(wanted, "/console/ledger"))
        }
    }
}

fn nothing(wanted: &PageFilters, is_refused: bool, has_next: bool) -> Markup {
    match () {
        () if is_refused => html! {},
        () if has_next => {
            html! { p.help { "No match in the days searched so far; older days may match." } }
        }
        () if wanted.is_anything() => parts::empty(
            "Nothing has been recorded yet.",
            html! { p { "Calls, decisions, approvals, runs, sessions and changes of settings all appear here. "
            a href="/console/tools" { "Try a tool" } " to record the first event." } },
        ),
        () => parts::empty(
            if is_archive(wanted) {
                "The archive has no such event."
            } else {
                "No event matches this filter."
            },
            html! { p { a href="/console/ledger" { "Show all events" } } },
        ),
    }
}

fn table(visit: &PageVisit, events: &[Value]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th.number scope="col" { "Number" } th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Principal" }
                th scope="col" { "About" } th scope="col" { "Event" }
            } }
            tbody { @for event in events { (row(visit, event)) } }
        }
    }
}

fn row(visit: &PageVisit, event: &Value) -> Markup {
    let word = |name: &str| event[name].as_str();
    let (stream, number) = (word("stream").unwrap_or_default(), event["number"].as_i64().unwrap_or_default());
    html! {
        tr data-entry={ (stream) "/" (number) } {
            td.number data-name="Number" { (number) }
            td data-name="When" { (ago(visit, word("at").unwrap_or_default())) }
            td data-name="What" {
                code { (text::short(word("kind").unwrap_or_default())) }
                @for name in ["decision", "outcome"] { @if let Some(value) = word(name) { " " (parts::state(value)) } }
            }
            td data-name="Principal" { (links::principal(word("principal").unwrap_or_default())) }
            td data-name="About" { (about(event)) }
            td data-name="Event" { (json::raw(event)) }
        }
    }
}

/// Members of an event that name what the platform keeps.
const KEPT: [&str; 4] = ["pointer", "schema", "knowledge_base", "claim"];

fn about(event: &Value) -> Markup {
    let word = |name: &str| event[name].as_str();
    let ids = ["call", "approval", "run", "session"].into_iter().filter_map(word);
    let kept = KEPT.iter().filter_map(|name| event["detail"][*name].as_str());
    html! {
        @if let Some(tool) = word("tool") { div { (links::tool(tool)) } }
        @else if let Some(server) = word("server") { div { (links::server(server)) } }
        @for id in kept { div { (links::brief(id)) } }
        @for id in ids.take(2) { div.help { (links::brief(id)) } }
        @match (word("kind"), event["detail"]["file"].as_str(), event["detail"]["digest"].as_str()) {
            (_, Some(file), _) => div.help { (links::brief(file)) },
            (Some("artifact.stored"), _, Some(digest)) => div.help { (links::artifact(digest)) },
            (Some("manifest.created"), _, _) => div.help { (links::manifest(event["detail"]["manifest"].as_str().unwrap_or_default())) },
            _ => {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_refreshed_by_the_first_words_of_kinds() {
        let live = live();
        let words: Vec<&str> = live.split(' ').collect();
        assert!(words.contains(&"tool") && words.contains(&"approval"), "{live}");
        assert!(words.is_sorted() && !live.contains('.'), "{live}");
    }
}
