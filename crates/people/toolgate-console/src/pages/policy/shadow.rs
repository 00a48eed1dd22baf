//! The differences that policies in shadow mode would have made, call by call.

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::tabs::{Side, head};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct ShadowPageQuery {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct ShadowPageData {
    differences: Vec<ShadowDifferenceData>,
    looked_at: u64,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct ShadowDifferenceData {
    stream: String,
    number: i64,
    at: String,
    #[serde(default)]
    call: Option<String>,
    #[serde(default)]
    tool: Option<String>,
    principal: String,
    #[serde(default)]
    decided: Option<String>,
    shadow: String,
    #[serde(default)]
    policies: Vec<ShadowPolicyData>,
}

#[derive(Deserialize)]
struct ShadowPolicyData {
    id: String,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct ShadowSettingData {
    shadow: bool,
}

#[derive(Deserialize)]
struct ShadowCountsData {
    policies: Vec<ShadowCountData>,
    unpermitted: u64,
    looked_at: u64,
    #[serde(default)]
    since: Option<String>,
    complete: bool,
}

#[derive(Deserialize)]
struct ShadowCountData {
    id: String,
    file: String,
    #[serde(default)]
    reason: Option<String>,
    refused: u64,
    asked: u64,
}

pub(super) async fn show(visit: PageVisit, Query(wanted): Query<ShadowPageQuery>) -> PageResult<Response> {
    let asked = PageAddress::of(["policy", "shadow"]).maybe("cursor", wanted.cursor.as_deref());
    let page: ShadowPageData = visit.get(asked).await?;
    let ShadowSettingData { shadow } = visit.get(PageAddress::of(["policy"])).await?;
    let counts: ShadowCountsData = visit.get(PageAddress::of(["policy", "shadow", "counts"])).await?;
    let next = page.next_cursor.as_deref();
    let next = next.map(|cursor| PageAddress::of(["console", "policy", "shadow"]).with("cursor", cursor));
    let body = html! {
        (head(Side::Shadow))
        p { "Policies in shadow mode have no effect. When one would have decided differently, the call records it, so you can observe a new policy before you enforce it." }
        section #shadow data-live="policy" aria-label="Differences" {
            (counted(&visit, &counts))
            @if page.differences.is_empty() {
                (nothing(shadow, &page))
            } @else {
                (table(&visit, &page.differences))
                p.help { "Found among the last " (parts::number(page.looked_at)) " decisions." }
            }
            @if let Some(next) = next { p.pages { a.button rel="next" href=(next) { "Look further back" } } }
        }
    };
    Ok(visit.page("Shadow mode", ConsolePage::Policy, body).await)
}

/// How often each policy would have had an effect.
fn counted(visit: &PageVisit, counts: &ShadowCountsData) -> Markup {
    html! {
        @if !counts.policies.is_empty() || counts.unpermitted > 0 {
            h2 { "By policy" }
            table.list {
                thead { tr {
                    th scope="col" { "Policy" } th scope="col" { "Text" } th scope="col" { "Would have refused" } th scope="col" { "Would have asked" }
                } }
                tbody {
                    @for one in &counts.policies {
                        tr data-entry=(one.id) {
                            td data-name="Policy" { strong { (text::short(&one.id)) } @if let Some(reason) = &one.reason { ": " (text::long(reason)) } }
                            td data-name="Text" { (text::short(&one.file)) }
                            td data-name="Would have refused" { (parts::number(one.refused)) }
                            td data-name="Would have asked" { (parts::number(one.asked)) }
                        }
                    }
                    @if counts.unpermitted > 0 {
                        tr {
                            td data-name="Policy" { "no guard policy permits the call" } td data-name="Text" {}
                            td data-name="Would have refused" { (parts::number(counts.unpermitted)) } td data-name="Would have asked" { "0" }
                        }
                    }
                }
            }
            p.help { "Of the last " (parts::number(counts.looked_at)) " recorded decisions" @if let Some(since) = &counts.since { ", since " (ago(visit, since)) }
                @if !counts.complete { "; earlier ones are not counted" } "." }
            h2 { "Call by call" }
        }
    }
}

fn nothing(there_are_some: bool, page: &ShadowPageData) -> Markup {
    if there_are_some {
        let looked = parts::number(page.looked_at);
        return parts::empty(
            "The policies in shadow mode would have changed nothing.",
            html! { p { "This is true for the last " (looked) " decisions. To enforce them, remove " code { ".shadow" } " from their file names, or move their text on the page Write." } },
        );
    }
    parts::empty(
        "No policy is in shadow mode.",
        html! {
            p { "Put " code { ".shadow" } " before " code { ".cedar" } " in the name of a policy file to compare it without enforcing it:" }
            pre tabindex="0" { code { "policy/money.gates.shadow.cedar" } }
            p { "Or " a href="/console/policy/write" { "write one here" } ". " a href="/docs/how-to/write-a-policy" { "How to write a policy" } }
        },
    )
}

fn table(visit: &PageVisit, differences: &[ShadowDifferenceData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Call" } th scope="col" { "Tool" } th scope="col" { "Principal" } th scope="col" { "Decided" }
                th scope="col" { "Would have been" } th scope="col" { "Because of" } th scope="col" { "When" }
            } }
            tbody {
                @for one in differences {
                    tr data-entry={ (one.stream) "/" (one.number) } {
                        td data-name="Call" { @if let Some(call) = &one.call { (links::id(call)) } @else { span.soft { "none" } } }
                        td data-name="Tool" { @if let Some(tool) = &one.tool { (links::tool(tool)) } }
                        td data-name="Principal" { (links::principal(&one.principal)) }
                        td data-name="Decided" { @if let Some(decided) = &one.decided { (parts::state(decided)) } }
                        td data-name="Would be" { (parts::state(&one.shadow)) }
                        td data-name="Because of" { (because(&one.policies)) }
                        td data-name="When" { (ago(visit, &one.at)) }
                    }
                }
            }
        }
    }
}

fn because(policies: &[ShadowPolicyData]) -> Markup {
    html! {
        @if policies.is_empty() { span.soft { "no policy permits it, or no gate matches" } }
        @for policy in policies {
            div { strong { (text::short(&policy.id)) } @if let Some(reason) = &policy.reason { ": " (text::long(reason)) } }
        }
    }
}
