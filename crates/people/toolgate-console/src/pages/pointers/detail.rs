//! One pointer: where it leads, how it got there, and moving it.

use axum::extract::{Path, Query};
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;

use super::data::{PointerData, PointerMovesData, manifest};
use super::moving::MoveForm;
use super::{moves, moving};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const MOVES: usize = 50;

#[derive(Default, Deserialize)]
pub(super) struct PointerPageQuery {
    /// From the last move of the page before.
    #[serde(default)]
    cursor: Option<String>,
    /// A manifest for the form.
    #[serde(default)]
    to: Option<String>,
}

pub(super) async fn show(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(wanted): Query<PointerPageQuery>,
) -> PageResult<Response> {
    let pointer: PointerData = visit.get(PageAddress::of(["pointers", &id])).await?;
    let form = MoveForm { manifest: wanted.to.unwrap_or_default(), ..MoveForm::default() };
    page(&visit, StatusCode::OK, &pointer, wanted.cursor.as_deref(), &form, &html! {}).await
}

/// The page, with what became of a move above its form.
pub(super) async fn page(
    visit: &PageVisit,
    status: StatusCode,
    pointer: &PointerData,
    cursor: Option<&str>,
    form: &MoveForm,
    outcome: &Markup,
) -> PageResult<Response> {
    let asked = PageAddress::of(["pointers", &pointer.id, "moves"]).maybe("cursor", cursor);
    let history: PointerMovesData = visit.get(asked.with("limit", MOVES)).await?;
    let title = pointer.path();
    let actions = html! { (pointer.badge()) a.button href="/console/pointers" { "All pointers" } };
    let body = html! {
        (parts::heading(text::short(&title), actions))
        (outcome)
        @if !pointer.description.is_empty() { p { (text::long(&pointer.description)) } }
        div.split {
            section.card #moves data-live="pointer" aria-labelledby="moves-title" {
                h2 #moves-title { "Moves" }
                (moves::table(visit, pointer, &history))
            }
            div {
                section.card #about data-live="pointer" aria-labelledby="about-title" { h2 #about-title { "About" } (about(visit, pointer)) }
                (moving::card(visit, pointer, form))
            }
        }
    };
    Ok(visit.page_with(status, &format!("Pointer {title}"), ConsolePage::Pointers, body).await)
}

fn about(visit: &PageVisit, pointer: &PointerData) -> Markup {
    let deleted = pointer.deleted_at.as_deref().map(|at| ("Deleted", ago(visit, at)));
    let facts = [
        ("Leads to", manifest(pointer.manifest.as_deref())),
        ("Type", text::short(&pointer.kind)),
        ("Id", parts::copyable(&pointer.id)),
        ("Created by", links::principal(&pointer.created_by)),
        ("Created", ago(visit, &pointer.created_at)),
        ("Last move", ago(visit, &pointer.moved_at)),
    ];
    parts::facts(facts.into_iter().chain(deleted))
}
