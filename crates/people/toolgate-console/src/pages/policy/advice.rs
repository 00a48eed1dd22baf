//! Gates that people always say yes to, with the words that would relax them.

use maud::{Markup, html};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::parts::moment::ago;
use crate::parts::{links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct AdviceData {
    gates: Vec<RelaxableGateData>,
}

#[derive(Deserialize)]
struct RelaxableGateData {
    gate: String,
    approved: u64,
    since: String,
    tools: Vec<String>,
    principals: Vec<String>,
    change: String,
    #[serde(default)]
    condition: Option<String>,
}

pub(super) async fn read(visit: &PageVisit) -> PageResult<AdviceData> {
    visit.get(PageAddress::of(["policy", "suggestions"])).await
}

pub(super) fn shown(visit: &PageVisit, advice: &AdviceData) -> Markup {
    html! {
        @if !advice.gates.is_empty() {
            section.card #advice aria-labelledby="advice-title" {
                h2 #advice-title { "Gates that may be relaxed" }
                p.help { "People approved all of the last 50 calls that these gates stopped." }
                @for gate in &advice.gates { (one(visit, gate)) }
            }
        }
    }
}

fn one(visit: &PageVisit, gate: &RelaxableGateData) -> Markup {
    let decided = PageAddress::of(["console", "inbox"]).with("show", "decided");
    html! {
        h3 { (text::short(&gate.gate)) }
        p { "Approved " (gate.approved) " times of the last " (gate.approved) ", since " (ago(visit, &gate.since)) ". "
            a href=(decided) { "Decided approvals" } }
        p { "Tools: " @for (place, tool) in gate.tools.iter().enumerate() { @if place > 0 { ", " } (links::tool(tool)) }
            ". Callers: " @for (place, who) in gate.principals.iter().enumerate() { @if place > 0 { ", " } (links::principal(who)) } "." }
        p { (text::long(&gate.change)) }
        @if let Some(condition) = &gate.condition { (text::block(condition)) }
        p { a href="/console/policy/write" { "Write and try the change" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_gates_is_read() {
        let data: AdviceData =
            serde_json::from_value(serde_json::json!({ "gates": [], "looked_at": 3 })).expect("an answer");
        assert!(data.gates.is_empty());
    }
}
