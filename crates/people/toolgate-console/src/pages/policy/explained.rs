//! The explanation of a decision, for people.

use maud::{Markup, html};
use serde::Deserialize;

use super::care::care;
use crate::parts::{self, BadgeTone, links, moment, text};

#[derive(Deserialize)]
pub(super) struct ExplainedCallData {
    tool: String,
    verdict: String,
    summary: String,
    template: String,
    #[serde(default)]
    requirement: Option<ExplainedRequirementData>,
    #[serde(default)]
    guard: Vec<MatchedPolicyData>,
    #[serde(default)]
    gates: Vec<MatchedPolicyData>,
    #[serde(default)]
    shadow_policies: Vec<MatchedPolicyData>,
    #[serde(default)]
    failed: Vec<FailedPolicyData>,
    #[serde(default)]
    shadow: Option<ShadowData>,
}

#[derive(Deserialize)]
struct ExplainedRequirementData {
    #[serde(default)]
    approvers: Vec<Vec<String>>,
    quorum: u32,
    #[serde(default)]
    timeout_seconds: Option<i64>,
    on_timeout: String,
    editable: bool,
}

#[derive(Deserialize)]
struct MatchedPolicyData {
    id: String,
    file: String,
    line: usize,
    effect: String,
    #[serde(default)]
    reason: Option<String>,
    text: String,
}

#[derive(Deserialize)]
struct FailedPolicyData {
    #[serde(flatten)]
    policy: MatchedPolicyData,
    error: String,
}

#[derive(Deserialize)]
struct ShadowData {
    verdict: String,
    summary: String,
}

pub(super) fn shown(told: &ExplainedCallData) -> Markup {
    html! {
        section.card #explained role="status" aria-labelledby="explained-title" {
            h2 #explained-title { (title(&told.verdict)) " " (parts::state(&told.verdict)) }
            p { (links::tool(&told.tool)) ": " (text::long(&told.summary)) }
            p.help { "Under " (text::short(&told.template)) ": " (care(&told.template)) "." }
            @if let Some(requirement) = &told.requirement { (asked(requirement)) }
            @for failed in &told.failed { (broken(failed)) }
            (matched("Gates that ask", &told.gates))
            (matched("Guard policies that matched", &told.guard))
            (matched("In shadow mode (no effect)", &told.shadow_policies))
            @if told.guard.is_empty() && told.failed.is_empty() {
                p { "No guard policy permits this call, so it is denied." }
            }
            @if let Some(shadow) = &told.shadow {
                p.notice { "With the policies in shadow mode it would be " strong { (text::short(&shadow.verdict)) } ": " (text::long(&shadow.summary)) }
            }
        }
    }
}

fn title(verdict: &str) -> &'static str {
    match verdict {
        "permit" => "It would run",
        "approve" => "A person would be asked",
        _ => "It would be refused",
    }
}

fn asked(requirement: &ExplainedRequirementData) -> Markup {
    let groups: Vec<String> = requirement.approvers.iter().map(|one| one.join(" or ")).collect();
    let who = match groups.is_empty() {
        true => "anyone who may approve".to_owned(),
        false => format!("{} (admins count for every group)", groups.join(", and ")),
    };
    let people = if requirement.quorum == 1 {
        "one person".to_owned()
    } else {
        format!("{} people", requirement.quorum)
    };
    let time = match requirement.timeout_seconds {
        Some(seconds) => moment::span(seconds.saturating_mul(1_000)),
        None => "the gateway's default".to_owned(),
    };
    let after = match requirement.on_timeout.as_str() {
        "escalate" => "others are asked too",
        _ => "the call is denied",
    };
    html! {
        h3 { "Required approval" }
        (parts::facts([
            ("Approvers", html! { (text::long(&who)) }),
            ("How many", html! { (people) }),
            ("Time limit", html! { (time) "; then " (after) }),
            ("Arguments", html! { @if requirement.editable { "approvers may edit them" } @else { "approvers cannot edit them" } }),
        ]))
    }
}

fn matched(title: &str, policies: &[MatchedPolicyData]) -> Markup {
    html! {
        @if !policies.is_empty() {
            h3 { (title) }
            @for policy in policies { (one(policy)) }
        }
    }
}

fn one(policy: &MatchedPolicyData) -> Markup {
    let tone = if policy.effect == "permit" { BadgeTone::Good } else { BadgeTone::Bad };
    html! {
        details open {
            summary {
                (parts::badge(&policy.effect, tone)) " " strong { (text::short(&policy.id)) }
                @if let Some(reason) = &policy.reason { ": " (text::long(reason)) }
            }
            p.help { (text::short(&policy.file)) ", line " (policy.line) }
            (text::block(&policy.text))
        }
    }
}

fn broken(failed: &FailedPolicyData) -> Markup {
    html! {
        p.error { "The policy " strong { (text::short(&failed.policy.id)) } " could not be evaluated, so the call is denied: " (text::long(&failed.error)) }
        (one(&failed.policy))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_people_would_be_asked_is_said_in_words_and_hostile_text_stays_text() {
        let told: ExplainedCallData = serde_json::from_value(json!({
            "tool": "bank:transfer", "verdict": "approve", "summary": "needs approval", "template": "standard",
            "requirement": { "gates": [], "approvers": [["finance", "risk"], ["legal"]], "quorum": 2, "timeout_seconds": 600,
                "on_timeout": "escalate", "editable": true },
            "gates": [{ "id": "<script>alert(1)</script>", "file": "g.cedar", "line": 3, "set": "gates", "effect": "forbid", "text": "forbid" }],
        }))
        .expect("an explanation");
        let shown = shown(&told).into_string();
        for expected in
            ["finance or risk, and legal", "2 people", "10 min; then others are asked too", "may edit them"]
        {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        assert!(!shown.contains("<script>"), "{shown}");
    }
}
