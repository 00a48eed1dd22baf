//! Knowledge bases: what each answers from, whether its indexes are ready, and asking one.

mod answer;
mod asking;
mod data;
mod detail;

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
use data::{KnowledgeBaseData, KnowledgeBasesData};

const PAGE: usize = 50;
/// Pointers of a base in the list; its page has all.
const POINTERS_SHOWN: usize = 5;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/knowledge", get(list))
        .route("/console/knowledge/{id}", get(detail::show).post(asking::ask))
}

#[derive(Default, Deserialize)]
struct KnowledgePageQuery {
    #[serde(default)]
    cursor: Option<String>,
}

async fn list(visit: PageVisit, Query(wanted): Query<KnowledgePageQuery>) -> PageResult<Response> {
    let asked = PageAddress::of(["knowledge-bases"]).maybe("cursor", wanted.cursor.as_deref());
    let page: KnowledgeBasesData = visit.get(asked.with("limit", PAGE)).await?;
    let next = page.next_cursor.as_ref();
    let next = next.map(|cursor| PageAddress::of(["console", "knowledge"]).with("cursor", cursor));
    let actions =
        html! { a.button href="/docs/how-to/answers-with-citations" { "About answers with citations" } };
    let body = html! {
        (parts::heading(html! { "Knowledge bases" }, actions))
        p { "A knowledge base answers questions from a set of documents. Answers quote the documents, and each quotation links to its page." }
        section #bases data-live="knowledge_base" aria-label="Knowledge bases" {
            @if page.knowledge_bases.is_empty() { (nothing()) } @else { (table(&visit, &page.knowledge_bases)) }
            (parts::next_page(next))
        }
    };
    Ok(visit.page("Knowledge bases", ConsolePage::Knowledge, body).await)
}

fn nothing() -> Markup {
    parts::empty(
        "There are no knowledge bases yet.",
        html! {
            p { "An agent or a person creates one with " code { "knowledge.kb_create" } "; "
                a href="/docs/how-to/answers-with-citations" { "Answers with citations" } " says how." }
        },
    )
}

fn table(visit: &PageVisit, bases: &[KnowledgeBaseData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Base" } th scope="col" { "Pointers" } th scope="col" { "Profile" }
                th scope="col" { "Manner" } th scope="col" { "Changed" }
            } }
            tbody { @for base in bases { (row(visit, base)) } }
        }
    }
}

fn row(visit: &PageVisit, base: &KnowledgeBaseData) -> Markup {
    let more = base.pointers.len().saturating_sub(POINTERS_SHOWN);
    html! {
        tr data-entry=(base.id) {
            td data-name="Base" {
                a href=(base.address()) { (text::short(base.title.as_deref().unwrap_or(&base.name))) }
                @if base.title.is_some() { div.help { (text::short(&base.name)) } }
            }
            td data-name="Pointers" {
                div {
                    @for one in base.pointers.iter().take(POINTERS_SHOWN) { div { (links::pointer(&one.namespace, &one.name)) } }
                    @if more > 0 { div.help { "and " (more) " more" } }
                }
            }
            td data-name="Profile" { (text::short(&base.profile)) }
            td data-name="Manner" { (text::short(&base.manner)) }
            td data-name="Changed" { (ago(visit, &base.changed_at)) div.help { (links::principal(&base.changed_by)) } }
        }
    }
}
