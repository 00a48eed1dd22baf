//! Previews of contents: pictures of safe types, pages of PDFs, tables of CSV and JSON, and the beginning of a text. Everything else has
//! a note.

mod records;
mod table;

use axum::response::Response;
use bytes::Bytes;
use http::header::RANGE;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::{BodyExt, Limited};
use maud::{Markup, html};
use serde_json::Value;

use crate::address::PageAddress;
use crate::parts::{self, json, picture, text};
use crate::visit::PageVisit;
use records::PreviewRecords;

/// Larger pictures are not loaded for a mere preview.
const IMAGE_BYTES_MAX: u64 = 20 << 20;
/// A tree is several times as long as its JSON; longer JSON is shown as text.
const TREE_BYTES_MAX: usize = 12 << 10;
/// Pictures without active content. SVG is a document with scripts.
const IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
/// Texts that are not called so.
const TEXTS: [&str; 4] = ["application/json", "application/x-ndjson", "application/yaml", "application/toml"];
const PDF: &str = "application/pdf";
/// The width of a page on a page of its own: sharp on most screens.
pub(super) const PAGE_PIXELS: u32 = 1_400;
/// The width of a page beside other things.
const SMALL_PIXELS: u32 = 500;

/// Something with bytes that can be fetched.
pub(super) struct PreviewContent<'a> {
    /// files, refs or artifacts.
    pub(super) kind: &'static str,
    pub(super) id: &'a str,
    pub(super) media_type: &'a str,
    pub(super) size: u64,
}

/// The room that a preview has.
#[derive(Clone, Copy)]
struct PreviewRoom {
    /// The amount of a text that is read.
    bytes: u64,
    chars: usize,
    rows: usize,
    columns: usize,
}

/// A page of its own.
const WHOLE: PreviewRoom = PreviewRoom { bytes: 64 << 10, chars: 40_000, rows: 100, columns: 20 };
/// A place beside other things.
const SMALL: PreviewRoom = PreviewRoom { bytes: 8 << 10, chars: 1_200, rows: 8, columns: 8 };

impl PreviewContent<'_> {
    /// The console's own address for the bytes.
    pub(super) fn address(&self) -> PageAddress {
        PageAddress::of(["console", self.kind, self.id, "content"])
    }

    fn page(&self, page: u32) -> PageAddress {
        PageAddress::of(["console", self.kind, self.id, "pages", &page.to_string()])
    }
}

pub(super) struct PreviewMarkup {
    pub(super) shown: Markup,
    pub(super) may_save: bool,
}

/// A preview on a page of its own. `page` is that of a document with pages, from 1.
pub(super) async fn look(visit: &PageVisit, content: &PreviewContent<'_>, page: u32) -> PreviewMarkup {
    let answer = match beginning(visit, content, WHOLE).await {
        Ok(answer) => answer,
        Err((detail, status)) => return unseen(&detail, status),
    };
    let shown = match content.media_type {
        image if is_image(image) && content.size <= IMAGE_BYTES_MAX => html! {
            img.look src=(content.address()) alt="The picture itself";
        },
        PDF => drawn(visit, content, page).await,
        words if is_text(words) => written(answer, content, WHOLE).await,
        _ => nothing(content),
    };
    PreviewMarkup { shown, may_save: true }
}

/// A preview beside other things; `None` if there is none for its type, or the visitor may not read it.
pub(super) async fn glance(visit: &PageVisit, content: &PreviewContent<'_>, name: &str) -> Option<Markup> {
    if picture::is_shown(content.media_type, content.size) {
        return Some(picture::of(&content.address(), &format!("The picture {name}")));
    }
    if content.media_type == PDF {
        let page = content.page(1).with("width", SMALL_PIXELS);
        return Some(picture::of(&page, &format!("The first page of {name}")));
    }
    if !is_text(content.media_type) {
        return None;
    }
    let answer = beginning(visit, content, SMALL).await.ok()?;
    Some(written(answer, content, SMALL).await)
}

/// The content, or its beginning.
async fn beginning(
    visit: &PageVisit,
    content: &PreviewContent<'_>,
    room: PreviewRoom,
) -> Result<Response, (String, StatusCode)> {
    let range = HeaderValue::from_str(&format!("bytes=0-{}", room.bytes - 1)).expect("digits fit a header");
    let headers =
        if content.size > room.bytes { HeaderMap::from_iter([(RANGE, range)]) } else { HeaderMap::new() };
    let answer = visit.pass_on(PageAddress::of([content.kind, content.id, "content"]), headers).await;
    answer.map_err(|problem| (problem.detail.clone(), problem.status()))
}

/// A user who may see that it exists may not always read it.
fn unseen(detail: &str, status: StatusCode) -> PreviewMarkup {
    let next = match status {
        StatusCode::FORBIDDEN => html! { p { "Your role may see that it exists, but not its content." } },
        _ => html! { p { (text::long(detail)) } },
    };
    PreviewMarkup { shown: parts::empty("It cannot be shown.", next), may_save: false }
}

/// One page of a document, and the ways to those beside it.
async fn drawn(visit: &PageVisit, content: &PreviewContent<'_>, page: u32) -> Markup {
    if !has_page(visit, content, page).await {
        return nothing(content);
    }
    let has_next = has_page(visit, content, page.saturating_add(1)).await;
    let at = |page: u32| PageAddress::of(["console", content.kind, content.id]).with("page", page);
    html! {
        img.look.paged src=(content.page(page)) alt=(format!("Page {page} of the document"));
        nav.row aria-label="Pages" {
            @if page > 1 { a.button href=(at(page - 1)) rel="prev" { "Previous page" } }
            span { "Page " (page) }
            @if has_next { a.button href=(at(page + 1)) rel="next" { "Next page" } }
        }
    }
}

/// Draws it in the width in which the browser fetches it next: the gateway keeps the last pictures.
async fn has_page(visit: &PageVisit, content: &PreviewContent<'_>, page: u32) -> bool {
    let page = page.to_string();
    let asked = PageAddress::of([content.kind, content.id, "pages", &page]).with("width", PAGE_PIXELS);
    visit.pass_on(asked, HeaderMap::new()).await.is_ok()
}

async fn written(answer: Response, content: &PreviewContent<'_>, room: PreviewRoom) -> Markup {
    let Some(bytes) = collected(answer, room).await else {
        return html! { p.soft { "Its content could not be read." } };
    };
    // The last character may have been cut through.
    let words = String::from_utf8_lossy(&bytes);
    shown(content, words.trim_end_matches('\u{fffd}'), room)
}

async fn collected(answer: Response, room: PreviewRoom) -> Option<Bytes> {
    let limit = usize::try_from(room.bytes).expect("it is small");
    Some(Limited::new(answer.into_body(), limit).collect().await.ok()?.to_bytes())
}

fn shown(content: &PreviewContent<'_>, words: &str, room: PreviewRoom) -> Markup {
    let is_whole = content.size <= room.bytes;
    if content.size == 0 {
        return html! { p.soft { "It is empty." } };
    }
    html! {
        @if let Some(records) = PreviewRecords::read(essence(content.media_type), words, is_whole) { (table::draw(&records, room)) }
        @else if let Some(value) = tree_of(content.media_type, words, is_whole, room) { (json::tree(&value)) }
        @else { pre.block tabindex="0" { (text::cut(words, room.chars)) } }
        @if !is_whole { p.help { "The first " (parts::size(room.bytes)) " of " (parts::size(content.size)) "." } }
    }
}

fn tree_of(media_type: &str, words: &str, is_whole: bool, room: PreviewRoom) -> Option<Value> {
    let is_short = words.len() <= TREE_BYTES_MAX.min(room.chars);
    let is_json = records::is_json(essence(media_type));
    (is_whole && is_short && is_json).then(|| serde_json::from_str(words).ok()).flatten()
}

fn nothing(content: &PreviewContent<'_>) -> Markup {
    let next = html! { p { "Download it to open it in another program." } };
    let title = match content.media_type {
        image if is_image(image) => "The picture is too large to be shown here.",
        PDF => "This page cannot be drawn.",
        _ => "There is no preview for this type.",
    };
    parts::empty(title, next)
}

fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

pub(super) fn is_image(media_type: &str) -> bool {
    IMAGES.contains(&essence(media_type))
}

pub(super) fn is_text(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence.starts_with("text/") || TEXTS.contains(&essence) || essence.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(media_type: &str, words: &str, room: PreviewRoom) -> String {
        let content =
            PreviewContent { kind: "artifacts", id: "sha256:ab", media_type, size: words.len() as u64 };
        shown(&content, words, room).into_string()
    }

    #[test]
    fn csv_and_json_are_tables_and_other_texts_are_text() {
        let csv = draw("text/csv; charset=utf-8", "name,amount\nann,3\n", WHOLE);
        assert!(csv.contains("<th scope=\"col\">") && csv.contains("<bdi>ann</bdi>"), "{csv}");
        let rows = draw("application/json", r#"[{"name":"ann"},{"name":"ben"}]"#, WHOLE);
        assert!(rows.contains("<table") && rows.contains("<bdi>ben</bdi>"), "{rows}");
        let tree = draw("application/json", r#"{"name":"ann"}"#, WHOLE);
        assert!(tree.contains("j-object") && !tree.contains("<table"), "{tree}");
        let broken = draw("application/json", "{\"name\"", WHOLE);
        assert!(broken.contains("<pre"), "{broken}");
        assert!(draw("text/markdown", "# Dear Ann", SMALL).contains("<pre"));
    }

    #[test]
    fn previews_stay_small_and_what_they_show_does_nothing() {
        let long = "<script>alert(1)</script>,".repeat(50_000);
        for media_type in ["text/csv", "application/json", "text/plain"] {
            let drawn = draw(media_type, &long, SMALL);
            assert!(drawn.len() < 12_000 && !drawn.contains("<script>"), "{media_type}: {}", drawn.len());
        }
        let wide = "a,".repeat(10_000);
        assert!(draw("text/csv", &format!("{wide}\n{wide}\n"), WHOLE).len() < 20_000);
    }
}
