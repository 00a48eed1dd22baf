//! The ledger: events by any filter, the verification of the chain, and the export.

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
use crate::layout::{ConsolePage, csrf};
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, json, links, number, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

const PAGE: usize = 50;
/// The number of damaged files that are shown.
const ARCHIVE_FAULTS_MAX: usize = 20;
const PLACE: [&str; 2] = ["console", "ledger"];
/// The filters of the list.
const FILTERS: [&str; 11] =
    ["kind", "call", "tool", "server", "principal", "session", "run", "outcome", "decision", "from", "until"];
const FORMATS: [(&str, &str); 2] = [("jsonl", "JSONL"), ("cloudevents", "CloudEvents")];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/ledger", get(list))
        .route("/console/ledger/verify", post(verify).get(async || Redirect::to("/console/ledger")))
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

#[derive(Deserialize)]
struct LedgerSummaryData {
    events: u64,
    #[serde(default)]
    verified: Option<VerificationData>,
}

/// The result of a verification.
#[derive(Deserialize)]
struct VerificationData {
    /// The time, if it was not just now.
    #[serde(default)]
    at: Option<String>,
    intact: bool,
    events: u64,
    #[serde(default)]
    fault: Option<LedgerFaultData>,
    #[serde(default)]
    archive: Option<ArchiveVerificationData>,
}

impl VerificationData {
    /// True if nothing is wrong, or only with the archive.
    fn is_chain_intact(&self) -> bool {
        let has_archive_faults = self.archive.as_ref().is_some_and(|archive| !archive.faults.is_empty());
        self.intact || (self.fault.is_none() && has_archive_faults)
    }
}

/// The result for the archive, where there is one.
#[derive(Deserialize)]
struct ArchiveVerificationData {
    segments: u64,
    events: u64,
    faults: Vec<ArchiveFaultData>,
}

/// A damaged or missing file of the archive.
#[derive(Deserialize)]
struct ArchiveFaultData {
    message: String,
    hint: String,
}

/// The first event that differs from what was written.
#[derive(Deserialize)]
struct LedgerFaultData {
    stream: String,
    number: i64,
    what: String,
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
        (parts::heading(html! { "Ledger" }, exports(wanted)))
        (chain(visit, wanted, overview.ledger.as_ref(), found.as_ref()))
        (form(wanted, refused.as_deref()))
        section #events data-live=(live()) aria-label="Events" {
            @if page.events.is_empty() { (nothing(wanted, refused.is_some())) } @else { (table(visit, &page.events)) }
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

fn exports(wanted: &PageFilters) -> Markup {
    html! {
        @for (format, name) in FORMATS {
            @let address = wanted.on(PageAddress::of(["console", "ledger", "export"])).with("format", format);
            a.button href=(address) download { "Export " (name) }
        }
    }
}

/// The state of the chain, as of the last verification.
fn chain(
    visit: &PageVisit,
    wanted: &PageFilters,
    ledger: Option<&LedgerSummaryData>,
    found: Option<&VerificationData>,
) -> Markup {
    let last = found.or(ledger.and_then(|ledger| ledger.verified.as_ref()));
    html! {
        section.card #chain aria-labelledby="chain-title" {
            h2 #chain-title { "Chain" }
            div.row {
                div.grow role="status" {
                    @match last {
                        Some(found) => { (verdict(visit, found)) (archive_verdict(found)) },
                        None => p { "Every event holds the hash of the one before it. The chain has not been verified since this gateway started." },
                    }
                    @if let Some(ledger) = ledger { p.help { (number(ledger.events)) " events in all." } }
                }
                form method="post" action="/console/ledger/verify" {
                    (csrf(visit))
                    @for name in FILTERS { @if let Some(value) = wanted.get(name) { input type="hidden" name=(name) value=(value); } }
                    button.button type="submit" { "Verify the whole chain" }
                }
            }
        }
    }
}

fn verdict(visit: &PageVisit, found: &VerificationData) -> Markup {
    let when = html! { @match &found.at { Some(at) => (ago(visit, at)), None => "just now" } };
    match &found.fault {
        _ if found.is_chain_intact() => html! {
            p { (parts::badge("intact", BadgeTone::Good)) " All " (number(found.events)) " events were intact, " (when) "." }
        },
        Some(fault) => html! {
            p { (parts::badge("not intact", BadgeTone::Bad)) " Found " (when) ":" }
            p.error { (said(fault)) }
            p.help { (advice(fault)) }
        },
        None => {
            html! { p { (parts::badge("not intact", BadgeTone::Bad)) " Found " (when) "; verify again to see where." } }
        }
    }
}

/// The files of the archive that are damaged or missing.
fn archive_verdict(found: &VerificationData) -> Markup {
    let Some(archive) = &found.archive else { return html! {} };
    html! {
        @if archive.faults.is_empty() {
            p { "In the archive, all " (number(archive.events)) " events in " (number(archive.segments)) " segments were intact." }
        }
        @for fault in archive.faults.iter().take(ARCHIVE_FAULTS_MAX) {
            p.error { (text::long(&fault.message)) }
            p.help { (text::long(&fault.hint)) }
        }
    }
}

fn advice(fault: &LedgerFaultData) -> &'static str {
    match fault.what.as_str() {
        "edited" | "dropped" | "reordered" | "inserted" | "block_forged" => {
            "Everything before it in its stream is intact. Compare the rest with an export or a backup."
        }
        "body_edited" | "body_missing" | "body_forged" => {
            "The events are intact. Compare the bodies with a backup."
        }
        _ => "Compare the whole ledger with an export or a backup.",
    }
}

fn said(fault: &LedgerFaultData) -> Markup {
    let what = match fault.what.as_str() {
        "edited" => "it was changed after it was written",
        "dropped" => "it is missing",
        "reordered" => "it is out of order",
        "inserted" => "it was not written by a gateway",
        "head_forged" => "the sealed end of its stream is missing or forged",
        "block_forged" => "the entry of its block is missing or forged",
        "body_edited" => "its arguments or its result were changed after it was written",
        "body_missing" => "its arguments or its result are missing",
        "cut_forged" => "the record of the removed beginning of its stream is forged",
        "body_forged" => {
            return html! { "A stored body is not the one that it is stored as, and no event names it." };
        }
        other => other,
    };
    html! {
        "Event " (fault.number) " of stream " (text::short(&fault.stream))
        ": " (text::short(what)) "."
    }
}

fn form(wanted: &PageFilters, refused: Option<&ApiProblem>) -> Markup {
    let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
    let decisions: Vec<&str> = DecisionKind::ALL.iter().map(|decision| decision.as_str()).collect();
    html! {
        form.card method="get" action="/console/ledger" aria-label="Filter events" {
            (filters::refused(refused))
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

fn nothing(wanted: &PageFilters, is_refused: bool) -> Markup {
    match () {
        () if is_refused => html! {},
        () if wanted.is_anything() => parts::empty(
            "Nothing has been recorded yet.",
            html! { p { "Calls, decisions, approvals, runs, sessions and changes of settings all appear here. "
            a href="/console/tools" { "Try a tool" } " to record the first event." } },
        ),
        () => parts::empty(
            "No event matches this filter.",
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

fn about(event: &Value) -> Markup {
    let word = |name: &str| event[name].as_str();
    let ids = ["call", "approval", "run", "session"].into_iter().filter_map(word);
    html! {
        @if let Some(tool) = word("tool") { div { (links::tool(tool)) } }
        @else if let Some(server) = word("server") { div { (links::server(server)) } }
        @for id in ids.take(2) { div.help { (links::brief(id)) } }
        @match (word("kind"), event["detail"]["file"].as_str(), event["detail"]["digest"].as_str()) {
            (_, Some(file), _) => div.help { (links::brief(file)) },
            (Some("artifact.stored"), _, Some(digest)) => div.help { (links::artifact(digest)) },
            _ => {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_plainly() {
        let fault = LedgerFaultData { stream: "gate-1".into(), number: 7, what: "dropped".into() };
        let shown = said(&fault).into_string();
        assert!(shown.starts_with("Event 7 of stream <bdi>gate-1</bdi>: "), "{shown}");
        assert!(shown.contains("it is missing"), "{shown}");
    }

    #[test]
    fn the_list_is_refreshed_by_the_first_words_of_kinds() {
        let live = live();
        let words: Vec<&str> = live.split(' ').collect();
        assert!(words.contains(&"tool") && words.contains(&"approval"), "{live}");
        assert!(words.is_sorted() && !live.contains('.'), "{live}");
    }
}
