//! The versions of the setting `policy`: who put what in force, and why.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::address::PageAddress;
use crate::parts::moment::ago;
use crate::parts::{links, text};
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct SettingVersionsData {
    /// The latest first.
    versions: Vec<PastSettingData>,
}

#[derive(Deserialize)]
struct PastSettingData {
    version: u64,
    value: Value,
    #[serde(default)]
    reason: Option<String>,
    set_at: String,
    set_by: String,
}

impl SettingVersionsData {
    pub(super) fn value_of(&self, version: u64) -> Option<&Value> {
        self.versions.iter().find(|one| one.version == version).map(|one| &one.value)
    }
}

pub(super) fn loaded(version: u64) -> Markup {
    html! { p.notice role="status" { "This is version " (version) ". Give a reason and put it in force to undo later changes." } }
}

pub(super) fn unknown(version: u64) -> Markup {
    html! { p.notice role="status" { "Version " (version) " is not kept. The policies in force are below." } }
}

pub(super) fn list(visit: &PageVisit, versions: &SettingVersionsData) -> Markup {
    html! {
        @if !versions.versions.is_empty() {
            section.card aria-labelledby="versions-title" {
                h2 #versions-title { "Versions" }
                table.list {
                    thead { tr {
                        th scope="col" { "Version" } th scope="col" { "Reason" } th scope="col" { "Texts" } th scope="col" { "By" }
                        th scope="col" { "When" } th scope="col" { "Restore" }
                    } }
                    tbody {
                        @for (place, one) in versions.versions.iter().enumerate() { (row(visit, one, place == 0)) }
                    }
                }
            }
        }
    }
}

fn row(visit: &PageVisit, one: &PastSettingData, is_latest: bool) -> Markup {
    let texts: Vec<&String> = one.value.as_object().into_iter().flat_map(|texts| texts.keys()).collect();
    let again = PageAddress::of(["console", "policy", "write"]).with("version", one.version);
    html! {
        tr data-entry=(one.version) {
            td data-name="Version" { (one.version) @if is_latest { " (the latest)" } }
            td data-name="Reason" { @if let Some(reason) = &one.reason { (text::long(reason)) } }
            td data-name="Texts" {
                @if texts.is_empty() { span.soft { "none" } }
                @for (place, key) in texts.iter().enumerate() { @if place > 0 { ", " } (text::short(&key.replace('_', " "))) }
            }
            td data-name="By" { (links::principal(&one.set_by)) }
            td data-name="When" { (ago(visit, &one.set_at)) }
            td data-name="Restore" { @if !is_latest { a href=(again) { "Open version " (one.version) } } }
        }
    }
}
