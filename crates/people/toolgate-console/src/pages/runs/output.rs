//! The artifacts of a run and the refs that its calls brought: shown as far as their types can be, and listed.

use maud::{Markup, html};

use super::data::{RunData, RunRefData};
use crate::address::PageAddress;
use crate::pages::preview::{self, PreviewContent};
use crate::parts::{self, links, text};
use crate::visit::PageVisit;

/// Artifacts and refs of one run that are shown; others are listed.
const SHOWN_MAX: usize = 6;
const LISTED_MAX: usize = 200;

pub(super) async fn artifacts(visit: &PageVisit, run: &RunData) -> Markup {
    if run.output.is_empty() {
        let next = match run.is_over() {
            true => "It ended without storing an artifact.",
            false => "Artifacts that it stores with store_artifact appear here.",
        };
        return parts::empty("No artifacts.", html! { p { (next) } });
    }
    let mut shown = Vec::new();
    for file in run.output.iter().take(SHOWN_MAX) {
        let content = PreviewContent {
            kind: "artifacts",
            id: &file.artifact,
            media_type: &file.media_type,
            size: file.size,
        };
        shown.push(glance(visit, &content, &file.name).await);
    }
    let more = run.output.len().saturating_sub(LISTED_MAX);
    html! {
        @if !visit.operates() { p.help { "Your role may see that they exist, but not their content." } }
        ul.contents {
            @for (place, file) in run.output.iter().take(LISTED_MAX).enumerate() {
                li data-entry=(file.name) {
                    p {
                        a href=(PageAddress::of(["console", "artifacts", &file.artifact])) { (text::short(&file.name)) } " "
                        span.soft { (text::short(&file.media_type)) ", " (parts::size(file.size)) }
                    }
                    @if let Some(Some(shown)) = shown.get(place) { (shown) }
                }
            }
        }
        @if more > 0 { p.help { "… " (parts::number(more as u64)) " more artifacts" } }
    }
}

/// The refs that are no pictures, which stand with their calls. Empty if there are none.
pub(super) async fn refs(visit: &PageVisit, refs: &[RunRefData]) -> Option<Markup> {
    if refs.is_empty() {
        return None;
    }
    // The newest first.
    let mut shown = Vec::new();
    for one in refs.iter().rev().take(SHOWN_MAX) {
        let content =
            PreviewContent { kind: "refs", id: &one.ref_id, media_type: &one.media_type, size: one.size };
        shown.push(glance(visit, &content, "a ref").await);
    }
    Some(html! {
        ul.contents {
            @for (place, one) in refs.iter().rev().enumerate() {
                li data-entry=(one.ref_id) {
                    p { (links::brief(&one.ref_id)) " " span.soft { (text::short(&one.media_type)) ", " (parts::size(one.size)) } }
                    @if let Some(Some(shown)) = shown.get(place) { (shown) }
                }
            }
        }
    })
}

/// Auditors may see that a content exists, but not read it.
async fn glance(visit: &PageVisit, content: &PreviewContent<'_>, name: &str) -> Option<Markup> {
    match visit.operates() {
        true => preview::glance(visit, content, name).await,
        false => None,
    }
}
