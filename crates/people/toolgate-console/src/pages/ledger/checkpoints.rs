//! Signed checkpoints of the ledger: where they are written, and whether the ledger still agrees with them.

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::chain::{AdvisedFaultData, advised};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::{ago, at, span};
use crate::parts::{self, BadgeTone, number, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const PAGE: usize = 10;
const GUIDE: &str = "/docs/how-to/prove-what-happened";

#[derive(Default, Deserialize)]
pub(super) struct CheckpointsPageQuery {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct CheckpointsData {
    configured: bool,
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    every_seconds: Option<i64>,
    places: Vec<CheckpointPlaceData>,
    checkpoints: Vec<CheckpointData>,
    #[serde(default)]
    faults: Vec<AdvisedFaultData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct CheckpointPlaceData {
    name: String,
    waiting: u64,
}

#[derive(Deserialize)]
struct CheckpointData {
    file: String,
    at: String,
    agrees: bool,
    streams: Vec<CheckpointStreamData>,
}

#[derive(Deserialize)]
struct CheckpointStreamData {
    stream: String,
    size: u64,
    state: String,
}

pub(super) async fn show(
    visit: PageVisit,
    Query(wanted): Query<CheckpointsPageQuery>,
) -> PageResult<Response> {
    let asked = PageAddress::of(["ledger", "checkpoints"]).maybe("cursor", wanted.cursor.as_deref());
    let page: CheckpointsData = visit.get(asked.with("limit", PAGE)).await?;
    let body = html! {
        (parts::heading(html! { "Checkpoints" }, html! { a.button href="/console/ledger" { "Ledger" } }))
        p {
            "A checkpoint is a signed record of every stream of the ledger at one time. "
            a href=(GUIDE) { "Prove what happened" } " explains it."
        }
        @if page.configured { (signed(&visit, &page)) } @else { (unsigned()) }
    };
    Ok(visit.page("Checkpoints", ConsolePage::Ledger, body).await)
}

fn unsigned() -> Markup {
    parts::empty(
        "The ledger of this gateway is not signed.",
        html! {
            p { "Create a key and name it in " code { "[checkpoints]" } " of the configuration:" }
            (parts::copyable("toolgate ledger key --new checkpoint.key"))
        },
    )
}

fn signed(visit: &PageVisit, page: &CheckpointsData) -> Markup {
    let place = PageAddress::of(["console", "ledger", "checkpoints"]);
    let next = page.next_cursor.as_deref().map(|cursor| place.with("cursor", cursor));
    html! {
        section.card aria-labelledby="signing-title" {
            h2 #signing-title { "Signing" }
            (schedule(page))
        }
        section #checkpoints aria-labelledby="checkpoints-title" {
            h2 #checkpoints-title { "In the folder" }
            (advised(&page.faults))
            @if page.checkpoints.is_empty() { (nothing()) } @else { (table(visit, &page.checkpoints)) }
            (parts::next_page(next))
        }
    }
}

fn schedule(page: &CheckpointsData) -> Markup {
    let every = page.every_seconds.map(|seconds| span(seconds.saturating_mul(1_000)));
    let rows = [
        ("Public key", page.key.as_deref().map(parts::copyable)),
        ("Signed", every.map(|every| html! { "every " (every) ", if anything was recorded" })),
        ("Written to", Some(places(&page.places))),
    ];
    parts::facts(rows.into_iter().filter_map(|(name, value)| Some((name, value?))))
}

fn places(places: &[CheckpointPlaceData]) -> Markup {
    html! {
        ul {
            @for place in places {
                li {
                    (text::short(&place.name))
                    @if place.waiting > 0 { " " (parts::badge(&format!("{} not written yet", number(place.waiting)), BadgeTone::Waiting)) }
                }
            }
        }
    }
}

fn nothing() -> Markup {
    parts::empty(
        "There is no checkpoint to compare with.",
        html! { p { "This page reads checkpoints from the " code { "folder" } " of " code { "[checkpoints]" } ". Verify checkpoints in other places with "
        code { "toolgate ledger verify --against FILE" } "." } },
    )
}

fn table(visit: &PageVisit, checkpoints: &[CheckpointData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Signed" } th scope="col" { "Ledger" } th scope="col" { "Streams" } th scope="col" { "File" } } }
            tbody {
                @for one in checkpoints {
                    tr data-entry=(one.file) {
                        td data-name="Signed" { (at(visit, &one.at)) div.help { (ago(visit, &one.at)) } }
                        td data-name="Ledger" { (verdict(one)) }
                        td data-name="Streams" { ul.plainly { @for stream in &one.streams { li { (self::stream(stream)) } } } }
                        td data-name="File" { code { (text::short(&one.file)) } }
                    }
                }
            }
        }
    }
}

fn verdict(one: &CheckpointData) -> Markup {
    match one.agrees {
        true => parts::badge("agrees", BadgeTone::Good),
        false => {
            html! { (parts::badge("disagrees", BadgeTone::Bad)) div.help { a href="/console/ledger" { "Verify the chain" } " to see where." } }
        }
    }
}

fn stream(one: &CheckpointStreamData) -> Markup {
    html! {
        (text::short(&one.stream)) " " span.soft { (number(one.size)) " events" }
        @match one.state.as_str() {
            "same" => {},
            "removed" => { " " (parts::badge("removed since", BadgeTone::Plain)) },
            _ => { " " (parts::badge("changed", BadgeTone::Bad)) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_that_the_ledger_disagrees_with_stands_out() {
        let one: CheckpointData = serde_json::from_value(serde_json::json!({
            "file": "<1>.checkpoint", "at": "2026-01-01T00:00:00Z", "agrees": false,
            "streams": [{ "stream": "gateway", "size": 1_234, "root": "sha256:0", "state": "different" }],
        }))
        .expect("a checkpoint");
        assert!(verdict(&one).into_string().contains("disagrees"));
        let shown = stream(&one.streams[0]).into_string();
        assert!(shown.contains("1,234 events") && shown.contains("changed"), "{shown}");
    }
}
