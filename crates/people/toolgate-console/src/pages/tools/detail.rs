//! One tool: its description, its schemas, the handling of its calls and their outcomes.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::data::ToolData;
use super::{handling, own, schema_doc};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::pages::catalogue::{self, CallsOf, RecentCallData, RegistryTool};
use crate::parts::{self, links, moment, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

const CALLS_SHOWN: usize = 10;

#[derive(Deserialize)]
struct ToolDetailData {
    #[serde(flatten)]
    tool: RegistryTool,
    definition: Value,
}

pub(super) async fn show(visit: PageVisit, Path(name): Path<String>) -> PageResult<Response> {
    let tool = ToolData::find(&visit, &name).await?;
    if let Some(tool) = tool.as_ref().filter(|tool| tool.name != name) {
        // It was named as agents name it, or by an alias.
        return Ok(Redirect::to(PageAddress::of(["console", "tools", &tool.name]).as_str()).into_response());
    }
    let known: Option<ToolDetailData> = visit.find(PageAddress::of(["registry", "tools", &name])).await?;
    let calls = CallsOf::tool(&visit, &name).await?;
    if tool.is_none() && known.is_none() && own::is_own(&name) {
        return Ok(visit
            .page(&name, ConsolePage::Tools, own::page(&name, &recent(&visit, &name, &calls)))
            .await);
    }
    let Some(definition) =
        tool.as_ref().map(|tool| &tool.definition).or(known.as_ref().map(|known| &known.definition))
    else {
        return Err(
            ApiProblem::not_found(format!("there is no tool {name:?}")).hint("see the list of all tools")
        );
    };
    let known_tool = known.as_ref().map(|known| &known.tool);
    let body =
        page(&visit, &name, &ToolParts { tool: tool.as_ref(), known: known_tool, definition, calls: &calls });
    Ok(visit.page(&name, ConsolePage::Tools, body).await)
}

struct ToolParts<'a> {
    tool: Option<&'a ToolData>,
    known: Option<&'a RegistryTool>,
    definition: &'a Value,
    calls: &'a CallsOf,
}

fn page(visit: &PageVisit, name: &str, parts: &ToolParts<'_>) -> Markup {
    let ToolParts { tool, known, definition, calls } = *parts;
    let status = known.map_or("active", |known| known.status.as_str());
    let effects = tool.map(|tool| tool.effects.as_deref()).or(known.map(RegistryTool::effects)).flatten();
    let title = html! { (text::short(name)) " " (parts::state(status)) };
    html! {
        (parts::heading(title, handling::trying(name, visit.operates(), tool.is_some())))
        section #tool data-live="registry" {
            (standing(known))
            @if let Some(known) = known { (catalogue::findings(&known.findings)) }
            div.split {
                div {
                    (about(definition))
                    section.card { h2 { "Arguments" } (schema_doc::show(&definition["inputSchema"], "It takes no arguments.")) }
                    @if let Some(output) = definition.get("outputSchema") { section.card { h2 { "Result" } (schema_doc::show(output, "It does not describe its result.")) } }
                    (recent(visit, name, calls))
                }
                div {
                    section.card {
                        h2 { "A call may" } (catalogue::effects(effects))
                        @if !visit.operates() { p.help { "Only admins and operators can try it." } }
                    }
                    section.card { h2 { "Handling" } (handling::facts(tool, known)) (handling::annotations(tool, known)) }
                    @if let Some(known) = known { section.card { h2 { "Registry" } (registry(visit, known)) } }
                }
            }
        }
    }
}

/// The reason why it is not simply active.
fn standing(known: Option<&RegistryTool>) -> Markup {
    let Some(known) = known.filter(|known| known.status != "active") else { return html! {} };
    html! {
        section.card.problem {
            h2 { (heading(&known.status)) }
            @if let Some(reason) = &known.reason { p { (catalogue::reason(reason)) } }
            @if known.waits() { p { a.button.primary href=(PageAddress::of(["console", "reviews", &known.name])) { "Review it" } } }
        }
    }
}

fn heading(status: &str) -> &'static str {
    match status {
        "quarantined" => "Withheld until someone has reviewed it",
        "drifted" => "Some instances offer another definition",
        "retired" => "Its server no longer offers it",
        _ => "It is not active",
    }
}

fn about(definition: &Value) -> Markup {
    html! {
        @if let Some(title) = definition["title"].as_str() { p.strong { (text::short(title)) } }
        @match definition["description"].as_str() {
            Some(description) => section.card { h2 { "Description" } div.prose { (text::long(description)) } },
            None => p.soft { "Its server gives no description." },
        }
    }
}

fn registry(visit: &PageVisit, known: &RegistryTool) -> Markup {
    html! {
        dl.facts {
            div { dt { "Server" } dd { (catalogue::server(visit, &known.server)) } }
            div { dt { "First seen" } dd { (moment::ago(visit, &known.first_seen)) } }
            div { dt { "Last seen" } dd { (moment::ago(visit, &known.last_seen)) } }
            @if let Some(by) = &known.reviewed_by {
                div { dt { "Reviewed by" } dd { (links::principal(by)) @if let Some(at) = &known.reviewed_at { " " (moment::ago(visit, at)) } } }
            }
            div { dt { "Pinned" } dd { (catalogue::digest(&known.version)) } }
            @if let Some(candidate) = &known.candidate_version { div { dt { "Offered" } dd { (catalogue::digest(candidate)) } } }
            @if let Some(rejected) = &known.rejected_version { div { dt { "Rejected" } dd { (catalogue::digest(rejected)) } } }
        }
    }
}

fn recent(visit: &PageVisit, name: &str, calls: &CallsOf) -> Markup {
    let all = PageAddress::of(["console", "calls"]).with("tool", name);
    html! {
        @if calls.is_known() {
            section.card #recent data-live="tool approval" {
                h2 { "Calls" }
                (calls.told(&all))
                @if !calls.latest().is_empty() {
                    table.list {
                        thead { tr { th scope="col" { "Call" } th scope="col" { "Outcome" } th scope="col" { "Principal" } th scope="col" { "When" } th.number scope="col" { "Duration" } } }
                        tbody { @for call in calls.latest().iter().take(CALLS_SHOWN) { (call_row(visit, call)) } }
                    }
                }
            }
        }
    }
}

fn call_row(visit: &PageVisit, call: &RecentCallData) -> Markup {
    html! {
        tr data-entry=(call.id) {
            td data-name="Call" { (links::id(&call.id)) }
            td data-name="Outcome" { (parts::state(&call.state)) }
            td data-name="Principal" { (links::principal(&call.principal)) }
            td data-name="When" { (moment::ago(visit, &call.started_at)) }
            td.number data-name="Duration" { @if let Some(ms) = call.duration_ms { (moment::span(ms.round() as i64)) } @else { "–" } }
        }
    }
}
