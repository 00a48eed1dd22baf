//! The caller, the person it acts for, the tool, and the policy that requires approval.

use maud::{Markup, html};
use serde_json::Value;

use super::data::ApprovalData;
use super::risk;
use crate::parts::{allowed, facts, links, moment, text};
use crate::visit::PageVisit;

pub(super) fn who(visit: &PageVisit, approval: &ApprovalData) -> Markup {
    let known = |id: &Option<String>| id.as_deref().map(|id| allowed::id(visit, id));
    let rows = [
        ("Caller", Some(allowed::principal(visit, &approval.principal))),
        ("As agent", approval.agent.as_deref().map(|agent| allowed::agent(visit, agent))),
        ("On behalf of", Some(for_whom(visit, approval))),
        ("Session", known(&approval.session)),
        ("Run", known(&approval.run)),
        ("Task", approval.task.as_deref().map(text::short)),
        ("Call", Some(links::id(&approval.call))),
        ("Asked", Some(moment::ago(visit, &approval.created_at))),
    ];
    html! {
        section.card aria-labelledby="who" {
            h2 #who { "Request" }
            (facts(rows.into_iter().filter_map(|(name, value)| Some((name, value?)))))
        }
    }
}

fn for_whom(visit: &PageVisit, approval: &ApprovalData) -> Markup {
    match &approval.opened_by {
        Some(person) if *person != approval.principal => {
            html! { (allowed::principal(visit, person)) span.soft { " (opened the session)" } }
        }
        _ => html! { span.soft { "itself; it opened its own session" } },
    }
}

pub(super) fn tool(approval: &ApprovalData) -> Markup {
    let description =
        approval.definition.as_ref().and_then(|tool| tool.get("description")).and_then(Value::as_str);
    html! {
        section.card aria-labelledby="tool" {
            h2 #tool { "The tool" }
            p { (links::tool(&approval.tool)) }
            (risk::effects(approval.effects))
            @match (&approval.definition, description) {
                (None, _) => p.notice { "This tool was removed or changed after the call was proposed. Even if approved, the call cannot run." },
                (Some(_), Some(told)) => div.described { (text::long(told)) },
                (Some(_), None) => p.soft { "The server gives no description." },
            }
        }
    }
}

/// The gates, in their authors' words.
pub(super) fn policy(approval: &ApprovalData) -> Markup {
    let requirement = &approval.requirement;
    html! {
        section.card aria-labelledby="policy" {
            h2 #policy { "Why you are asked" }
            ul.plainly {
                @for gate in &requirement.gates {
                    li {
                        @match &gate.reason {
                            Some(reason) => (text::long(reason)),
                            None => span.soft { "The policy gives no reason." },
                        }
                        " " code { (text::short(&gate.id)) }
                    }
                }
            }
            (facts([
                ("Required approvals", must_agree(approval)),
                ("Arguments", editable(approval)),
                ("If nobody answers", html! { (requirement.at_the_end(approval.escalated_to.is_some())) }),
            ]))
        }
    }
}

fn must_agree(approval: &ApprovalData) -> Markup {
    let entries = &approval.requirement.approvers;
    html! {
        @match approval.requirement.quorum { 0 | 1 => "One person", more => { (more) " different people" } }
        @if entries.is_empty() { ", anyone who may approve" }
        @for (place, groups) in entries.iter().enumerate() {
            @if place == 0 { ", of " } @else { " and a member of " }
            (text::short(&groups.join(" or ")))
        }
        @if !entries.is_empty() { p.soft { "Admins count for every group." } }
        @if let Some(groups) = &approval.escalated_to {
            p.soft {
                "No one decided in time, so others are asked too"
                @if groups.is_empty() { "." } @else { ": " (text::short(&groups.join(", "))) }
            }
        }
    }
}

fn editable(approval: &ApprovalData) -> Markup {
    html! { @if approval.requirement.editable { "approvers may edit them" } @else { "approvers cannot edit them" } }
}
