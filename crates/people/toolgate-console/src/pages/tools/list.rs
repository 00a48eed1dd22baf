//! The list of tools, or the results of a search.

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};

use super::search::{self, SearchData};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::catalogue::{self, CallsOf, RegistryData, RegistryTool, share};
use crate::pages::filters::{self, PageFilters};
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const ALL: &str = "/console/tools";
const PAGE: usize = 50;
const SUMMARY_CHARS: usize = 140;
const FILTERS: [&str; 4] = ["q", "agent", "server", "status"];
const REGISTRY_FILTERS: [&str; 2] = ["server", "status"];
const STATUSES: [&str; 4] = ["active", "drifted", "quarantined", "retired"];

pub(super) async fn show(
    visit: PageVisit,
    Query(pairs): Query<Vec<(String, String)>>,
) -> PageResult<Response> {
    let wanted = PageFilters::of(pairs.clone(), &FILTERS);
    let found = match wanted.get("q") {
        Some(_) if visit.operates() => search::results(SearchData::ask(&visit, &wanted).await),
        _ => registry(&visit, &PageFilters::of(pairs, &REGISTRY_FILTERS)).await?,
    };
    let form = filter_form(&visit, &wanted).await?;
    let body = html! {
        (parts::heading(html! { "Tools" }, html! { a.button href="/console/reviews" { "Reviews" } }))
        (form)
        (found)
    };
    Ok(visit.page("Tools", ConsolePage::Tools, body).await)
}

async fn filter_form(visit: &PageVisit, wanted: &PageFilters) -> PageResult<Markup> {
    let agents = if visit.operates() { search::agents(visit).await? } else { Vec::new() };
    Ok(html! {
        form.card method="get" action=(ALL) role="search" {
            @if visit.operates() {
                div.row {
                    div.field.grow {
                        label for="q" { "Search, as agents do" }
                        input type="search" #q name="q" value=[wanted.get("q")] data-search placeholder="what the tool should do, or its name";
                    }
                    (as_agent(wanted, &agents))
                }
            } @else {
                p.help { "Only admins and operators can search with the agents' ranking." }
            }
            div.filters {
                (filters::text(wanted, "server", "Server", ""))
                @if wanted.get("q").is_none() { (filters::choice(wanted, "status", "State", &STATUSES)) }
                (filters::buttons(wanted, ALL))
            }
        }
    })
}

fn as_agent(wanted: &PageFilters, agents: &[String]) -> Markup {
    html! {
        div.field {
            label for="agent" { "As this agent sees it" }
            select #agent name="agent" {
                option value="" { "as your own token" }
                @for agent in agents { option value=(agent) selected[wanted.get("agent") == Some(agent)] { (text::made_visible(agent)) } }
            }
        }
    }
}

async fn registry(visit: &PageVisit, wanted: &PageFilters) -> PageResult<Markup> {
    let asked = wanted.asking(PageAddress::of(["registry", "tools"]), PAGE);
    let RegistryData { tools, next_cursor } = match visit.get(asked).await {
        Ok(page) => page,
        Err(problem) => return Ok(filters::refused(Some(&problem))),
    };
    let calls = CallsOf::anything(visit).await?;
    let next =
        next_cursor.map(|cursor| wanted.on(PageAddress::of(["console", "tools"])).with("cursor", cursor));
    Ok(html! {
        section #tools data-live="registry server" {
            @if tools.is_empty() { (nothing(visit, wanted)) } @else {
                (table(visit, &tools, &calls))
                @if let Some(next) = next { p.pages { a.button href=(next) rel="next" { "More tools" } } }
            }
        }
    })
}

fn table(visit: &PageVisit, tools: &[RegistryTool], calls: &CallsOf) -> Markup {
    html! {
        table.list {
            @if !calls.latest().is_empty() { caption { "The last " (calls.latest().len()) " calls to all tools are counted." } }
            thead {
                tr {
                    th scope="col" { "Tool" } th scope="col" { "Server" } th scope="col" { "State" } th scope="col" { "A call may" }
                    th.number scope="col" { "Tokens" }
                    @if calls.is_known() { th.number scope="col" { "Calls" } th.number scope="col" { "Approvals" } }
                }
            }
            tbody { @for tool in tools { (row(visit, tool, calls)) } }
        }
    }
}

fn row(visit: &PageVisit, tool: &RegistryTool, calls: &CallsOf) -> Markup {
    let tally = calls.tally_of(&tool.name);
    html! {
        tr data-entry=(tool.name) {
            td data-name="Tool" {
                div {
                    (links::tool(&tool.name))
                    @if let Some(summary) = &tool.summary { div.help { (catalogue::brief(summary, SUMMARY_CHARS)) } }
                }
            }
            td data-name="Server" { (catalogue::server(visit, &tool.server)) }
            td data-name="State" {
                @if tool.waits() { a href=(PageAddress::of(["console", "reviews", &tool.name])) { (parts::state(&tool.status)) } }
                @else { (parts::state(&tool.status)) }
            }
            td data-name="A call may" { (catalogue::effects(tool.effects())) }
            td.number data-name="Tokens" { @if let Some(known) = &tool.in_force { (parts::number(known.tokens)) } @else { "–" } }
            @if calls.is_known() {
                td.number data-name="Calls" { (tally.calls) }
                td.number data-name="Approvals" { (share(tally.asked, tally.calls)) }
            }
        }
    }
}

fn nothing(visit: &PageVisit, wanted: &PageFilters) -> Markup {
    if !wanted.is_anything() {
        return parts::empty(
            "No tool matches these filters.",
            html! { p { a.button href=(ALL) { "Show all tools" } } },
        );
    }
    let next = if visit.operates() {
        html! { p { "Tools come with servers. " a href="/console/servers" { "See which servers there are" } } }
    } else {
        html! { p { "Tools come with servers, which admins and operators connect. " a href="/docs" { "How that works" } } }
    };
    parts::empty("There are no tools yet.", next)
}
