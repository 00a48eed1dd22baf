//! The picture in words: servers, callers, and their traffic.

use maud::{Markup, html};

use super::data::{EdgeData, ServerSumsData, TrafficData, TrafficPrincipalData, TrafficServerData};
use crate::address::PageAddress;
use crate::pages::counted;
use crate::parts::moment::ago;
use crate::parts::{self, links, number, text};
use crate::visit::PageVisit;

pub(super) fn show(visit: &PageVisit, traffic: &TrafficData, servers: &[TrafficServerData]) -> Markup {
    html! {
        div.grid.below-picture {
            div { h3 { "Servers" } (self::servers(visit, traffic, servers)) }
            div { h3 { "Callers" } (principals(visit, traffic)) }
        }
        @if !traffic.edges.is_empty() {
            details #edges { summary { "Callers by server" } (edges(visit, traffic)) }
        }
    }
}

fn servers(visit: &PageVisit, traffic: &TrafficData, servers: &[TrafficServerData]) -> Markup {
    if servers.is_empty() {
        return html! { p.help { "None yet." } };
    }
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Server" } th scope="col" { "State" } th.number scope="col" { "Tools" }
                th.number scope="col" { "Calls" } th.number scope="col" { "Failed" }
            } }
            tbody { @for one in servers { (server(visit, traffic, one, &traffic.to_server(&one.name))) } }
        }
    }
}

fn server(
    visit: &PageVisit,
    traffic: &TrafficData,
    one: &TrafficServerData,
    sums: &ServerSumsData,
) -> Markup {
    let list = |outcomes| traffic.list(outcomes).with("server", &one.name);
    html! {
        tr data-entry=(one.name) {
            td data-name="Server" {
                @if visit.operates() { (links::server(&one.name)) } @else { a href=(PageAddress::of(["console", "calls"]).with("server", &one.name)) { (text::short(&one.name)) } }
            }
            td data-name="State" {
                (parts::state(&one.health))
                @if one.instances > 1 { " " span.soft { (one.instances_healthy) " of " (one.instances) " up" } }
                @if let Some(reason) = &one.reason { div.help { (text::cut(reason, 200)) } }
            }
            td.number data-name="Tools" { (number(one.tools)) }
            td.number data-name="Calls" { (counted::shown(sums.calls, list(counted::ENDED))) }
            td.number data-name="Failed" { (counted::shown(sums.failed, list(counted::FAILED))) }
        }
    }
}

fn principals(visit: &PageVisit, traffic: &TrafficData) -> Markup {
    if traffic.principals.is_empty() {
        return html! { p.help { "No callers in the last hour." } };
    }
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Principal" } th.number scope="col" { "Calls" } th.number scope="col" { "Failed" }
                th.number scope="col" { "Refused" } th scope="col" { "Last call" }
            } }
            tbody { @for one in &traffic.principals { (principal(visit, traffic, one)) } }
        }
        @if traffic.principals_total > traffic.principals.len() as u64 {
            p.help { "The busiest " (traffic.principals.len()) " of " (number(traffic.principals_total)) "." }
        }
    }
}

fn principal(visit: &PageVisit, traffic: &TrafficData, one: &TrafficPrincipalData) -> Markup {
    let list = |outcomes| traffic.list(outcomes).with("principal", &one.id);
    html! {
        tr data-entry=(one.id) {
            td data-name="Principal" { (links::principal(&one.id)) }
            td.number data-name="Calls" { (counted::shown(one.calls, list(counted::ENDED))) }
            td.number data-name="Failed" { (counted::shown(one.failed, list(counted::FAILED))) }
            td.number data-name="Refused" { (counted::shown(one.refused, list(counted::REFUSED))) }
            td data-name="Last call" { (ago(visit, &one.last_call_at)) }
        }
    }
}

fn edges(visit: &PageVisit, traffic: &TrafficData) -> Markup {
    // No filter is for calls without a server.
    let list = |edge: &EdgeData, outcomes| {
        let calls = traffic.list(outcomes).with("principal", &edge.principal);
        edge.server.as_ref().map(|server| calls.with("server", server))
    };
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Principal" } th scope="col" { "Server" } th.number scope="col" { "Calls" }
                th.number scope="col" { "Failed" } th.number scope="col" { "Refused" }
            } }
            tbody {
                @for edge in &traffic.edges {
                    tr {
                        td data-name="Principal" { (links::principal(&edge.principal)) }
                        td data-name="Server" {
                            @match &edge.server {
                                Some(server) if visit.operates() => (links::server(server)),
                                Some(server) => (text::short(server)),
                                None => span.soft { "none" },
                            }
                        }
                        td.number data-name="Calls" { (counted::shown(edge.calls, list(edge, counted::ENDED))) }
                        td.number data-name="Failed" { (counted::shown(edge.failed, list(edge, counted::FAILED))) }
                        td.number data-name="Refused" { (counted::shown(edge.refused, list(edge, counted::REFUSED))) }
                    }
                }
            }
        }
    }
}
