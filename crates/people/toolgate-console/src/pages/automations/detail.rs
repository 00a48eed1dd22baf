//! One automation: its rule, its next starts, and what came of the earlier ones.

use axum::extract::{Path, Query};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::data::{AutomationData, InstantsData, every};
use super::fires::{self, FireData};
use super::{state, stepping};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::task_names::TaskNames;
use crate::parts::moment::{ago, at};
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const FIRES: usize = 50;
/// The number of next starts that are shown.
const INSTANTS: usize = 5;

#[derive(Default, Deserialize)]
pub(super) struct FiresPageQuery {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct FiresData {
    fires: Vec<FireData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

pub(super) async fn show(
    visit: PageVisit,
    Path(name): Path<String>,
    Query(wanted): Query<FiresPageQuery>,
) -> PageResult<Response> {
    let automation: AutomationData = visit.get(PageAddress::of(["automations", &name])).await?;
    let asked = PageAddress::of(["automations", &name, "fires"]).maybe("cursor", wanted.cursor.as_deref());
    let page: FiresData = visit.get(asked.with("limit", FIRES)).await?;
    let instants: InstantsData = match automation.is_timed() && automation.paused.is_none() {
        true => visit.get(PageAddress::of(["automations", &name, "next"]).with("limit", INSTANTS)).await?,
        false => InstantsData::default(),
    };
    let tasks = TaskNames::read(&visit).await?;
    let next = page.next_cursor.as_deref();
    let next = next.map(|cursor| PageAddress::of(["console", "automations", &name]).with("cursor", cursor));
    let actions = html! { (state(&automation)) a.button href="/console/automations" { "All automations" } };
    let body = html! {
        (parts::heading(html! { "Automation " (text::short(&automation.name)) }, actions))
        div.split {
            div {
                (history(&visit, &page.fires))
                (parts::next_page(next))
            }
            div {
                section.card #next data-live="automation" aria-labelledby="next-title" {
                    h2 #next-title { "Next starts" }
                    (self::next(&visit, &automation, &instants))
                }
                section.card #rule data-live="automation" aria-labelledby="rule-title" {
                    h2 #rule-title { "Rule" }
                    (rule(&visit, &automation, &tasks))
                    (stepping(&visit, &automation))
                }
            }
        }
    };
    Ok(visit.page(&format!("Automation {}", automation.name), ConsolePage::Runs, body).await)
}

/// Starts, and apart from them what did not start.
fn history(visit: &PageVisit, all: &[FireData]) -> Markup {
    let (started, left_out): (Vec<&FireData>, Vec<&FireData>) = all.iter().partition(|fire| fire.is_start());
    html! {
        section.card #fires data-live="automation run" aria-labelledby="fires-title" {
            h2 #fires-title { "Starts" }
            @if started.is_empty() { (nothing()) } @else { (fires::started(visit, &started)) }
        }
        section.card #left-out data-live="automation run" aria-labelledby="left-out-title" {
            h2 #left-out-title { "Missed, skipped or failed" }
            @if left_out.is_empty() { p.help { "No start was missed." } } @else { (fires::left_out(visit, &left_out)) }
        }
    }
}

fn nothing() -> Markup {
    parts::empty(
        "This automation has not started a run yet.",
        html! { p { "Each start appears here. Missed starts appear below with the reason." } },
    )
}

fn next(visit: &PageVisit, automation: &AutomationData, instants: &InstantsData) -> Markup {
    html! {
        @if instants.instants.is_empty() { p { (automation.next(visit)) } } @else {
            ol { @for moment in &instants.instants { li { (at(visit, moment)) " " span.soft { "(" (ago(visit, moment)) ")" } } } }
            @if automation.jitter_seconds > 0 { p.help { "Each start is delayed by up to " (every(automation.jitter_seconds)) "." } }
        }
    }
}

fn rule(visit: &PageVisit, automation: &AutomationData, tasks: &TaskNames) -> Markup {
    parts::facts([
        ("Id", parts::copyable(&automation.id)),
        ("Starts", automation.trigger(tasks)),
        ("Task", tasks.link(&automation.task)),
        (
            "Runs",
            html! { a href=(PageAddress::of(["console", "runs"]).with("task", &automation.task)) { "of this task" } },
        ),
        ("While a run is active", html! { (overlap(&automation.overlap)) }),
        ("Catch up at most", html! { (every(automation.catch_up_seconds)) }),
        ("Delay at most", html! { (every(automation.jitter_seconds)) }),
        ("When a run fails", html! { @if automation.pause_on_failure { "pause" } @else { "continue" } }),
        ("Runs as", links::principal(&automation.principal)),
        ("Created by", links::principal(&automation.created_by)),
        ("Created", ago(visit, &automation.created_at)),
    ])
}

/// The rule for a start while an earlier run has not ended.
fn overlap(word: &str) -> Markup {
    match word {
        "skip" => html! { "skip the start" },
        "buffer_one" => html! { "queue one start" },
        "cancel_other" => html! { "cancel that run" },
        "allow_all" => html! { "start another one" },
        other => text::short(other),
    }
}
