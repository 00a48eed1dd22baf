//! A citation in its document: the page as a picture with the cited lines marked, and the text around the passage. It works without a script.

mod data;
mod passage;
mod picture;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

pub(super) use data::CitationData;

/// Characters of the quotation at the top; the text below has all of it.
const QUOTE_CHARS: usize = 2_000;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/citations", get(show))
}

/// All of them are checked by the API.
#[derive(Deserialize)]
struct CitationAddress {
    #[serde(default)]
    artifact: String,
    #[serde(default)]
    docir: String,
    #[serde(default)]
    item: String,
    #[serde(default)]
    start: String,
    #[serde(default)]
    end: String,
}

/// The pages with the cited lines marked, or the text where there are no pages.
pub(super) fn sight(citation: &CitationData) -> Markup {
    html! {
        @for page in &citation.pages { (picture::marked(&citation.artifact, page)) }
        @if citation.pages.is_empty() { (passage::marked(citation)) }
    }
}

async fn show(visit: PageVisit, Query(asked): Query<CitationAddress>) -> PageResult<Response> {
    let address = PageAddress::of(["citations"])
        .with("artifact", &asked.artifact)
        .with("docir", &asked.docir)
        .with("item", &asked.item)
        .with("start", &asked.start)
        .with("end", &asked.end);
    let citation: CitationData = visit.get(address).await?;
    let name = citation.title.as_deref().unwrap_or("a document");
    let facts = parts::facts([
        ("Document", links::artifact(&citation.artifact)),
        ("Item", text::short(&citation.item)),
        ("Characters", html! { (citation.start) " to " (citation.end) }),
        ("Parsed form", parts::copyable(&citation.docir)),
    ]);
    let body = html! {
        (parts::heading(html! { "Cited from " (text::short(name)) }, html! {}))
        div.split {
            section.card aria-labelledby="passage-title" {
                h2 #passage-title { "Passage" }
                blockquote.cited { (text::cut(&citation.exact, QUOTE_CHARS)) }
                (sight(&citation))
                @if !citation.pages.is_empty() { details { summary { "As text" } (passage::marked(&citation)) } }
            }
            section.card aria-labelledby="about-title" { h2 #about-title { "About" } (facts) }
        }
    };
    Ok(visit.page(&format!("Citation from {name}"), ConsolePage::None, body).await)
}
