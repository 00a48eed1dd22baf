//! One automation: its rule, its next start, and what came of the earlier ones.

use axum::extract::{Path, Query};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::data::{AutomationData, FireData};
use super::{state, stepping};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const FIRES: usize = 50;

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
    let next = page.next_cursor.as_deref();
    let next = next.map(|cursor| PageAddress::of(["console", "automations", &name]).with("cursor", cursor));
    let actions = html! { (state(&automation)) a.button href="/console/automations" { "All automations" } };
    let body = html! {
        (parts::heading(html! { "Automation " (text::short(&automation.name)) }, actions))
        div.split {
            section.card #fires data-live="automation run" aria-labelledby="fires-title" {
                h2 #fires-title { "Starts" }
                @if page.fires.is_empty() { (nothing()) } @else { (table(&visit, &page.fires)) }
                (parts::next_page(next))
            }
            div {
                section.card #rule data-live="automation" aria-labelledby="rule-title" {
                    h2 #rule-title { "Rule" }
                    (rule(&visit, &automation))
                    (stepping(&visit, &automation))
                }
            }
        }
    };
    Ok(visit.page(&format!("Automation {}", automation.name), ConsolePage::Runs, body).await)
}

fn nothing() -> Markup {
    parts::empty(
        "It has not started anything yet.",
        html! { p { "Each start appears here, and each one that did not happen, with its reason." } },
    )
}

fn table(visit: &PageVisit, fires: &[FireData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "When" } th scope="col" { "State" } th scope="col" { "Run" } th scope="col" { "Cause" } } }
            tbody {
                @for fire in fires {
                    tr data-entry=(fire.cause) {
                        td data-name="When" { (ago(visit, &fire.at)) }
                        td data-name="State" {
                            (parts::state(&fire.state))
                            @if let Some(reason) = &fire.reason { div.help { (text::short(reason)) } }
                        }
                        td data-name="Run" { @if let Some(run) = &fire.run { (links::id(run)) } @else { span.soft { "none" } } }
                        td data-name="Cause" { (text::short(&fire.cause)) }
                    }
                }
            }
        }
    }
}

fn rule(visit: &PageVisit, automation: &AutomationData) -> Markup {
    let seconds = |count: u64| html! { (parts::number(count)) " s" };
    parts::facts([
        ("Id", parts::copyable(&automation.id)),
        ("Starts", html! { (text::short(&automation.cause())) }),
        ("Next", automation.next()),
        (
            "Task",
            html! { a.id href=(PageAddress::of(["console", "runs"]).with("task", &automation.task)) title="All runs of this task" { (text::short(&automation.task)) } },
        ),
        ("While a run lasts", html! { (text::short(&automation.overlap.replace('_', " "))) }),
        ("Late by at most", seconds(automation.catch_up_seconds)),
        ("Delayed by up to", seconds(automation.jitter_seconds)),
        (
            "When a run fails",
            html! { @if automation.pause_on_failure { "it is paused" } @else { "it goes on" } },
        ),
        ("Principal", links::principal(&automation.principal)),
        ("Created by", links::principal(&automation.created_by)),
        ("Created", ago(visit, &automation.created_at)),
    ])
}
