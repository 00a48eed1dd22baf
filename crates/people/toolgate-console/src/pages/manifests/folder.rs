//! A folder of a manifest: the way to it, and a page of what lies in it.

use maud::{Markup, html};

use super::data::{ManifestEntriesData, ManifestEntryData, folder_address};
use crate::parts::{self, json, text};

const PATH_CHARS: usize = 300;

/// Each folder on the way, as a link.
pub(super) fn path(manifest: &str, folder: &str) -> Markup {
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let upto = |count: usize| format!("{}/", parts[..count].join("/"));
    html! {
        @if !parts.is_empty() {
            nav aria-label="Folder" {
                p.mono {
                    a href=(folder_address(manifest, "")) { "all files" }
                    @for (at, part) in parts.iter().enumerate() {
                        " / "
                        @if at + 1 == parts.len() { span aria-current="page" { (text::short(part)) } }
                        @else { a href=(folder_address(manifest, &upto(at + 1))) { (text::short(part)) } }
                    }
                }
            }
        }
    }
}

pub(super) fn table(manifest: &str, folder: &str, page: &ManifestEntriesData) -> Markup {
    let next = page.next_after.as_ref();
    let next = next.map(|after| folder_address(manifest, folder).with("after", after));
    html! {
        @if page.entries.is_empty() { p.soft { "This folder is empty." } } @else {
            table.list {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Type" } th.number scope="col" { "Size" } } }
                tbody { @for entry in &page.entries { (row(manifest, folder, entry)) } }
            }
        }
        @if let Some(next) = next { p.pages { a.button href=(next) rel="next" { "More files" } } }
    }
}

fn row(manifest: &str, folder: &str, entry: &ManifestEntryData) -> Markup {
    let folder = format!("{}/", folder.trim_matches('/'));
    let name = entry.path.strip_prefix(&folder).unwrap_or(&entry.path);
    html! {
        tr data-entry=(entry.path) {
            td data-name="Name" {
                div {
                    @match entry.address(manifest) {
                        Some(place) => a href=(place) { (text::cut(name, PATH_CHARS)) },
                        None => (text::cut(name, PATH_CHARS)),
                    }
                    @if let Some(metadata) = &entry.metadata { details { summary { "Metadata" } (json::tree(metadata)) } }
                }
            }
            td data-name="Type" { (kind(entry)) }
            td.number data-name="Size" { @if let Some(size) = entry.size { (parts::size(size)) } @else { "–" } }
        }
    }
}

fn kind(entry: &ManifestEntryData) -> Markup {
    match (entry.kind.as_str(), &entry.media_type) {
        ("artifact", Some(media_type)) => text::short(media_type),
        (word, _) => text::short(word),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(entries: serde_json::Value) -> ManifestEntriesData {
        let data = json!({ "entries": entries, "next_after": "a/z&b" });
        serde_json::from_value(data).expect("a page")
    }

    #[test]
    fn folders_lead_into_themselves_and_files_to_their_artifacts() {
        let page = page(json!([{ "path": "a/b c/", "type": "folder" },
            { "path": "a/<img src=x>.md", "type": "artifact", "digest": "sha256:1", "size": 5, "media_type": "text/markdown" }]));
        let shown = table("sha256:0", "a/", &page).into_string();
        assert!(shown.contains("/console/manifests/sha256%3A0?folder=a%2Fb%20c%2F"), "{shown}");
        assert!(shown.contains("/console/artifacts/sha256%3A1") && !shown.contains("<img"), "{shown}");
        assert!(shown.contains("<bdi>b c/</bdi>"), "names are within their folder: {shown}");
        assert!(shown.contains("?folder=a%2F&amp;after=a%2Fz%26b"), "{shown}");
    }

    #[test]
    fn the_way_to_a_folder_has_every_folder_on_it() {
        let shown = path("sha256:0", "a/b/c/").into_string();
        assert!(shown.contains("?folder=a%2F\"") && shown.contains("?folder=a%2Fb%2F\""), "{shown}");
        assert!(shown.contains("aria-current=\"page\"") && path("sha256:0", "").into_string().is_empty());
    }
}
