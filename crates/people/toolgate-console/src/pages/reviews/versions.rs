//! Every definition that a tool's server has offered, and the difference between one of them and the current one.

use maud::{Markup, html};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::pages::catalogue;
use crate::parts::{moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The latest ones; few tools have more.
const SHOWN_MAX: usize = 50;

#[derive(Deserialize)]
struct ToolVersionsData {
    versions: Vec<ToolVersionData>,
}

#[derive(Deserialize)]
struct ToolVersionData {
    version: String,
    first_seen: String,
}

#[derive(Deserialize)]
struct ComparedData {
    diff: String,
    #[serde(default)]
    summary: String,
}

/// `from` is the version to compare the current one with.
pub(super) async fn show(visit: &PageVisit, name: &str, from: Option<&str>) -> PageResult<Markup> {
    let address = PageAddress::of(["registry", "tools", name, "versions"]);
    let ToolVersionsData { versions } = visit.get(address).await?;
    let compared = match from {
        Some(from) => {
            let address =
                PageAddress::of(["registry", "tools", name, "versions", "compare"]).with("from", from);
            visit.find::<ComparedData>(address).await?
        }
        None => None,
    };
    Ok(html! {
        section.card #versions {
            h2 { "All versions" }
            @if versions.len() < 2 {
                p.soft { "Its server has offered one definition so far." }
            } @else {
                ul {
                    @for one in versions.iter().rev().take(SHOWN_MAX) {
                        li {
                            (catalogue::digest(&one.version)) ", first seen " (moment::ago(visit, &one.first_seen)) " "
                            a href=(compare(name, &one.version)) { "compare with the current one" }
                        }
                    }
                }
            }
            @if let Some(compared) = &compared { (difference(compared)) }
        }
    })
}

fn compare(name: &str, from: &str) -> String {
    format!("{}#versions", PageAddress::of(["console", "reviews", name]).with("from", from))
}

fn difference(compared: &ComparedData) -> Markup {
    html! {
        h3 { "From that version to the current one" }
        @if !compared.summary.is_empty() { p { (text::made_visible(&compared.summary)) "." } }
        @if compared.diff.is_empty() { p.soft { "They are the same." } } @else { div.scroll tabindex="0" { (text::block(&compared.diff)) } }
    }
}
