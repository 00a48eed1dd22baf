//! Manifests: a folder of one at a time, and what differs between two. A page is short however many paths there are.

mod changes;
mod data;
mod folder;

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, json, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{ManifestData, ManifestEntriesData, with_path};

const PAGE: usize = 100;
const TITLE_CHARS: usize = 60;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/manifests/{sha256}", get(show))
        .route("/console/manifests/{sha256}/changes", get(changes::show))
}

#[derive(Default, Deserialize)]
struct ManifestPageQuery {
    #[serde(default)]
    folder: Option<String>,
    #[serde(default)]
    after: Option<String>,
}

async fn show(
    visit: PageVisit,
    Path(sha256): Path<String>,
    Query(wanted): Query<ManifestPageQuery>,
) -> PageResult<Response> {
    let manifest: ManifestData = visit.get(PageAddress::of(["manifests", &sha256])).await?;
    let folder = wanted.folder.unwrap_or_default();
    let asked = with_path(PageAddress::of(["manifests", &sha256, "entries"]), "folder", Some(&folder));
    let asked = with_path(asked, "after", wanted.after.as_deref()).with("limit", PAGE);
    let page: ManifestEntriesData = visit.get(asked).await?;
    let body = html! {
        (parts::heading(html! { "Manifest " (text::cut(manifest.called(), TITLE_CHARS)) }, html! { a.button href="/console/pointers" { "Pointers" } }))
        div.split {
            section.card aria-labelledby="files-title" {
                h2 #files-title { "Files" }
                (folder::path(&manifest.digest, &folder))
                (folder::table(&manifest.digest, &folder, &page))
            }
            div {
                section.card aria-labelledby="about-title" { h2 #about-title { "About" } (about(&visit, &manifest)) }
                (comparing(&manifest))
            }
        }
    };
    Ok(visit.page(&format!("Manifest {}", manifest.called()), ConsolePage::Pointers, body).await)
}

fn about(visit: &PageVisit, manifest: &ManifestData) -> Markup {
    let none = html! { span.soft { "none" } };
    html! {
        (parts::facts([
            ("Message", if manifest.message.is_empty() { none } else { text::long(&manifest.message) }),
            ("Digest", parts::copyable(&manifest.digest)),
            ("Files", html! { (parts::number(manifest.entries)) ", " (parts::size(manifest.size)) }),
            ("Made by", links::principal(&manifest.created_by)),
            ("Run", match &manifest.run { Some(run) => links::id(run), None => html! { span.soft { "none" } } }),
            ("Made", ago(visit, &manifest.created_at)),
        ]))
        @if !manifest.parents.is_empty() {
            h3 { "Made from" }
            ul { @for parent in &manifest.parents { li { (links::manifest(parent)) " " a href=(manifest.changes(parent)) { "what changed" } } } }
        }
        @if let Some(metadata) = &manifest.metadata { h3 { "Metadata" } (json::tree(metadata)) }
    }
}

fn comparing(manifest: &ManifestData) -> Markup {
    html! {
        section.card aria-labelledby="compare-title" {
            h2 #compare-title { "Compare" }
            form method="get" action=(PageAddress::of(["console", "manifests", &manifest.digest, "changes"])) {
                div.field {
                    label for="since" { "With this manifest" }
                    input type="text" #since name="since" placeholder="sha256:…" autocomplete="off" spellcheck="false";
                    p.help { "Without one, every file counts as added." }
                }
                button.button type="submit" { "Show what changed" }
            }
        }
    }
}
