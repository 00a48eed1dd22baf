//! One agent: its definition, its view, its cost, and its past versions.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;

use super::data::{self, AgentData, DefinitionData, source};
use super::versions::{self, VersionsData};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::catalogue::{budget, digest};
use crate::pages::sessions::listing::{self, SessionPreviewData};
use crate::pages::sessions::price::{self, Price};
use crate::parts::{self, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

pub(super) async fn show(visit: PageVisit, Path(name): Path<String>) -> PageResult<Response> {
    let agent: AgentData = visit.get(PageAddress::of(["agents", &name])).await?;
    let versions: VersionsData = visit.get(PageAddress::of(["agents", &name, "versions"])).await?;
    let price: Option<Price> = visit.find(PageAddress::of(["tools", "cost"]).with("agent", &name)).await?;
    let preview: Option<SessionPreviewData> =
        visit.find(PageAddress::of(["tools", "preview"]).with("agent", &name)).await?;
    let body = html! {
        (parts::heading(html! { (text::short(&agent.name)) }, actions(&agent.name)))
        section #agent data-live="agent registry setting config" {
            (data::warnings(&agent.problems, &agent.warnings))
            @if let Some(told) = &agent.definition.description { p { (text::long(told)) } }
            div.grid {
                section.card { h2 { "Definition" } (definition(&agent)) }
                section.card {
                    h2 { "Cost" }
                    @if let Some(price) = &price { (price::summary(price)) } @else { p.soft { "Only admins and operators can see the cost of its tool list." } }
                }
            }
            @if let Some(preview) = &preview { (listing::show(preview, "An agent with this definition sees these tools now.")) }
            (versions::show(&visit, &versions, &agent.version))
        }
    };
    Ok(visit.page(&agent.name, ConsolePage::Agents, body).await)
}

fn actions(name: &str) -> Markup {
    html! {
        a.button href=(PageAddress::of(["console", "sessions"]).with("agent", name)) { "Its sessions" }
    }
}

fn definition(agent: &AgentData) -> Markup {
    let DefinitionData { pinned, blocked, mounts, limits, principals, groups, .. } = &agent.definition;
    html! {
        dl.facts {
            div { dt { "From" } dd { (source(&agent.source)) } }
            div { dt { "Version" } dd { @if let Some(number) = agent.number { (number) ", " } (digest(&agent.version)) } }
            div { dt { "Capabilities" } dd { (capabilities(agent.definition.capabilities.as_deref())) } }
            @if !blocked.is_empty() { div { dt { "Blocked" } dd { (codes(blocked)) } } }
            @if !pinned.is_empty() { div { dt { "Always listed" } dd { (codes(pinned)) } } }
            (mounted(mounts))
            div { dt { "Policy" } dd { @if let Some(template) = &agent.definition.policy_template { (text::short(template)) } @else { "the gateway's" } } }
            div { dt { "List budget" } dd { (budget(&agent.definition.token_budget)) } }
            @if agent.definition.schema_diet { div { dt { "Schemas" } dd { "without repeated text" } } }
            @if agent.definition.reveal_found { div { dt { "Tools it finds" } dd { "join its list" } } }
            @if let Some(seconds) = limits.idle_seconds { div { dt { "Idle sessions end" } dd { "after " (moment::span(seconds * 1_000)) } } }
            @if let Some(seconds) = limits.lifetime_seconds { div { dt { "Sessions end" } dd { "after " (moment::span(seconds * 1_000)) } } }
            @if let Some(most) = limits.sessions_max { div { dt { "Open sessions" } dd { (most) } } }
            @if !principals.is_empty() { div { dt { "Principals" } dd { (codes(principals)) } } }
            @if !groups.is_empty() { div { dt { "Groups" } dd { (codes(groups)) } } }
        }
    }
}

fn capabilities(names: Option<&[String]>) -> Markup {
    html! {
        @match names {
            None => "every tool",
            Some([]) => "no tool",
            Some(names) => ul.chips { @for name in names { li { (data::capability(name)) } } },
        }
    }
}

fn codes(names: &[String]) -> Markup {
    html! { ul.chips { @for name in names { li { code { (text::short(name)) } } } } }
}

/// Servers, providers, pointers and knowledge bases that it may touch.
pub(crate) fn mounted(mounts: &Value) -> Markup {
    let named = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let kinds = mounts.as_object().into_iter().flatten().map(|(kind, value)| (kind, named(value)));
    html! {
        @for (kind, names) in kinds.filter(|(_, names)| !names.is_empty()) {
            div { dt { "Mounted " (text::short(&kind.replace('_', " "))) } dd { (codes(&names)) } }
        }
    }
}
