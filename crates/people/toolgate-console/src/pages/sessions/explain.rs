//! The reason why each tool is in a session or not.

use maud::{Markup, html};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::parts::{self, BadgeTone, links, number, text};

#[derive(Deserialize)]
pub(super) struct SessionExplanationData {
    pub(super) tools_in: u64,
    pub(super) tools_out: Option<u64>,
    tools: Vec<ExplainedToolData>,
    next_cursor: Option<String>,
    #[serde(default)]
    warnings: Vec<SessionWarningData>,
}

#[derive(Deserialize)]
struct ExplainedToolData {
    tool: String,
    #[serde(rename = "in")]
    is_in: bool,
    by: String,
    reason: String,
    approval: Option<String>,
    #[serde(default)]
    pinned: bool,
}

#[derive(Deserialize)]
struct SessionWarningData {
    message: String,
}

/// The selection that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolSelection {
    All,
    In,
    Out,
}

impl ToolSelection {
    pub(super) fn of(word: Option<&str>) -> Self {
        match word {
            Some("true") => ToolSelection::In,
            Some("false") => ToolSelection::Out,
            _ => ToolSelection::All,
        }
    }

    pub(super) fn as_parameter(self) -> Option<&'static str> {
        match self {
            ToolSelection::All => None,
            ToolSelection::In => Some("true"),
            ToolSelection::Out => Some("false"),
        }
    }
}

pub(super) fn show(
    session: &str,
    explanation: &SessionExplanationData,
    which: ToolSelection,
    server: Option<&str>,
) -> Markup {
    let here = || PageAddress::of(["console", "sessions", session]);
    let tab = |one: ToolSelection| here().maybe("in", one.as_parameter()).maybe("server", server);
    let next = explanation.next_cursor.as_ref().map(|cursor| tab(which).with("cursor", cursor));
    let total = explanation.tools_in + explanation.tools_out.unwrap_or_default();
    html! {
        section #why data-live="registry session" {
            h2 { "What it sees, and why" }
            @for warning in &explanation.warnings { p.notice { (text::long(&warning.message)) } }
            ul.tabs {
                li { a href=(tab(ToolSelection::All)) aria-current=[(which == ToolSelection::All).then_some("page")] { "All " (number(total)) } }
                li { a href=(tab(ToolSelection::In)) aria-current=[(which == ToolSelection::In).then_some("page")] { "In " (number(explanation.tools_in)) } }
                @if let Some(out) = explanation.tools_out { li { a href=(tab(ToolSelection::Out)) aria-current=[(which == ToolSelection::Out).then_some("page")] { "Out " (number(out)) } } }
            }
            @if explanation.tools.is_empty() {
                (parts::empty("No tool matches.", html! { p { a.button href=(here()) { "Show all" } } }))
            } @else {
                (table(&explanation.tools))
                @if let Some(next) = next { p.pages { a.button href=(next) rel="next" { "More tools" } } }
            }
        }
    }
}

fn table(tools: &[ExplainedToolData]) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Tool" } th scope="col" { "Visible" } th scope="col" { "Decided by" } th scope="col" { "Rule" } th scope="col" { "People are asked" } } }
            tbody {
                @for one in tools {
                    tr data-entry=(one.tool) {
                        td data-name="Tool" { (links::tool(&one.tool)) }
                        td data-name="Visible" {
                            @if one.is_in { (parts::badge("in", BadgeTone::Good)) } @else { (parts::badge("out", BadgeTone::Bad)) }
                            @if one.pinned { " " (parts::badge("always listed", BadgeTone::Plain)) }
                        }
                        td data-name="Decided by" { (text::short(&one.by)) }
                        td data-name="Rule" { (text::long(&one.reason)) }
                        td data-name="People are asked" { @if let Some(asked) = &one.approval { (text::short(asked)) } @else { "–" } }
                    }
                }
            }
        }
    }
}
