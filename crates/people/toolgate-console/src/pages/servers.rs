//! Servers: the source and the health of each, and advice for unhealthy ones.

mod advice;
mod data;
mod detail;

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, links, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{ServerData, ServersData};

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/servers", get(list))
        .route("/console/servers/{name}", get(detail::show).post(detail::forget))
        .route("/console/servers/{name}/restart", post(detail::restart))
        .route("/console/servers/{name}/disable", post(detail::disable))
        .route("/console/servers/{name}/enable", post(detail::enable))
}

async fn list(visit: PageVisit) -> PageResult<Response> {
    let ServersData { servers } = visit.get(PageAddress::of(["servers"])).await?;
    let actions = html! {
        a.button href="/console/connectors" { "Connectors" }
        @if visit.operates() { a.button href="/console/settings" { "Add a server" } }
    };
    let body = html! {
        (parts::heading(html! { "Servers" }, actions))
        section #servers data-live="server registry config setting" {
            @if servers.is_empty() { (none_yet()) } @else {
                (summary(&servers))
                table.list {
                    thead {
                        tr {
                            th scope="col" { "Server" } th scope="col" { "State" } th scope="col" { "Reason" }
                            th scope="col" { "From" } th.number scope="col" { "Tools" } th.number scope="col" { "Instances" }
                            th scope="col" { "Since" }
                        }
                    }
                    tbody { @for server in &servers { (row(&visit, server)) } }
                }
            }
        }
    };
    Ok(visit.page("Servers", ConsolePage::Servers, body).await)
}

fn summary(servers: &[ServerData]) -> Markup {
    let disabled = servers.iter().filter(|server| server.is_disabled()).count();
    let healthy = servers.iter().filter(|server| server.health == "healthy").count();
    let tools: u64 = servers.iter().map(|server| server.tools).sum();
    html! {
        p.soft {
            (healthy) " of " (servers.len() - disabled) " healthy, "
            @if disabled > 0 { (disabled) " disabled, " }
            "with " (parts::number(tools)) " tools. "
            a href="/console/tools" { "All tools" }
        }
    }
}

fn row(visit: &PageVisit, server: &ServerData) -> Markup {
    html! {
        tr data-entry=(server.name) {
            td data-name="Server" { (links::server(&server.name)) }
            td data-name="State" { (parts::state(&server.health)) }
            td data-name="Reason" { @if let Some(reason) = &server.reason { (text::cut(reason, 300)) } @else { span.soft { "–" } } }
            td data-name="From" {
                (data::source(&server.source))
                @if let Some(outdated) = &server.outdated { div.help { (text::cut(&outdated.says, 300)) } }
            }
            td.number data-name="Tools" { (parts::number(server.tools)) }
            td.number data-name="Instances" { (server.instances.len().max(1)) }
            td data-name="Since" { @if let Some(since) = &server.since { (moment::ago(visit, since)) } @else { span.soft { "–" } } }
        }
    }
}

fn none_yet() -> Markup {
    parts::empty(
        "No server is connected yet.",
        html! {
            p { "Servers provide the tools. Add a program on this machine to the configuration file; add a server with an address here." }
            pre { "[[servers]]\nname = \"files\"\ncommand = [\"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \"/srv/files\"]" }
            p { a.button.primary href="/console/settings" { "Add a server by its address" } " " a.button href="/docs/how-to/add-a-server" { "How to add a server" } }
        },
    )
}
