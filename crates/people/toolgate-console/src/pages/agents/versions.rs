//! The versions of a definition that were in effect, and the changes of each.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::pages::catalogue::digest;
use crate::parts::{self, diff, moment};
use crate::visit::PageVisit;

/// The number of versions that are shown with their changes.
const VERSIONS_MAX: usize = 20;

#[derive(Deserialize)]
pub(super) struct VersionsData {
    versions: Vec<VersionData>,
}

#[derive(Deserialize)]
struct VersionData {
    number: u64,
    version: String,
    first_seen: String,
    definition: Value,
}

pub(super) fn show(visit: &PageVisit, versions: &VersionsData, current: &str) -> Markup {
    let versions = &versions.versions;
    html! {
        h2 { "Versions" }
        @if versions.is_empty() {
            (parts::empty("No version has been in effect yet.", html! { p { "The agent's first session creates one." } }))
        } @else {
            ol.timeline reversed {
                @for (place, one) in versions.iter().enumerate().rev().take(VERSIONS_MAX) {
                    li {
                        strong { "Version " (one.number) } " " @if one.version == current { (parts::state("active")) }
                        " " span.soft { (moment::ago(visit, &one.first_seen)) } " " (digest(&one.version))
                        @if let Some(before) = place.checked_sub(1).and_then(|place| versions.get(place)) {
                            details id={ "version-" (one.number) } { summary { "Changes" } div.scroll tabindex="0" { (diff::lines(&written(before), &written(one))) } }
                        }
                    }
                }
            }
        }
    }
}

fn written(version: &VersionData) -> String {
    let mut text = serde_json::to_string_pretty(&version.definition).unwrap_or_default();
    text.push('\n');
    text
}
