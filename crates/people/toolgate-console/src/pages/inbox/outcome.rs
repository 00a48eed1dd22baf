//! The state of an approval: the time left, the votes, and the outcome.

use maud::{Markup, html};
use serde_json::Value;

use super::data::{ApprovalData, BarredReason, VoteData};
use super::difference;
use super::ways::inbox;
use crate::parts::{self, allowed, links, moment, text};
use crate::schema_form;
use crate::visit::PageVisit;

/// The head of the page: the request, and its state.
pub(super) fn heading(visit: &PageVisit, approval: &ApprovalData) -> Markup {
    let title = html! { (text::short(&approval.tool)) " " (parts::state(&approval.state)) };
    let left = html! {
        @if approval.is_pending() { span.left { (moment::left(visit, &approval.expires_at)) } }
        a.button href=(inbox()) { "Back to the inbox" }
    };
    parts::heading(title, left)
}

pub(super) fn votes(visit: &PageVisit, approval: &ApprovalData) -> Markup {
    html! {
        section.card aria-labelledby="votes" {
            h2 #votes { "Decisions so far" }
            p { (quorum(approval)) }
            @if approval.votes.is_empty() {
                p.soft { "No one has decided yet." }
            } @else {
                ol.votes { @for vote in &approval.votes { li { (said(visit, vote)) } } }
            }
        }
    }
}

/// The number of votes of those needed.
pub(super) fn quorum(approval: &ApprovalData) -> Markup {
    html! { (approval.agreed) " of " (approval.requirement.quorum.max(1)) " agreed" }
}

fn said(visit: &PageVisit, vote: &VoteData) -> Markup {
    html! {
        (allowed::principal(visit, &vote.person)) " " (verb(&vote.decision)) " " span.soft { (moment::ago(visit, &vote.at)) }
        @if let Some(reason) = &vote.reason { p.reason { (text::long(reason)) } }
    }
}

fn verb(decision: &str) -> &str {
    match decision {
        "approve" => "approved it",
        "edit" => "approved it with other arguments",
        "deny" => "denied it",
        "request_changes" => "asked for changes",
        other => other,
    }
}

/// The decision, in place of the form.
pub(super) fn decided(visit: &PageVisit, approval: &ApprovalData) -> Markup {
    html! {
        section.card.decided aria-labelledby="decided" {
            h2 #decided { (sentence(approval)) }
            @if let Some(vote) = approval.last_word() { p { (said(visit, vote)) } }
            @if let Some(moment) = &approval.resolved_at { p.soft { "Settled " (moment::ago(visit, moment)) "." } }
            @if approval.state == "approved" { p.soft { "The call can still use it: " (moment::left(visit, &approval.expires_at)) "." } }
            @if let Some(call) = &approval.used_by { p { "It ran as " (links::id(call)) "." } }
            p { a.button.primary href=(inbox()) { "Back to the inbox" } }
        }
    }
}

fn sentence(approval: &ApprovalData) -> &'static str {
    match approval.withdrawn.as_deref() {
        Some("policies_changed") => {
            return "Withdrawn: the policies that required it have changed. A call that still waits needs a new approval";
        }
        Some("tool_changed") => {
            return "Withdrawn: the definition of the tool has changed, so this call cannot run any more";
        }
        _ => {}
    }
    match approval.state.as_str() {
        "approved" => "Approved",
        "denied" => "Denied",
        "changes_requested" => "Changes were requested",
        "expired" => "No one decided in time, so the call is denied",
        "cancelled" => "The caller withdrew it",
        "used" => "Approved and used: the call was sent",
        "lapsed" => "Lapsed: approved, but not used in time",
        _ => "Decided",
    }
}

/// One line about another person's decision.
pub(super) fn by_whom(approval: &ApprovalData) -> String {
    let Some(vote) = approval.last_word() else { return sentence(approval).to_owned() };
    let reason = vote.reason.as_deref().map(|reason| format!(" Their reason: {reason}"));
    format!("{} {}.{}", vote.person, verb(&vote.decision), reason.unwrap_or_default())
}

/// An earlier approver's changes to the arguments.
pub(super) fn edited(approval: &ApprovalData) -> Markup {
    let Some(proposed) = &approval.proposed_arguments else { return html! {} };
    let changes = difference::changes(proposed, &approval.arguments);
    html! {
        section.card aria-labelledby="edited" {
            h2 #edited { "What an approver changed" }
            p.soft { "The call was proposed with the lines marked −, and would run with the lines marked +." }
            (difference::shown(&changes))
        }
    }
}

/// The reason why a user sees no buttons, and who has them.
pub(super) fn barred(visit: &PageVisit, approval: &ApprovalData, why: BarredReason) -> Markup {
    let groups: Vec<String> =
        approval.requirement.approvers.iter().map(|groups| groups.join(" or ")).collect();
    html! {
        section.card aria-labelledby="barred" {
            h2 #barred { "You cannot decide this" }
            @match why {
                BarredReason::Role => p { "You are logged in as " (visit.role().as_str()) ". The roles approver and admin decide on approvals." },
                BarredReason::Requester => p { "You proposed this call, or opened the session it came from. Someone else must approve it." },
                BarredReason::NotAPerson => p { "Only people can decide, and your token belongs to a service." },
                BarredReason::NotInGroup => p { "A member of " (text::short(&groups.join(" and of "))) " must approve, and you are in none of these groups." },
            }
        }
    }
}

/// The permission to edit the arguments in a form, or the reason against it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EditPermission {
    Fields,
    /// The gate does not allow it.
    Closed,
    /// Too long for a form.
    TooLong,
    /// The tool has changed since the request.
    ToolGone,
    /// There is nothing to decide, or not for this person.
    ReadOnly,
}

/// Longer arguments are not put into a form.
const FORM_BYTES_MAX: usize = 64 << 10;

impl EditPermission {
    pub(super) fn of(approval: &ApprovalData) -> Self {
        match approval {
            one if !one.requirement.editable => EditPermission::Closed,
            one if one.definition.is_none() => EditPermission::ToolGone,
            one if bytes(&one.arguments) > FORM_BYTES_MAX => EditPermission::TooLong,
            _ => EditPermission::Fields,
        }
    }
}

fn bytes(value: &Value) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |text| text.len())
}

/// The arguments that would run, read-only.
pub(super) fn arguments(approval: &ApprovalData, editing: EditPermission) -> Markup {
    html! {
        @match approval.schema() {
            Some(schema) => (schema_form::shown(schema, &approval.arguments)),
            None => (parts::json::tree(&approval.arguments)),
        }
        @match editing {
            EditPermission::TooLong => p.notice {
                "These arguments are too long to edit here. On the command line: "
                code { "toolgate approvals edit " (approval.id) " --args …" }
                ", or over REST: " code { "POST /approvals/" (approval.id) "/decide" } "."
            },
            EditPermission::Closed => p.help { "The policy does not let approvers edit them. You can ask for changes instead." },
            _ => {},
        }
        (parts::json::raw(&approval.arguments))
    }
}
