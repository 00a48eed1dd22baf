//! The handling of a tool's calls: approvals, cost, limits, files.

use maud::{Markup, html};

use super::data::{ApprovalOddsData, ToolData};
use crate::address::PageAddress;
use crate::pages::catalogue::{FileSlot, RegistryTool};
use crate::parts::{self, json, moment, text};

pub(super) fn facts(tool: Option<&ToolData>, known: Option<&RegistryTool>) -> Markup {
    let wire = tool
        .map(|tool| tool.wire_name.as_str())
        .or(known.and_then(|known| known.in_force.as_ref()).map(|one| one.wire_name.as_str()));
    let version = tool.and_then(|tool| tool.version.as_deref()).or(known.map(|known| known.version.as_str()));
    let idempotent = tool
        .and_then(|tool| tool.idempotent)
        .or(known.and_then(|known| known.in_force.as_ref()).and_then(|one| one.idempotent));
    html! {
        dl.facts {
            @if let Some(wire) = wire { (fact("Name for agents", parts::copyable(wire))) }
            @if let Some(tool) = tool { (fact("People are asked", people(&tool.asked))) }
            @if let Some(tool) = tool { (checking(tool)) }
            @if let Some(idempotent) = idempotent { (fact("Repeating a call", html! { (if idempotent { "is safe" } else { "repeats its effects" }) })) }
            (fact("Cost in a list", tokens(tool, known)))
            @if let Some(capabilities) = names(tool.map(|tool| &tool.capabilities).or(known.map(|known| &known.capabilities))) { (fact("Capabilities", capabilities)) }
            @if let Some(aliases) = names(tool.map(|tool| &tool.aliases).or(known.map(|known| &known.aliases))) { (fact("Other names", aliases)) }
            @if let Some(tool) = tool { (limits(tool)) } @else if let Some(seconds) = known.and_then(|known| known.timeout_seconds) {
                (fact("Timeout", html! { (span(seconds)) }))
            }
            @if let Some(version) = version { (fact("Version", parts::copyable(version))) }
        }
        (files(tool, known))
    }
}

fn fact(name: &str, value: Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// For agents first: most approvals are about their calls.
fn people(by_role: &[ApprovalOddsData]) -> Markup {
    let (agents, others): (Vec<&ApprovalOddsData>, Vec<&ApprovalOddsData>) =
        by_role.iter().partition(|one| one.role == "agent");
    html! {
        @for one in agents { "For agents: " (asked(&one.asked)) }
        @if !others.is_empty() {
            p.soft {
                @for (place, one) in others.iter().enumerate() {
                    @if place > 0 { "; " }
                    "for role " (text::short(&one.role)) ": " (asked(&one.asked))
                }
            }
        }
    }
}

fn asked(word: &str) -> &str {
    match word {
        "forbidden" => "never, policy forbids every call",
        "never" => "never, under the current policy",
        "sometimes" => "sometimes, depending on the arguments",
        "always" => "every time",
        other => other,
    }
}

/// The arguments that are not checked against the schema.
fn checking(tool: &ToolData) -> Markup {
    html! {
        @if let Some(why) = &tool.unchecked { (fact("Schema of the arguments", html! { (text::short(why)) })) }
        @if tool.formats == Some(false) { (fact("Formats", html! { "are not checked, by the operator's choice" })) }
    }
}

fn tokens(tool: Option<&ToolData>, known: Option<&RegistryTool>) -> Markup {
    html! {
        @if let Some(tokens) = tool.and_then(|tool| tool.tokens.as_ref()) {
            (parts::number(tokens.full)) " tokens with its schema, " (parts::number(tokens.signature)) " as a signature, " (parts::number(tokens.line)) " as a line"
        } @else if let Some(in_force) = known.and_then(|known| known.in_force.as_ref()) {
            (parts::number(in_force.tokens)) " tokens with its schema"
        } @else { "nothing: agents do not see it" }
    }
}

fn names(names: Option<&Vec<String>>) -> Option<Markup> {
    let names = names.filter(|names| !names.is_empty())?;
    Some(html! { ul.chips { @for name in names { li { code { (text::short(name)) } } } } })
}

fn limits(tool: &ToolData) -> Markup {
    html! {
        @if let Some(mounts) = names(Some(&tool.mounts)) { (fact("Needs", mounts)) }
        @if let Some(examples) = names(Some(&tool.examples)) { (fact("Example searches", examples)) }
        @if let Some(audit) = &tool.audit { (fact("Stored per call", html! { (text::short(audit)) })) }
        @if let Some(seconds) = tool.timeout_seconds { (fact("Timeout", html! { (span(seconds)) })) }
        @if let Some(most) = tool.concurrency_max { (fact("Concurrent calls", html! { "at most " (most) })) }
        @if let Some(rate) = &tool.rate { (fact("Rate", html! { (text::short(rate)) })) }
        @if let Some(seconds) = tool.cache_seconds {
            (fact("Results kept", html! { "for " (span(seconds)) @if let Some(scope) = &tool.cache_scope { ", " (text::short(scope)) } }))
        }
    }
}

fn span(seconds: f64) -> String {
    moment::span((seconds * 1_000.0).round() as i64)
}

fn files(tool: Option<&ToolData>, known: Option<&RegistryTool>) -> Markup {
    let slots: &[FileSlot] = tool
        .map(|tool| tool.files.as_slice())
        .or(known.map(|known| known.files.as_slice()))
        .unwrap_or_default();
    let strategy = tool
        .and_then(|tool| tool.file_strategy.as_deref())
        .or(known.and_then(|known| known.file_strategy.as_deref()));
    html! {
        @if !slots.is_empty() {
            h3 { "Files" }
            ul {
                @for slot in slots {
                    li {
                        "Agents name a file in " code { (text::short(&slot.argument)) } @if slot.many { " (a list)" }
                        "; the server gets it in " code { (text::short(&slot.content)) } " as " code { (text::short(&slot.strategy)) } "."
                    }
                }
            }
        } @else if let Some(strategy) = strategy { p { "Files: " code { (text::short(strategy)) } } }
    }
}

/// The hints of MCP, as the server declares them.
pub(super) fn annotations(tool: Option<&ToolData>, known: Option<&RegistryTool>) -> Markup {
    let own = tool.and_then(|tool| tool.definition.get("annotations"));
    let told = known.and_then(|known| known.annotations.as_ref()).or(own);
    html! {
        @if let Some(told) = told.filter(|told| told.as_object().is_some_and(|told| !told.is_empty())) {
            h3 { "Hints of the server" } p.help { "What the server claims about itself. The gateway does not rely on it." } (json::tree(told))
        }
    }
}

/// The way to trying it, or who could.
pub(super) fn trying(name: &str, may: bool, is_seen: bool) -> Markup {
    html! {
        @if may && is_seen { a.button.primary href=(PageAddress::of(["console", "tools", name, "try"])) { "Try it" } }
    }
}
