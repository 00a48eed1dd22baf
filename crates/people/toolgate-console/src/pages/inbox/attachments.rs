//! Files and refs that the arguments name: their properties, and a preview. The approval covers this very
//! content.

use axum::body::Body;
use axum::extract::Path;
use axum::response::Response;
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, RANGE};
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt, Limited};
use maud::{Markup, html};

use super::data::{ApprovalData, AttachmentData};
use crate::address::PageAddress;
use crate::headers::POLICY_OF_CONTENTS;
use crate::parts::{links, size, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The amount of a text that is read.
const PREVIEW_BYTES: usize = 4 << 10;
/// Larger images are not loaded automatically.
const IMAGE_BYTES_MAX: u64 = 4 << 20;
/// The number of files with an automatic preview.
const PREVIEWS_MAX: usize = 8;
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const TEXTS: [&str; 5] =
    ["application/json", "application/xml", "application/yaml", "application/toml", "application/x-ndjson"];

/// The id of the text of a request that a connector would send.
const REQUEST: &str = "outgoing request";

/// The beginnings of the texts among the attachments, in their order.
pub(super) struct Previews(Vec<Option<String>>);

impl Previews {
    /// Content without a preview is only named.
    pub(super) async fn of(visit: &PageVisit, approval: &ApprovalData) -> Self {
        let mut texts = Vec::new();
        for (number, one) in approval.attachments.iter().take(PREVIEWS_MAX).enumerate() {
            texts.push(match is_text(&one.media_type) {
                true => beginning(visit, &approval.id, number).await,
                false => None,
            });
        }
        Self(texts)
    }
}

async fn beginning(visit: &PageVisit, id: &str, number: usize) -> Option<String> {
    let range = HeaderValue::from_str(&format!("bytes=0-{}", PREVIEW_BYTES - 1)).ok()?;
    let headers = HeaderMap::from_iter([(RANGE, range)]);
    let address = PageAddress::of(["approvals", id, "attachments", &number.to_string()]);
    let answer = visit.pass_on(address, headers).await.ok()?;
    let read = Limited::new(answer.into_body(), PREVIEW_BYTES).collect().await.ok()?;
    Some(String::from_utf8_lossy(&read.to_bytes()).into_owned())
}

fn is_text(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/") || TEXTS.contains(&essence)
}

fn is_image(one: &AttachmentData) -> bool {
    IMAGES.contains(&one.media_type.as_str()) && one.size <= IMAGE_BYTES_MAX
}

pub(super) fn section(visit: &PageVisit, approval: &ApprovalData, previews: &Previews) -> Markup {
    if approval.attachments.is_empty() {
        return html! {};
    }
    html! {
        section.card aria-labelledby="attachments" {
            h2 #attachments { "Attached files" }
            p.soft { "An approval covers exactly this content. If a file changes, the call needs approval again." }
            @for (number, one) in approval.attachments.iter().enumerate() {
                @let preview = previews.0.get(number).and_then(Option::as_deref);
                (attachment(visit, approval, number, one, preview))
            }
        }
    }
}

/// The credentials of a call: where their values would go, and never the values.
pub(super) fn credentials(approval: &ApprovalData) -> Markup {
    if approval.credentials.is_empty() {
        return html! {};
    }
    html! {
        section.card aria-labelledby="credentials" {
            h2 #credentials { "Credentials" }
            p.soft { "The server gets their values in place of the handles. Agents, approvers and the ledger do not." }
            @for one in &approval.credentials {
                div.attachment {
                    p {
                        span.strong { (text::short(&one.name)) } " for " span.strong { (text::short(&one.origin)) }
                        @if one.new { " · not used in this session before" }
                    }
                    p.soft { code.id { (text::short(&one.handle)) } " at " code { (text::short(&one.place)) } }
                }
            }
        }
    }
}

fn attachment(
    visit: &PageVisit,
    approval: &ApprovalData,
    number: usize,
    one: &AttachmentData,
    preview: Option<&str>,
) -> Markup {
    let bytes =
        PageAddress::of(["console", "inbox", "approvals", &approval.id, "attachments", &number.to_string()]);
    let reads = visit.decides() || visit.operates();
    let name = one.name.as_deref().unwrap_or(&one.id);
    html! {
        div.attachment {
            @if one.id == REQUEST {
                p { "The request that would be sent, with its secrets hidden:" }
            }
            p {
                span.strong { (text::short(name)) } " "
                span.soft { (text::short(&one.media_type)) ", " (size(one.size)) ", at " code { (text::short(&one.place)) } }
            }
            @if reads && is_image(one) { img.preview src=(bytes) alt={ "Preview of " (text::made_visible(name)) } loading="lazy"; }
            @if let Some(preview) = preview {
                pre.block tabindex="0" { (text::cut(preview, PREVIEW_BYTES)) }
                @if one.size > PREVIEW_BYTES as u64 { p.cut { "The first " (size(PREVIEW_BYTES as u64)) " of " (size(one.size)) "." } }
            }
            p.row {
                @if reads { a.button.small href=(bytes) download { "Download" } }
                @if visit.operates() { (links::id(&one.id)) } @else { code.id { (text::short(&one.id)) } }
            }
        }
    }
}

/// The bytes themselves. For any type, a browser only shows or saves them.
pub(super) async fn content(
    visit: PageVisit,
    Path((id, number)): Path<(String, String)>,
) -> PageResult<Response> {
    let address = PageAddress::of(["approvals", &id, "attachments", &number]);
    let mut answer: Response<Body> = visit.pass_on(address, HeaderMap::new()).await?;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY_OF_CONTENTS));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_and_pictures_without_script_are_looked_into() {
        for text in ["text/plain", "text/csv; charset=utf-8", "application/json"] {
            assert!(is_text(text), "{text}");
        }
        let one = |media_type: &str| AttachmentData {
            place: "/file_id".into(),
            id: "file_1".into(),
            name: None,
            media_type: media_type.into(),
            size: 10,
        };
        assert!(is_image(&one("image/png")));
        assert!(
            !is_image(&one("image/svg+xml")) && !is_image(&one("text/html")) && !is_text("image/svg+xml")
        );
    }
}
