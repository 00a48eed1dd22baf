//! A preview of content: pictures of safe types, the beginning of a text, and otherwise a note.

use axum::body::Body;
use http::header::RANGE;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::{BodyExt, Limited};
use maud::{Markup, html};

use crate::address::PageAddress;
use crate::parts::{self, text};
use crate::visit::PageVisit;

/// The amount of a text that is read.
const LOOK_BYTES: u64 = 64 << 10;
/// Larger pictures are not loaded for a mere preview.
const IMAGE_BYTES_MAX: u64 = 20 << 20;
/// Pictures without active content. SVG is a document with scripts.
const IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
/// Texts that are not called so.
const TEXTS: [&str; 4] = ["application/json", "application/x-ndjson", "application/yaml", "application/toml"];

/// Something with bytes that can be fetched.
pub(super) struct PreviewContent<'a> {
    /// files, refs or artifacts.
    pub(super) kind: &'static str,
    pub(super) id: &'a str,
    pub(super) media_type: &'a str,
    pub(super) size: u64,
}

impl PreviewContent<'_> {
    /// The console's own address for the bytes.
    pub(super) fn address(&self) -> PageAddress {
        PageAddress::of(["console", self.kind, self.id, "content"])
    }
}

pub(super) struct PreviewMarkup {
    pub(super) shown: Markup,
    pub(super) may_save: bool,
}

pub(super) async fn look(visit: &PageVisit, content: &PreviewContent<'_>) -> PreviewMarkup {
    let range = HeaderValue::from_str(&format!("bytes=0-{}", LOOK_BYTES - 1)).expect("digits fit a header");
    let headers =
        if content.size > LOOK_BYTES { HeaderMap::from_iter([(RANGE, range)]) } else { HeaderMap::new() };
    let answer = match visit.pass_on(PageAddress::of([content.kind, content.id, "content"]), headers).await {
        Ok(answer) => answer,
        Err(problem) => return unseen(&problem.detail, problem.status()),
    };
    let shown = match content.media_type {
        image if is_image(image) && content.size <= IMAGE_BYTES_MAX => html! {
            img.look src=(content.address()) alt="The picture itself";
        },
        words if is_text(words) => beginning(answer.into_body(), content.size).await,
        _ => nothing(content),
    };
    PreviewMarkup { shown, may_save: true }
}

/// A user who may see that it exists may not always read it.
fn unseen(detail: &str, status: StatusCode) -> PreviewMarkup {
    let next = match status {
        StatusCode::FORBIDDEN => html! { p { "Your role may see that it exists, but not its content." } },
        _ => html! { p { (text::long(detail)) } },
    };
    PreviewMarkup { shown: parts::empty("It cannot be shown.", next), may_save: false }
}

async fn beginning(body: Body, size: u64) -> Markup {
    let limit = usize::try_from(LOOK_BYTES).expect("it is small");
    let Ok(read) = Limited::new(body, limit).collect().await else {
        return html! { p.soft { "Its content could not be read." } };
    };
    let bytes = read.to_bytes();
    // The last character may have been cut through.
    let words = String::from_utf8_lossy(&bytes);
    html! {
        @if size == 0 { p.soft { "It is empty." } } @else { (text::block(words.trim_end_matches('\u{fffd}'))) }
        @if size > LOOK_BYTES { p.help { "The first " (parts::size(LOOK_BYTES)) " of " (parts::size(size)) "." } }
    }
}

fn nothing(content: &PreviewContent<'_>) -> Markup {
    let next = html! { p { "Download it to open it in another program." } };
    let title = match is_image(content.media_type) {
        true => "The picture is too large to be shown here.",
        false => "There is no preview for this type.",
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
