//! The exact list for an agent: names and descriptions as sent.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::pages::catalogue::brief;
use crate::parts::{self, json, number, text};

/// Definitions that are shown one by one; the raw list has the others.
const TOOLS_MAX: usize = 200;
const SUMMARY_CHARS: usize = 110;
const DESCRIPTION_CHARS: usize = 2_000;
/// A page has hundreds of them.
const DEFINITION_CHARS: usize = 10_000;

#[derive(Deserialize)]
pub(crate) struct SessionPreviewData {
    surface: String,
    list: ToolListData,
}

#[derive(Deserialize)]
struct ToolListData {
    #[serde(default)]
    tools: Vec<Value>,
    #[serde(rename = "nextCursor")]
    next_cursor: Option<String>,
}

pub(crate) fn show(preview: &SessionPreviewData, what: &str) -> Markup {
    let tools = &preview.list.tools;
    html! {
        section.card #listing aria-labelledby="listing-title" {
            h2 #listing-title { "The exact list" }
            p.soft {
                (what) " " (number(tools.len() as u64)) @if tools.len() == 1 { " entry" } @else { " entries" }
                @if preview.list.next_cursor.is_some() { " on the first page" } ", byte for byte the answer to " code { "tools/list" } "."
                @if preview.surface == "search" { " It searches for the rest." }
            }
            @if tools.is_empty() {
                (parts::empty("It sees no tools.", html! { p { "Its capabilities, mounts and policy allow no tool. " a href="/console/agents" { "Look at its definition" } } }))
            }
            @for (place, tool) in tools.iter().take(TOOLS_MAX).enumerate() { (entry(place, tool)) }
            @if tools.len() > TOOLS_MAX { p.soft { "… and " (number((tools.len() - TOOLS_MAX) as u64)) " more" } }
        }
    }
}

fn entry(place: usize, tool: &Value) -> Markup {
    let part = |key: &str| tool[key].as_str();
    html! {
        details.entry id={ "listed-" (place) } {
            summary {
                code { (text::short(part("name").unwrap_or("(no name)"))) } " "
                span.soft { (brief(part("description").unwrap_or_default(), SUMMARY_CHARS)) }
            }
            @if let Some(description) = part("description") { div.prose { (text::cut(description, DESCRIPTION_CHARS)) } }
            @if let Some(annotations) = tool.get("annotations") { (json::tree(annotations)) }
            pre.block tabindex="0" { (text::cut(&serde_json::to_string_pretty(tool).unwrap_or_default(), DEFINITION_CHARS)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_of_huge_and_hostile_definitions_stays_a_page() {
        let tool = json!({"name": "<script>", "description": "x".repeat(100_000), "inputSchema": {}});
        let list = ToolListData { tools: vec![tool; 1_000], next_cursor: None };
        let shown = show(&SessionPreviewData { surface: "full".into(), list }, "All.").into_string();
        assert!(shown.len() < 4_000_000, "{} bytes", shown.len());
        assert!(shown.contains("… and 800 more") && !shown.contains("<script"), "it is cut and stays text");
    }
}
