//! Schemas: their versions, what changed in words, and the definition itself.

mod data;
mod detail;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use maud::{Markup, html};

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::filters::{self, PageFilters};
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{SchemaData, SchemasData};

const ALL: &str = "/console/schemas";
const PAGE: usize = 50;
const FILTERS: [&str; 4] = ["namespace", "name", "type", "status"];
const KINDS: [&str; 4] = ["structured_type", "ontology_class", "relationship_type", "enum"];
const STATUSES: [&str; 4] = ["draft", "active", "deprecated", "superseded"];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/schemas", get(list)).route("/console/schemas/{id}", get(detail::show))
}

async fn list(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let wanted = PageFilters::of(pairs, &FILTERS);
    let found = match visit.get(wanted.asking(PageAddress::of(["schemas"]), PAGE)).await {
        // Another filter would not help.
        Err(problem) if problem.is(StatusCode::FORBIDDEN) => return Err(problem),
        found => found,
    };
    let body = html! {
        (parts::heading(html! { "Schemas" }, html! { a.button href="/docs/guide/schemas" { "About schemas" } }))
        p { "Schemas describe the shape of data, in versions. The gateway refuses a promotion that breaks the promise of its name." }
        form.card method="get" action=(ALL) role="search" {
            div.filters {
                (filters::text(&wanted, "name", "Name", "invoice"))
                (filters::text(&wanted, "namespace", "Namespace", "default"))
                (filters::choice(&wanted, "status", "Status", &STATUSES))
                (filters::choice(&wanted, "type", "Type", &KINDS))
                (filters::buttons(&wanted, ALL))
            }
        }
        (shown(&visit, &wanted, &found))
    };
    Ok(visit.page("Schemas", ConsolePage::Schemas, body).await)
}

fn shown(visit: &PageVisit, wanted: &PageFilters, found: &PageResult<SchemasData>) -> Markup {
    let SchemasData { schemas, next_cursor } = match found {
        Ok(page) => page,
        Err(problem) => return filters::refused(Some(problem)),
    };
    let next = next_cursor.as_ref();
    let next = next.map(|cursor| wanted.on(PageAddress::of(["console", "schemas"])).with("cursor", cursor));
    html! {
        section #schemas data-live="schema" aria-label="Schemas" {
            @if schemas.is_empty() { (nothing(wanted)) } @else { (table(visit, schemas)) }
            (parts::next_page(next))
        }
    }
}

fn nothing(wanted: &PageFilters) -> Markup {
    if !wanted.is_anything() {
        let all = html! { p { a.button href=(ALL) { "Show all schemas" } } };
        return parts::empty("No schema matches these filters.", all);
    }
    parts::empty(
        "There are no schemas yet.",
        html! {
            p { "An agent or a person creates one with " code { "schema.register" } "; "
                a href="/docs/guide/schemas" { "Schemas" } " says how." }
        },
    )
}

fn table(visit: &PageVisit, schemas: &[SchemaData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Schema" } th.number scope="col" { "Version" } th scope="col" { "Status" }
                th scope="col" { "Promise" } th scope="col" { "Author" } th scope="col" { "Registered" }
            } }
            tbody {
                @for schema in schemas {
                    tr data-entry=(schema.id) {
                        td data-name="Schema" {
                            a href=(schema.address()) { (text::short(&schema.path())) }
                            @if let Some(words) = &schema.description { div.help { (text::cut(words, 140)) } }
                        }
                        td.number data-name="Version" { (parts::number(schema.version)) }
                        td data-name="Status" { (schema.badge()) }
                        td data-name="Promise" { (text::short(&schema.compatibility.replace('_', " "))) }
                        td data-name="Author" { (links::principal(&schema.created_by)) }
                        td data-name="Registered" { (ago(visit, &schema.created_at)) }
                    }
                }
            }
        }
    }
}
