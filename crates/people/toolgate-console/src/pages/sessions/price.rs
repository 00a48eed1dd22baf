//! The cost of showing a session its tools, compared with showing everything.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::pages::catalogue;
use crate::parts::{links, number};
use crate::visit::PageVisit;

const TOOLS_MAX: usize = 20;

#[derive(Deserialize)]
pub(crate) struct Price {
    tokenizer: String,
    surface: String,
    token_budget: Value,
    tools: u64,
    tokens_full: u64,
    tokens_listed: u64,
    tokens_saved: u64,
    servers: Vec<ServerPrice>,
}

#[derive(Deserialize)]
struct ServerPrice {
    server: String,
    tokens_full: u64,
    tools: Vec<ToolPrice>,
}

#[derive(Deserialize)]
struct ToolPrice {
    tool: String,
    tokens_full: u64,
}

pub(crate) fn summary(price: &Price) -> Markup {
    html! {
        p {
            strong { (number(price.tokens_listed)) " tokens" } " of " (number(price.tokens_full)) " that all " (number(price.tools)) " tools would cost"
            @if price.tokens_saved > 0 { ": " strong { (number(price.tokens_saved)) " saved" } } "."
        }
        (bar(price))
        p.soft {
            @match price.surface.as_str() {
                "search" => "The full list would exceed its budget, so the agent sees its pinned tools and finds the others by searching.",
                _ => "All tools fit its budget and are listed.",
            }
            @if let Some(budget) = price.token_budget.as_u64() { " The budget is " (number(budget)) " tokens." }
        }
        p.help { "Counted with " (price.tokenizer) "." }
    }
}

/// The cost of the list, as a share of the cost of all tools.
fn bar(price: &Price) -> Markup {
    let whole = price.tokens_full.max(price.tokens_listed).max(1);
    let width = (price.tokens_listed * 100).div_ceil(whole);
    let told = format!("{} of {} tokens", number(price.tokens_listed), number(price.tokens_full));
    html! {
        svg.chart.bar viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label=(told) {
            rect.track x="0" y="0" width="100" height="4" rx="1" {}
            rect.accent x="0" y="0" width=(width) height="4" rx="1" {}
        }
    }
}

/// The tokens by server and by tool.
pub(crate) fn table(visit: &PageVisit, price: &Price) -> Markup {
    let mut dearest: Vec<&ToolPrice> = price.servers.iter().flat_map(|server| &server.tools).collect();
    dearest.sort_by(|one, other| {
        other.tokens_full.cmp(&one.tokens_full).then_with(|| one.tool.cmp(&other.tool))
    });
    html! {
        div.grid {
            table.list {
                caption { "By server" }
                thead { tr { th scope="col" { "Server" } th.number scope="col" { "Tools" } th.number scope="col" { "Tokens" } } }
                tbody {
                    @for server in price.servers.iter().take(TOOLS_MAX) {
                        tr { td data-name="Server" { (catalogue::server(visit, &server.server)) } td.number data-name="Tools" { (server.tools.len()) } td.number data-name="Tokens" { (number(server.tokens_full)) } }
                    }
                }
            }
            table.list {
                caption { "The most expensive tools" }
                thead { tr { th scope="col" { "Tool" } th.number scope="col" { "Tokens" } } }
                tbody {
                    @for tool in dearest.iter().take(TOOLS_MAX) {
                        tr { td data-name="Tool" { (links::tool(&tool.tool)) } td.number data-name="Tokens" { (number(tool.tokens_full)) } }
                    }
                }
            }
        }
    }
}
