//! Pointers: the names that lead to manifests, each with its moves, and the form that moves one.

mod data;
mod detail;
mod moves;
mod moving;

use axum::Router;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::StatusCode;
use maud::{Markup, html};

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::filters::{self, PageFilters};
use crate::parts::moment::ago;
use crate::parts::{self, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{PointerData, PointersData, manifest};

const ALL: &str = "/console/pointers";
const PAGE: usize = 50;
const FILTERS: [&str; 3] = ["namespace", "name", "type"];
const KINDS: [&str; 3] = ["bundle", "corpus", "snapshot"];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/pointers", get(list))
        .route("/console/pointers/{id}", get(detail::show).post(moving::send))
}

async fn list(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let wanted = PageFilters::of(pairs, &FILTERS);
    let asked = wanted.asking(PageAddress::of(["pointers"]), PAGE);
    let found: PageResult<PointersData> = match visit.get(asked).await {
        // Another filter would not help.
        Err(problem) if problem.is(StatusCode::FORBIDDEN) => return Err(problem),
        found => found,
    };
    if let (Ok(page), Some(_)) = (&found, wanted.get("name"))
        && let [only] = page.pointers.as_slice()
    {
        // A name leads to its page.
        return Ok(Redirect::to(only.address().as_str()).into_response());
    }
    let body = html! {
        (parts::heading(html! { "Pointers" }, html! { a.button href="/docs/guide/pointers" { "About pointers" } }))
        p { "A pointer is a name that leads to a manifest. A bundle moves freely, a corpus moves with approval, and a snapshot never moves." }
        (filter_form(&wanted))
        (shown(&visit, &wanted, &found))
    };
    Ok(visit.page("Pointers", ConsolePage::Pointers, body).await)
}

fn filter_form(wanted: &PageFilters) -> Markup {
    html! {
        form.card method="get" action=(ALL) role="search" {
            div.filters {
                (filters::text(wanted, "namespace", "Namespace begins with", "project/"))
                (filters::choice(wanted, "type", "Type", &KINDS))
                (filters::buttons(wanted, ALL))
            }
        }
    }
}

fn shown(visit: &PageVisit, wanted: &PageFilters, found: &PageResult<PointersData>) -> Markup {
    let PointersData { pointers, next_cursor } = match found {
        Ok(page) => page,
        Err(problem) => return filters::refused(Some(problem)),
    };
    let next = next_cursor.as_ref();
    let next = next.map(|cursor| wanted.on(PageAddress::of(["console", "pointers"])).with("cursor", cursor));
    html! {
        section #pointers data-live="pointer" aria-label="Pointers" {
            @if pointers.is_empty() { (nothing(wanted)) } @else { (table(visit, pointers)) }
            @if let Some(next) = next { p.pages { a.button href=(next) rel="next" { "More pointers" } } }
        }
    }
}

fn nothing(wanted: &PageFilters) -> Markup {
    if !wanted.is_anything() {
        return parts::empty(
            "No pointer matches these filters.",
            html! { p { a.button href=(ALL) { "Show all pointers" } } },
        );
    }
    parts::empty(
        "There are no pointers yet.",
        html! {
            p { "An agent or a person creates one with " code { "substrate.pointer.create" } "; "
                a href="/docs/guide/pointers" { "Pointers" } " says how." }
        },
    )
}

fn table(visit: &PageVisit, pointers: &[PointerData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Pointer" } th scope="col" { "Type" } th scope="col" { "Leads to" }
                th.number scope="col" { "Moves" } th scope="col" { "Last move" }
            } }
            tbody { @for pointer in pointers { (row(visit, pointer)) } }
        }
    }
}

fn row(visit: &PageVisit, pointer: &PointerData) -> Markup {
    html! {
        tr data-entry=(pointer.id) {
            td data-name="Pointer" {
                a href=(pointer.address()) { (text::short(&pointer.path())) }
                @if !pointer.description.is_empty() { div.help { (text::cut(&pointer.description, 140)) } }
            }
            td data-name="Type" { (pointer.badge()) }
            td data-name="Leads to" { (manifest(pointer.manifest.as_deref())) }
            td.number data-name="Moves" { (parts::number(pointer.version)) }
            td data-name="Last move" { (ago(visit, &pointer.moved_at)) }
        }
    }
}
