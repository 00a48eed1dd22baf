//! The paths in which a manifest differs from another one, by page.

use axum::extract::{Path, Query};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::data::{ChangeCountsData, ManifestChangeData, ManifestChangesData, ManifestEntryData, with_path};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, BadgeTone, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const PAGE: usize = 100;
const PATH_CHARS: usize = 300;

#[derive(Default, Deserialize)]
pub(super) struct ManifestChangesPageQuery {
    #[serde(default)]
    since: Option<String>,
    #[serde(default)]
    after: Option<String>,
}

pub(super) async fn show(
    visit: PageVisit,
    Path(sha256): Path<String>,
    Query(wanted): Query<ManifestChangesPageQuery>,
) -> PageResult<Response> {
    let since = wanted.since.as_deref().map(str::trim).filter(|since| !since.is_empty());
    let asked = PageAddress::of(["manifests", &sha256, "changes"]).maybe("since", since);
    let asked = with_path(asked, "after", wanted.after.as_deref()).with("limit", PAGE);
    let page: ManifestChangesData = visit.get(asked).await?;
    let whole = PageAddress::of(["console", "manifests", &sha256]);
    let here = PageAddress::of(["console", "manifests", &sha256, "changes"]).maybe("since", since);
    let next = page.next_after.as_ref().map(|after| here.with("after", after));
    let body = html! {
        (parts::heading(html! { "What changed" }, html! { a.button href=(whole) { "The whole manifest" } }))
        p {
            "From " @match since { Some(since) => (links::manifest(since)), None => span.soft { "nothing" }, }
            " to " (links::manifest(&sha256)) "."
        }
        @if let Some(counts) = &page.counts { (counted(counts)) }
        @if page.changes.is_empty() { (parts::empty("Nothing changed.", html! { p { "Both have the same files." } })) }
        @else { (table(&sha256, &page.changes)) }
        @if let Some(next) = next { p.pages { a.button href=(next) rel="next" { "More changes" } } }
    };
    Ok(visit.page("What changed", ConsolePage::Pointers, body).await)
}

fn counted(counts: &ChangeCountsData) -> Markup {
    html! {
        p #counts {
            (parts::number(counts.added)) " added, " (parts::number(counts.removed)) " removed, "
            (parts::number(counts.content)) " changed, " (parts::number(counts.metadata)) " with other metadata."
            @if !counts.complete { " The counts are incomplete." }
        }
    }
}

fn table(manifest: &str, changes: &[ManifestChangeData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Path" } th scope="col" { "Change" } th scope="col" { "Before" } th scope="col" { "Now" } } }
            tbody {
                @for one in changes {
                    tr data-entry=(one.path) {
                        td data-name="Path" { span.mono { (text::cut(&one.path, PATH_CHARS)) } }
                        td data-name="Change" { (change(&one.change)) }
                        td data-name="Before" { (side(manifest, one.old.as_ref())) }
                        td data-name="Now" { (side(manifest, one.new.as_ref())) }
                    }
                }
            }
        }
    }
}

fn change(word: &str) -> Markup {
    let (said, tone) = match word {
        "added" => ("added", BadgeTone::Good),
        "removed" => ("removed", BadgeTone::Bad),
        "content" => ("changed", BadgeTone::Waiting),
        "metadata" => ("other metadata", BadgeTone::Plain),
        other => (other, BadgeTone::Plain),
    };
    parts::badge(said, tone)
}

fn side(manifest: &str, entry: Option<&ManifestEntryData>) -> Markup {
    let Some(entry) = entry else { return html! { span.soft { "–" } } };
    let shown = entry.digest.as_deref().unwrap_or(&entry.kind);
    html! {
        @if let Some(place) = entry.address(manifest) { a.id href=(place) title=(shown) { (text::cut_at(shown, 19).0) "…" } }
        @if let Some(size) = entry.size { " " span.soft { (parts::size(size)) } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_sides_of_a_change_lead_to_their_content() {
        let change: ManifestChangeData =
            serde_json::from_value(json!({ "path": "a/<script>.md", "change": "content",
            "old": { "path": "a/<script>.md", "type": "artifact", "digest": "sha256:1", "size": 1 },
            "new": { "path": "a/<script>.md", "type": "manifest", "digest": "sha256:2", "size": 2 } }))
            .expect("a change");
        let shown = table("sha256:0", &[change]).into_string();
        assert!(shown.contains("/console/artifacts/sha256%3A1"), "{shown}");
        assert!(shown.contains("/console/manifests/sha256%3A2") && !shown.contains("<script"), "{shown}");
    }
}
