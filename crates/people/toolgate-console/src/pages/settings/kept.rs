//! Retention: how long data is kept, and where that is set.

use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::tabs::{Side, head};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, moment};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct RetentionData {
    #[serde(default)]
    events_days: Option<u64>,
    bodies_days: u64,
    detailed_bodies_days: u64,
    body_bytes_max: u64,
    detailed_body_bytes_max: u64,
    #[serde(default)]
    files_days: Option<u64>,
    refs_seconds: u64,
    urls_seconds: u64,
    upload_urls_seconds: u64,
}

const DAY_SECONDS: u64 = 24 * 60 * 60;

struct RetentionLine {
    what: &'static str,
    kept: String,
    key: &'static str,
    note: Markup,
}

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    let kept: RetentionData = visit.get(PageAddress::of(["retention"])).await?;
    let body = html! {
        (head(Side::Retention))
        p { "Events are kept forever: each holds the hash of the one before it, and " a href="/console/ledger" { "the ledger" }
            " can be verified. Arguments, results and files can be deleted, and a person's can be erased; the events stay." }
        table.list {
            thead { tr { th scope="col" { "What" } th scope="col" { "Kept" } th scope="col" { "Set by" } th scope="col" { "Note" } } }
            tbody {
                @for line in lines(&kept) {
                    tr {
                        td data-name="What" { (line.what) }
                        td data-name="Kept" { strong { (line.kept) } }
                        td data-name="Set by" { @if line.key.is_empty() { span.soft { "nothing" } } @else { code { (line.key) } } }
                        td data-name="Note" { (line.note) }
                    }
                }
            }
        }
        p.help { "Set these in the configuration file; changes take effect after a restart. Existing data keeps the retention period it was stored with." }
    };
    Ok(visit.page("Retention", ConsolePage::Settings, body).await)
}

fn lines(kept: &RetentionData) -> Vec<RetentionLine> {
    let days = |days: u64| if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
    let seconds = |seconds: u64| match seconds {
        DAY_SECONDS => days(1),
        seconds => moment::span(i64::try_from(seconds).unwrap_or(i64::MAX / 1_000).saturating_mul(1_000)),
    };
    let up_to = |bytes: u64| html! { "up to " (parts::size(bytes)) " each; larger ones are not kept" };
    vec![
        RetentionLine {
            what: "Events of the ledger",
            kept: kept.events_days.map_or("forever".to_owned(), days),
            key: "[ledger] keep_events_days",
            note: html! { "without bodies and secrets" },
        },
        RetentionLine {
            what: "Arguments and results",
            kept: days(kept.bodies_days),
            key: "[ledger] keep_days",
            note: up_to(kept.body_bytes_max),
        },
        RetentionLine {
            what: "Arguments and results of tools with detailed audit",
            kept: days(kept.detailed_bodies_days),
            key: "[ledger] keep_days_detailed",
            note: up_to(kept.detailed_body_bytes_max),
        },
        RetentionLine {
            what: "Uploaded files",
            kept: kept.files_days.map_or("until they are deleted".to_owned(), days),
            key: "[files] keep_days",
            note: html! { "artifacts of runs stay" },
        },
        RetentionLine {
            what: "Refs to large results",
            kept: seconds(kept.refs_seconds),
            key: "[results] ref_keep_seconds",
            note: html! { "starting with the call that created them" },
        },
        RetentionLine {
            what: "Addresses for downloads",
            kept: seconds(kept.urls_seconds),
            key: "[files] url_keep_seconds",
            note: html! { "anyone who has one needs no token" },
        },
        RetentionLine {
            what: "Addresses for uploads",
            kept: seconds(kept.upload_urls_seconds),
            key: "[files] upload_url_keep_seconds",
            note: html! { "each takes one file" },
        },
    ]
}
