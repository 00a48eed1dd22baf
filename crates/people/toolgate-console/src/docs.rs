//! The documentation: the Markdown files of the folder `docs`, built into the program, as public pages.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use include_dir::File;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use crate::parts::text;
use crate::{PageContext, layout};
use folder::FOLDER;
pub(crate) use folder::error_page;

pub(crate) mod search;

mod folder;
mod markdown;

const INDEX: &str = "README.md";
const HITS_MAX: usize = 20;
const PICTURES_KEPT: &str = "public, max-age=3600";
/// Drawings have their own colours, for light and dark.
const POLICY_OF_PICTURES: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The pages of the documentation in the order of their index, for the way beside each of them.
static CONTENTS: LazyLock<Vec<markdown::Chapter>> = LazyLock::new(|| match FOLDER.get_file(INDEX) {
    Some(index) => markdown::contents(index.contents_utf8().unwrap_or_default()),
    None => Vec::new(),
});

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/docs", get(index))
        .route("/docs/", get(to_index))
        .route("/docs/search", get(results))
        .route("/docs/{*path}", get(page))
}

async fn index() -> Response {
    found(INDEX, "")
}

async fn to_index() -> Redirect {
    Redirect::permanent("/docs")
}

async fn page(Path(path): Path<String>) -> Response {
    let path = path.trim_end_matches('/');
    if let Some((_, ending)) = path.rsplit_once('.')
        && ending != "md"
    {
        return picture(path, ending);
    }
    let stem = path.trim_end_matches(".md");
    let within = format!("{stem}/{INDEX}");
    match FOLDER.get_file(&within) {
        Some(_) => found(&within, path),
        None => found(&format!("{stem}.md"), path),
    }
}

#[derive(Deserialize)]
struct DocSearchQuery {
    #[serde(default)]
    q: String,
}

async fn results(Query(query): Query<DocSearchQuery>) -> Response {
    let words = query.q.trim();
    let hits = search::find(words, HITS_MAX);
    let body = html! {
        h1 { "Search the documentation" }
        (search_form(words))
        @if !words.is_empty() && hits.is_empty() {
            p { "No page has all of these words: " q { (text::short(words)) } "." }
            p { "Try fewer words, or look through " a href="/docs" { "all pages" } "." }
        }
        (hit_list(&hits))
    };
    layout::open("Search the documentation", &aside(""), &body)
}

/// Pages that were found, each with the best passage.
pub(crate) fn hit_list(hits: &[search::DocHit]) -> Markup {
    html! {
        @if !hits.is_empty() {
            ul.hits {
                @for hit in hits {
                    li { a href=(hit.address) { (hit.title) } @if !hit.snippet.is_empty() { p.help { (hit.snippet) } } }
                }
            }
        }
    }
}

fn search_form(words: &str) -> Markup {
    html! {
        form method="get" action="/docs/search" role="search" {
            label.unseen for="docs-q" { "Search the documentation" }
            div.row {
                input #docs-q type="search" name="q" value=(words) data-search placeholder="Search the documentation";
                button.button type="submit" { "Search" }
            }
        }
    }
}

fn found(name: &str, asked: &str) -> Response {
    let Some(text) = FOLDER.get_file(name).and_then(File::contents_utf8) else { return missing(asked) };
    let page = markdown::render(text, name);
    layout::open(&page.title, &aside(name), &html! { (PreEscaped(page.html)) })
}

fn missing(asked: &str) -> Response {
    let body = html! {
        h1 { "This page does not exist" }
        p { "The documentation has no page named " code { (text::short(asked)) } "." }
        p { a href="/docs" { "All pages" } }
    };
    let mut response = layout::open("No such page", &aside(""), &body);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

fn picture(path: &str, ending: &str) -> Response {
    let media_type = match ending {
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => return missing(path),
    };
    match FOLDER.get_file(path) {
        Some(file) => {
            let headers = [
                (CONTENT_TYPE, media_type),
                (CACHE_CONTROL, PICTURES_KEPT),
                (CONTENT_SECURITY_POLICY, POLICY_OF_PICTURES),
            ];
            (headers, file.contents()).into_response()
        }
        None => missing(path),
    }
}

fn aside(here: &str) -> Markup {
    html! {
        @if !here.is_empty() { (search_form("")) }
        ul { li { a href="/docs" aria-current=[(here == INDEX).then_some("page")] { "Documentation" } } }
        @for chapter in CONTENTS.iter() {
            h2 { (chapter.name) }
            ul {
                @for link in &chapter.links {
                    li { a href=(link.address) aria-current=[(link.file == here).then_some("page")] { (link.text) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_leads_to_its_page_and_nothing_else_does() {
        assert_eq!(error_page("wrong_role").as_deref(), Some("/docs/reference/errors/wrong_role"));
        for nothing in ["", "no_such_code", "../cli", "README.md"] {
            assert_eq!(error_page(nothing), None, "{nothing}");
        }
    }
}
