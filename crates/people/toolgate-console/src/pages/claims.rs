//! Claims: statements, the evidence for and against them, and what was decided.

mod data;
mod decisions;
mod detail;
mod evidence;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::ClaimData;

const PAGE: usize = 50;
const STATEMENT_CHARS: usize = 200;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/claims", get(list)).route("/console/claims/{id}", get(detail::show))
}

#[derive(Default, Deserialize)]
struct ClaimsPageQuery {
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default)]
    state: Option<String>,
}

#[derive(Deserialize)]
struct ClaimsData {
    claims: Vec<ClaimData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

async fn list(visit: PageVisit, Query(wanted): Query<ClaimsPageQuery>) -> PageResult<Response> {
    let state = wanted.state.as_deref().filter(|state| !state.is_empty());
    let asked = PageAddress::of(["claims"]).maybe("cursor", wanted.cursor.as_deref()).maybe("state", state);
    let page: ClaimsData = visit.get(asked.with("limit", PAGE)).await?;
    let next = page
        .next_cursor
        .as_deref()
        .map(|cursor| PageAddress::of(["console", "claims"]).with("cursor", cursor).maybe("state", state));
    let body = html! {
        (parts::heading(html! { "Claims" }, html! {}))
        p { "Claims are statements with evidence for and against them. The author of a claim cannot decide on it." }
        section #claims data-live="claim" aria-label="Claims" {
            @if page.claims.is_empty() { (nothing()) } @else { (table(&visit, &page.claims)) }
            (parts::next_page(next))
        }
    };
    Ok(visit.page("Claims", ConsolePage::Claims, body).await)
}

fn nothing() -> Markup {
    parts::empty(
        "There are no claims.",
        html! {
            p { "An agent or a person creates one with " code { "claim.create" } "; "
                a href="/docs/how-to/claims" { "Claims with evidence" } " says how." }
        },
    )
}

fn table(visit: &PageVisit, claims: &[ClaimData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Claim" } th scope="col" { "State" } th scope="col" { "Severity" }
                th scope="col" { "Evidence" } th scope="col" { "Author" } th scope="col" { "Created" }
            } }
            tbody { @for claim in claims { (row(visit, claim)) } }
        }
    }
}

fn row(visit: &PageVisit, claim: &ClaimData) -> Markup {
    let at = PageAddress::of(["console", "claims", &claim.id]);
    html! {
        tr data-entry=(claim.id) {
            td data-name="Claim" {
                a href=(at) { (text::cut(&claim.statement, STATEMENT_CHARS)) }
                div.help { (text::short(&claim.kind)) }
            }
            td data-name="State" { (claim.badge()) }
            td data-name="Severity" { (text::short(&claim.severity)) }
            td data-name="Evidence" { (parts::number(claim.evidence_count)) }
            td data-name="Author" { (links::principal(&claim.created_by)) }
            td data-name="Created" { (ago(visit, &claim.created_at)) }
        }
    }
}
