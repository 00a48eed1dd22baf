//! One capability: its rules, and its current tools.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};

use super::data::{self, CapabilityData, source};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, links, number, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const TOOLS_MAX: usize = 500;

pub(super) async fn show(visit: PageVisit, Path(name): Path<String>) -> PageResult<Response> {
    let capability: CapabilityData = visit.get(PageAddress::of(["capabilities", &name])).await?;
    let body = html! {
        (parts::heading(html! { "Capability " (text::short(&capability.name)) }, html! { a.button href="/console/agents" { "Agents" } }))
        section #capability data-live="registry setting config" {
            (data::warnings(&capability.problems, &capability.warnings))
            @if let Some(told) = &capability.definition.description { p { (text::long(told)) } }
            section.card {
                h2 { "Definition" }
                dl.facts {
                    div { dt { "From" } dd { (source(&capability.source)) } }
                    div { dt { "Its tools" } dd { (data::rules(&capability.definition)) } }
                    div { dt { "Agents that have it" } dd { ul.chips { @for agent in &capability.agents { li { (data::agent(agent)) } } } @if capability.agents.is_empty() { "none" } } }
                }
            }
            (members(&capability))
        }
    };
    Ok(visit.page(&capability.name, ConsolePage::Agents, body).await)
}

fn members(capability: &CapabilityData) -> Markup {
    html! {
        h2 { "Current tools" }
        @if capability.tools.is_empty() {
            (parts::empty("It contains no tools.", html! { p { "Its rules match no tool. " a href="/console/tools" { "See the tools" } } }))
        } @else {
            table.list {
                thead { tr { th scope="col" { "Tool" } th scope="col" { "By" } th scope="col" { "Rule" } } }
                tbody {
                    @for member in capability.tools.iter().take(TOOLS_MAX) {
                        tr data-entry=(member.tool) {
                            td data-name="Tool" { (links::tool(&member.tool)) }
                            td data-name="By" { (text::short(&member.by)) }
                            td data-name="Rule" { code { (text::short(&member.rule)) } }
                        }
                    }
                }
            }
            @if capability.tools.len() > TOOLS_MAX { p.soft { "… and " (number((capability.tools.len() - TOOLS_MAX) as u64)) " more" } }
        }
    }
}
