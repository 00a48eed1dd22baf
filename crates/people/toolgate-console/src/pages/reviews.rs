//! Reviews: tools that changed, are new, or seem to address the model. The pinned definition is beside the
//! offered one.

mod addresses;
mod detail;
mod versions;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};

use super::catalogue::{self, RegistryData, RegistryTool};
use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const PAGE: usize = 200;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/reviews", get(list))
        .route("/console/reviews/{name}", get(detail::show).post(detail::decide))
}

async fn list(visit: PageVisit) -> PageResult<Response> {
    let quarantined = in_status(&visit, "quarantined").await?;
    let drifted = in_status(&visit, "drifted").await?;
    let body = html! {
        (parts::heading(html! { "Reviews" }, html! { a.button href="/console/tools" { "All tools" } }))
        p.soft { "The gateway pins each tool's definition when it first sees it. A tool whose definition changes, or seems to address the model, is withheld until someone has reviewed it." }
        section #reviews data-live="registry" {
            @if quarantined.tools.is_empty() && drifted.tools.is_empty() { (none()) }
            (group(&visit, "Withheld", "Agents do not see these tools.", &quarantined))
            (group(&visit, "Drifting", "Some instances offer another definition. Those that still offer the pinned one serve it.", &drifted))
        }
        @if !visit.operates() { p.help { "Only admins and operators can accept or reject." } }
    };
    Ok(visit.page("Reviews", ConsolePage::Reviews, body).await)
}

async fn in_status(visit: &PageVisit, status: &str) -> PageResult<RegistryData> {
    visit.get(PageAddress::of(["registry", "tools"]).with("status", status).with("limit", PAGE)).await
}

fn none() -> Markup {
    parts::empty(
        "No tool is waiting for review.",
        html! {
            p { "Every tool that agents see matches its pinned definition. When a server changes one, it appears here with the difference." }
            p { a.button href="/console/tools" { "See the tools" } }
        },
    )
}

fn group(visit: &PageVisit, title: &str, what: &str, found: &RegistryData) -> Markup {
    html! {
        @if !found.tools.is_empty() {
            h2 { (title) }
            p.soft { (what) }
            table.list {
                thead { tr { th scope="col" { "Tool" } th scope="col" { "Server" } th scope="col" { "Reason" } th.number scope="col" { "Findings" } th scope="col" { "Last seen" } th scope="col" { "Next" } } }
                tbody { @for tool in &found.tools { (row(visit, tool)) } }
            }
            @if found.next_cursor.is_some() { p.soft { "There are more. They appear once these are decided." } }
        }
    }
}

fn row(visit: &PageVisit, tool: &RegistryTool) -> Markup {
    let place = PageAddress::of(["console", "reviews", &tool.name]);
    html! {
        tr data-entry=(tool.name) {
            td data-name="Tool" { a href=(place) { (text::short(&tool.name)) } }
            td data-name="Server" { (catalogue::server(visit, &tool.server)) }
            td data-name="Reason" { @if let Some(reason) = &tool.reason { (catalogue::reason(reason)) } @else { (parts::state(&tool.status)) } }
            td.number data-name="Findings" { (tool.findings.len()) }
            td data-name="Last seen" { (moment::ago(visit, &tool.last_seen)) }
            td data-name="Next" { a.button.small href=(place) { "Review it" } }
        }
    }
}
