//! Agents: the definitions that sessions start with, and their capabilities.

mod capability;
mod data;
mod detail;
mod versions;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};

use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::catalogue::budget;
use crate::parts::{self, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;
use data::{AgentData, AgentsData, CapabilitiesData, CapabilityData, source};
pub(super) use detail::mounted;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/agents", get(list))
        .route("/console/agents/{name}", get(detail::show))
        .route("/console/capabilities/{name}", get(capability::show))
}

async fn list(visit: PageVisit) -> PageResult<Response> {
    let AgentsData { agents } = visit.get(PageAddress::of(["agents"])).await?;
    let CapabilitiesData { capabilities } = visit.get(PageAddress::of(["capabilities"])).await?;
    let body = html! {
        (parts::heading(html! { "Agents" }, html! { a.button href="/console/sessions" { "Sessions" } }))
        p.soft { "A definition sets an agent's tools, the level of care and the token budget of its tool list. Edit definitions of the configuration file in the file, and all others with " code { "PUT /agents/{name}" } "." }
        section #agents data-live="agent registry setting config" {
            (agents_table(&agents))
            @if agents.len() == 1 { (only_default()) }
            h2 { "Capabilities" }
            @if capabilities.is_empty() { (no_capabilities()) } @else { (capabilities_table(&capabilities)) }
        }
    };
    Ok(visit.page("Agents", ConsolePage::Agents, body).await)
}

fn agents_table(agents: &[AgentData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Agent" } th scope="col" { "Capabilities" } th scope="col" { "Policy" } th scope="col" { "List budget" } th scope="col" { "For" } th scope="col" { "From" } } }
            tbody {
                @for agent in agents {
                    tr data-entry=(agent.name) {
                        td data-name="Agent" {
                            div {
                                a href=(PageAddress::of(["console", "agents", &agent.name])) { (text::short(&agent.name)) }
                                @if let Some(told) = &agent.definition.description { div.help { (text::cut(told, 200)) } }
                                @for problem in &agent.problems { div.error { (text::cut(problem, 300)) } }
                            }
                        }
                        td data-name="Capabilities" { (capabilities(agent)) }
                        td data-name="Policy" { @if let Some(template) = &agent.definition.policy_template { (text::short(template)) } @else { span.soft { "the gateway's" } } }
                        td data-name="List budget" { (budget(&agent.definition.token_budget)) }
                        td data-name="For" { (whom(agent)) }
                        td data-name="From" { (source(&agent.source)) }
                    }
                }
            }
        }
    }
}

fn capabilities(agent: &AgentData) -> Markup {
    html! {
        @match &agent.definition.capabilities {
            None => span.soft { "every tool" },
            Some(names) if names.is_empty() => span.soft { "no tool" },
            Some(names) => ul.chips { @for name in names { li { (data::capability(name)) } } },
        }
    }
}

fn whom(agent: &AgentData) -> Markup {
    let definition = &agent.definition;
    html! {
        @if definition.principals.is_empty() && definition.groups.is_empty() { span.soft { "any token" } }
        ul.chips {
            @for name in &definition.principals { li { code { (text::short(name)) } } }
            @for name in &definition.groups { li { "group " code { (text::short(name)) } } }
        }
    }
}

fn capabilities_table(capabilities: &[CapabilityData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Capability" } th scope="col" { "Its tools" } th scope="col" { "Agents that have it" } th scope="col" { "From" } } }
            tbody {
                @for one in capabilities {
                    tr data-entry=(one.name) {
                        td data-name="Capability" {
                            div {
                                (data::capability(&one.name))
                                @if let Some(told) = &one.definition.description { div.help { (text::cut(told, 200)) } }
                            }
                        }
                        td data-name="Its tools" { (data::rules(&one.definition)) }
                        td data-name="Agents that have it" { ul.chips { @for agent in &one.agents { li { (data::agent(agent)) } } } }
                        td data-name="From" { (source(&one.source)) }
                    }
                }
            }
        }
    }
}

fn only_default() -> Markup {
    parts::empty(
        "Only the built-in agent exists.",
        html! { p { "A token without a definition sees every tool that policy allows. A definition narrows that." } p { a.button href="/docs/concepts" { "How agents are scoped" } } },
    )
}

fn no_capabilities() -> Markup {
    parts::empty(
        "No capability is defined yet.",
        html! { p { "A capability is a named set of tools, chosen by name, pattern or tag. Agent definitions list capabilities." } pre { "[[capabilities]]\nname = \"git\"\ntools = [\"github:*\"]\n\n[[agents]]\nname = \"writer\"\ncapabilities = [\"git\"]" } },
    )
}
