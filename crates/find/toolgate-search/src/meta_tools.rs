//! The three tools that stand for all others if there are too many to list.
//!
//! Only their definitions live here. Models read them in every turn: each word has to earn its place.

use serde_json::{Value, json};

use crate::answer::{AnswerBudget, DetailLevel};
use crate::names::names_within;
use crate::{plain, tokens};

pub const SEARCH_TOOLS: &str = "search_tools";
pub const DESCRIBE_TOOLS: &str = "describe_tools";
pub const CALL_TOOL: &str = "call_tool";

/// The token budget for the servers and capabilities in the search tool's description.
pub const BLURB_TOKENS_DEFAULT: usize = 450;
/// The number of characters of a capability's description.
const CAPABILITY_CHARS_MAX: usize = 60;

/// A server behind the search.
#[derive(Clone, Copy, Debug)]
pub struct ServerBehind<'a> {
    pub name: &'a str,
    pub tools: usize,
}

/// A capability behind the search.
#[derive(Clone, Copy, Debug)]
pub struct CapabilityBehind<'a> {
    pub name: &'a str,
    pub description: Option<&'a str>,
}

/// The content behind the search: agents do not search for things that they cannot guess. The same servers
/// and capabilities give the same bytes, in any order.
pub fn catalogue_blurb(
    servers: &[ServerBehind<'_>],
    capabilities: &[CapabilityBehind<'_>],
    budget_tokens: usize,
) -> String {
    if servers.is_empty() {
        return "nothing yet.".to_owned();
    }
    let tools: usize = servers.iter().map(|server| server.tools).sum();
    let head = format!("{} of {}: ", counted(tools, "tool"), counted(servers.len(), "server"));
    let for_capabilities = capabilities_text(capabilities, budget_tokens / 2);
    let left = budget_tokens.saturating_sub(tokens::count(&head) + tokens::count(&for_capabilities) + 2);
    let servers = servers_text(servers, left);
    format!("{head}{servers}.{for_capabilities}")
}

fn counted(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

/// The names in their order; where not all fit, those of the servers with the most tools.
fn servers_text(servers: &[ServerBehind<'_>], tokens_max: usize) -> String {
    let mut by_name: Vec<&str> = servers.iter().map(|server| server.name).collect();
    by_name.sort_unstable();
    let all = names_within(&by_name, tokens_max);
    if all == by_name.join(", ") {
        return all;
    }
    let mut by_size: Vec<&ServerBehind<'_>> = servers.iter().collect();
    by_size.sort_unstable_by_key(|server| (std::cmp::Reverse(server.tools), server.name));
    let by_size: Vec<&str> = by_size.into_iter().map(|server| server.name).collect();
    names_within(&by_size, tokens_max)
}

fn capabilities_text(capabilities: &[CapabilityBehind<'_>], tokens_max: usize) -> String {
    if capabilities.is_empty() {
        return String::new();
    }
    let mut sorted = capabilities.to_vec();
    sorted.sort_unstable_by_key(|capability| (capability.name, capability.description));
    let detailed: Vec<String> = sorted.iter().map(capability_text).collect();
    let bare: Vec<&str> = sorted.iter().map(|capability| capability.name).collect();
    let detailed: Vec<&str> = detailed.iter().map(String::as_str).collect();
    let head = " Capabilities: ";
    let left = tokens_max.saturating_sub(tokens::count(head) + 1);
    // All by name says more than some with their descriptions.
    let all_fit = names_within(&detailed, left) == detailed.join(", ");
    format!("{head}{}.", names_within(if all_fit { &detailed } else { &bare }, left))
}

fn capability_text(capability: &CapabilityBehind<'_>) -> String {
    let name = plain::line(capability.name);
    match capability.description.map(plain::line).filter(|description| !description.is_empty()) {
        Some(description) => {
            let short = plain::shortened(description.trim_end_matches('.'), CAPABILITY_CHARS_MAX);
            format!("{name} ({short})")
        }
        None => name,
    }
}

/// The definitions of `search_tools`, `describe_tools` and `call_tool`, as a list carries them.
pub fn definitions(blurb: &str) -> [Value; 3] {
    [search_tools(blurb), describe_tools(), call_tool()]
}

fn search_tools(blurb: &str) -> Value {
    let details: Vec<&str> = DetailLevel::ALL.into_iter().map(DetailLevel::as_str).collect();
    json!({
        "name": SEARCH_TOOLS,
        "title": "Search tools",
        "description": format!(
            "Find a tool by what it should do, before you decide that there is none. Behind it: {blurb}"
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What to do and to what, or a part of a name" },
                "servers": { "type": "array", "items": { "type": "string" }, "description": "Only these" },
                "detail": { "type": "string", "enum": details },
                "budget_tokens": {
                    "type": "integer",
                    "description": format!("Length of the answer, {} by default", AnswerBudget::TOKENS_DEFAULT),
                },
            },
            "required": ["query"],
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

fn describe_tools() -> Value {
    json!({
        "name": DESCRIBE_TOOLS,
        "title": "Describe tools",
        "description": "Full description and schema of tools that search_tools found.",
        "inputSchema": {
            "type": "object",
            "properties": { "names": { "type": "array", "items": { "type": "string" } } },
            "required": ["names"],
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

fn call_tool() -> Value {
    json!({
        "name": CALL_TOOL,
        "title": "Call a tool",
        "description": "Call a tool that search_tools found, by its exact name.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "arguments": { "type": "object", "description": "As its schema wants them" },
            },
            "required": ["name", "arguments"],
        },
    })
}

#[cfg(test)]
mod tests;
