//! The overview: the traffic through the gateway, its health, and the waiting items.

mod chart;
mod data;
mod lists;
mod picture;
mod start;
mod summary;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};

use super::counted;
use super::figures::FiguresData;
use super::models::SpendSumsData;
use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::{ago, span};
use crate::parts::money::money;
use crate::parts::{self, number};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{LedgerStateData, OverviewData, TokenCostData, TrafficData};

/// All events that can change the page.
const LIVE: &str = "tool.call server approval input registry session";

/// The step that has just begun is compared with a whole one, so it is short.
const DAY_POINTS: usize = 96;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/", get(show))
}

async fn show(visit: PageVisit) -> PageResult<Response> {
    let overview: OverviewData = visit.get(PageAddress::of(["overview"])).await?;
    let day = PageAddress::of(["figures"])
        .with("range", "24h")
        .with("compare", "before")
        .with("points", DAY_POINTS);
    let day: Option<FiguresData> = if visit.audits() { visit.find(day).await? } else { None };
    let body = html! {
        (parts::heading(html! { "Overview" }, html! { a.button href="/docs" { "How it works" } }))
        div #overview data-live=(LIVE) {
            (start::next_steps(&overview))
            (summary::show(&visit, &overview, day.as_ref()))
            @if overview.traffic.is_some() { (tiles(&visit, &overview)) }
            @if let (Some(traffic), Some(servers)) = (&overview.traffic, &overview.servers) {
                @if !servers.is_empty() || !traffic.principals.is_empty() {
                    section.card aria-labelledby="picture-title" {
                        h2 #picture-title { "Agents, gateway, servers" }
                        p.help.of-picture { "Calls in the last hour. A wider line means more calls; the dashed part failed." }
                        (picture::draw(traffic, servers))
                        (lists::show(&visit, traffic, servers))
                    }
                    section.card aria-labelledby="minutes-title" {
                        h2 #minutes-title { "Calls per minute" }
                        (chart::draw(traffic))
                    }
                }
            }
        }
    };
    Ok(visit.page("Overview", ConsolePage::Overview, body).await)
}

fn tiles(visit: &PageVisit, overview: &OverviewData) -> Markup {
    html! {
        div.stats {
            @if let Some(traffic) = &overview.traffic { (calls(traffic)) }
            @if let Some(tokens) = &overview.tokens { (saved(tokens)) }
            @if let Some(spend) = &overview.spend_today { (spent(spend)) }
            @if let Some(ledger) = &overview.ledger { (record(visit, ledger)) }
        }
    }
}

fn calls(traffic: &TrafficData) -> Markup {
    let calls = counted::shown(traffic.calls, traffic.list(counted::ENDED));
    let failed = counted::shown(traffic.failed, traffic.list(counted::FAILED));
    let refused = counted::shown(traffic.refused, traffic.list(counted::REFUSED));
    let latency = &traffic.latency;
    html! {
        (parts::stat("Calls, last hour", calls, html! { (number(traffic.lately())) " in the last 5 minutes" }))
        (parts::stat("Failed, last hour", failed, html! { "of " (number(traffic.ran())) " that ran; " (refused) " refused" }))
        @if latency.count > 0 {
            (parts::stat("Median call", html! { (span(latency.p50_ms.round() as i64)) },
                html! { "95th percentile: " (span(latency.p95_ms.round() as i64)) }))
        }
    }
}

/// The explanation is beside the number: a number of tokens alone says little.
fn saved(tokens: &TokenCostData) -> Markup {
    let whole = tokens.catalogue * tokens.sessions;
    let share = if whole == 0 { 0.0 } else { tokens.saved as f64 / whole as f64 };
    let more = match tokens.sessions {
        1.. if tokens.saved == 0 => {
            html! { "every session lists all tools, " (number(tokens.catalogue)) " tokens each" }
        }
        0 => {
            html! { "no session was used in the last few minutes; a list of every tool costs " (number(tokens.catalogue)) }
        }
        1 => html! { (percent(share)) " of a list of every tool, in 1 session" },
        some => html! { (percent(share)) " of a list of every tool for each of " (number(some)) " sessions" },
    };
    parts::stat(
        "Tokens saved by scoping",
        html! { a href="/console/sessions" { (number(tokens.saved)) } },
        more,
    )
}

/// The cost of models since midnight, UTC.
fn spent(spend: &SpendSumsData) -> Markup {
    let more = match spend.turns {
        0 => html! { "no model was asked today" },
        _ => html! { (number(spend.tokens())) " tokens, " (spend.cached()) " of the input from the cache" },
    };
    let cost = html! { a href="/console/models" { (money(spend.cost_micros, None)) } };
    parts::stat("Models, today", cost, more)
}

fn record(visit: &PageVisit, ledger: &LedgerStateData) -> Markup {
    let more = match &ledger.verified {
        None => html! { "not verified since this gateway started" },
        Some(found) if found.intact => html! { "verified " (ago(visit, &found.at)) },
        Some(found) => html! { strong.error { "not intact" } ", found " (ago(visit, &found.at)) },
    };
    parts::stat("Events in the ledger", html! { a href="/console/ledger" { (number(ledger.events)) } }, more)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// 1 tool, 2 tools.
fn several(count: u64, name: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {name}{ending}", number(count))
}
