//! Search with the agents' ranking, and its results.

use maud::{Markup, html};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::pages::filters::{self, PageFilters};
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Tools in one answer; the ranking has the best first.
const RESULTS: usize = 50;
/// Enough for all of them.
const BUDGET_TOKENS: usize = 10_000;

#[derive(Deserialize)]
pub(super) struct SearchData {
    results: Vec<FoundToolData>,
    #[serde(default)]
    more: u64,
    tokens: u64,
    text: String,
    #[serde(default)]
    unknown_servers: Vec<String>,
}

#[derive(Deserialize)]
struct FoundToolData {
    name: String,
    server: String,
    score: f64,
    place: String,
    signature: Option<String>,
    line: Option<String>,
}

#[derive(Deserialize)]
struct AgentNamesData {
    agents: Vec<AgentNameData>,
}

#[derive(Deserialize)]
struct AgentNameData {
    name: String,
}

/// The names of all agents.
pub(super) async fn agents(visit: &PageVisit) -> PageResult<Vec<String>> {
    let found: Option<AgentNamesData> = visit.find(PageAddress::of(["agents"])).await?;
    Ok(found.map(|found| found.agents.into_iter().map(|agent| agent.name).collect()).unwrap_or_default())
}

impl SearchData {
    pub(super) async fn ask(visit: &PageVisit, wanted: &PageFilters) -> PageResult<Self> {
        let address = PageAddress::of(["tools", "search"])
            .maybe("q", wanted.get("q"))
            .maybe("servers", wanted.get("server"))
            .maybe("agent", wanted.get("agent"))
            .with("limit", RESULTS)
            .with("budget_tokens", BUDGET_TOKENS);
        visit.get(address).await
    }
}

pub(super) fn results(searched: PageResult<SearchData>) -> Markup {
    let search = match searched {
        Ok(search) => search,
        Err(problem) => return filters::refused(Some(&problem)),
    };
    html! {
        section #tools {
            @for server in &search.unknown_servers { p.notice { "There is no server " code { (text::short(server)) } "." } }
            @if search.results.is_empty() { (nothing()) } @else {
                (table(&search))
                details.raw #as-read {
                    summary { "As an agent reads it: " (parts::number(search.tokens)) " tokens" }
                    (text::block(&search.text))
                }
            }
            p.help { "Agents get the same results from " code { "search_tools" } ", in this order; their budget limits how much they read." }
        }
    }
}

fn table(search: &SearchData) -> Markup {
    html! {
        table.list {
            caption {
                "Best first. Scores are comparable only within one search."
                @if search.more > 0 { " " (parts::number(search.more)) " more match." }
            }
            thead { tr { th.number scope="col" { "Place" } th scope="col" { "Tool" } th scope="col" { "Server" } th scope="col" { "Found by" } th.number scope="col" { "Score" } } }
            tbody {
                @for (place, found) in search.results.iter().enumerate() {
                    tr data-entry=(found.name) {
                        td.number data-name="Place" { (place + 1) }
                        td data-name="Tool" { div { (links::tool(&found.name)) (told(found)) } }
                        td data-name="Server" { (links::server(&found.server)) }
                        td data-name="Found by" { (found_by(&found.place)) }
                        td.number data-name="Score" { (format!("{:.3}", found.score)) }
                    }
                }
            }
        }
    }
}

fn told(found: &FoundToolData) -> Markup {
    let told = found.signature.as_deref().or(found.line.as_deref());
    html! { @if let Some(told) = told { div.help.mono { (text::cut(told, 240)) } } }
}

fn found_by(place: &str) -> &str {
    match place {
        "exact" => "its name",
        "prefix" => "the start of its name",
        "words" => "its description",
        other => other,
    }
}

fn nothing() -> Markup {
    parts::empty(
        "Nothing matches this search.",
        html! { p { "Describe what the tool should do, or type the start of its name. Agents only find tools they may see. " a.button href="/console/tools" { "Show all tools" } } },
    )
}
