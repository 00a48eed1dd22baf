//! How an approval stands: the time that is left, who has said what, and what it came to.

use maud::{Markup, html};
use serde_json::Value;

use super::told::{Approval, Barred, Vote};
use super::{difference, inbox, ways};
use crate::parts::{self, moment, text};
use crate::schema_form;
use crate::visit::Visit;

/// The head of the page: what is asked, and how it stands.
pub(super) fn heading(visit: &Visit, approval: &Approval) -> Markup {
    let title = html! { (text::short(&approval.tool)) " " (parts::state(&approval.state)) };
    let left = html! {
        @if approval.is_pending() { span.left { (moment::left(visit, &approval.expires_at)) } }
        a.button href=(inbox()) { "All that waits" }
    };
    parts::heading(title, left)
}

pub(super) fn votes(visit: &Visit, approval: &Approval) -> Markup {
    html! {
        section.card aria-labelledby="votes" {
            h2 #votes { "Who has said what" }
            p { (quorum(approval)) }
            @if approval.votes.is_empty() {
                p.soft { "Nobody has said anything yet." }
            } @else {
                ol.votes { @for vote in &approval.votes { li { (said(visit, vote)) } } }
            }
        }
    }
}

/// How many of how many agree.
pub(super) fn quorum(approval: &Approval) -> Markup {
    html! { (approval.agreed) " of " (approval.requirement.quorum.max(1)) " agreed" }
}

fn said(visit: &Visit, vote: &Vote) -> Markup {
    html! {
        (ways::principal(visit, &vote.person)) " " (verb(&vote.decision)) " " span.soft { (moment::ago(visit, &vote.at)) }
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

/// What was decided, in place of the form.
pub(super) fn decided(visit: &Visit, approval: &Approval) -> Markup {
    html! {
        section.card.decided aria-labelledby="decided" {
            h2 #decided { (sentence(approval)) }
            @if let Some(vote) = approval.last_word() { p { (said(visit, vote)) } }
            @if let Some(moment) = &approval.resolved_at { p.soft { "Settled " (moment::ago(visit, moment)) "." } }
            @if approval.state == "approved" { p.soft { "The call may use it for: " (moment::left(visit, &approval.expires_at)) "." } }
            @if let Some(call) = &approval.used_by { p { "It ran as " (ways::id(visit, call)) "." } }
            p { a.button.primary href=(inbox()) { "Back to what waits" } }
        }
    }
}

fn sentence(approval: &Approval) -> &'static str {
    if approval.withdrawn.as_deref() == Some("policies_changed") {
        return "Withdrawn: the policies that asked for it have changed. A call that still waits is asked about again";
    }
    match approval.state.as_str() {
        "approved" => "Approved",
        "denied" => "Denied",
        "changes_requested" => "Changes were requested",
        "expired" => "Nobody decided in time, which means no",
        "cancelled" => "The caller does not want it any more",
        "used" => "Approved and used: the call was sent",
        "lapsed" => "Lapsed: approved, but nobody used it in time",
        _ => "Decided",
    }
}

/// One line about somebody else's decision.
pub(super) fn by_whom(approval: &Approval) -> String {
    let Some(vote) = approval.last_word() else { return sentence(approval).to_owned() };
    let reason = vote.reason.as_deref().map(|reason| format!(" Their reason: {reason}"));
    format!("{} {}.{}", vote.person, verb(&vote.decision), reason.unwrap_or_default())
}

/// What an approver before this one made of the arguments.
pub(super) fn edited(approval: &Approval) -> Markup {
    let Some(proposed) = &approval.proposed_arguments else { return html! {} };
    let changes = difference::changes(proposed, &approval.arguments);
    html! {
        section.card aria-labelledby="edited" {
            h2 #edited { "What an approver changed" }
            p.soft { "The call was proposed with what is marked −, and would run with what is marked +." }
            (difference::shown(&changes))
        }
    }
}

/// Why somebody sees no buttons, and who has them.
pub(super) fn barred(visit: &Visit, approval: &Approval, why: Barred) -> Markup {
    let groups: Vec<String> =
        approval.requirement.approvers.iter().map(|groups| groups.join(" or ")).collect();
    html! {
        section.card aria-labelledby="barred" {
            h2 #barred { "Somebody else decides" }
            @match why {
                Barred::Role => p { "You are here as " (visit.role().as_str()) ". Approvals are decided by the roles approver and admin." },
                Barred::Requester => p { "You asked for this call, or opened the session it was made in. Somebody else must agree." },
                Barred::NotAPerson => p { "Only people decide, and your token is one of a service." },
                Barred::NotInGroup => p { "Somebody of " (text::short(&groups.join(" and of "))) " must agree, and you are in none of these groups." },
            }
        }
    }
}

/// Whether a form may be made of the arguments, and otherwise why not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Editing {
    Fields,
    /// The gate does not allow it.
    Closed,
    /// Too long for a form.
    TooLong,
    /// The tool is not any more what was asked for.
    ToolGone,
    /// There is nothing to decide, or not for this person.
    ReadOnly,
}

/// Longer arguments are not put into a form.
const FORM_BYTES_MAX: usize = 64 << 10;

impl Editing {
    pub(super) fn of(approval: &Approval) -> Self {
        match approval {
            one if !one.requirement.editable => Editing::Closed,
            one if one.definition.is_none() => Editing::ToolGone,
            one if bytes(&one.arguments) > FORM_BYTES_MAX => Editing::TooLong,
            _ => Editing::Fields,
        }
    }
}

fn bytes(value: &Value) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |text| text.len())
}

/// What would run, to be read only.
pub(super) fn arguments(approval: &Approval, editing: Editing) -> Markup {
    html! {
        @match approval.schema() {
            Some(schema) => (schema_form::shown(schema, &approval.arguments)),
            None => (parts::json::tree(&approval.arguments)),
        }
        @match editing {
            Editing::TooLong => p.notice {
                "These arguments are too long to be edited here. By the command line: "
                code { "toolgate approvals edit " (approval.id) " --args …" }
                ", by REST: " code { "POST /approvals/" (approval.id) "/decide" } "."
            },
            Editing::Closed => p.help { "The policy does not let approvers change them. You can ask for changes." },
            _ => {},
        }
        (parts::json::raw(&approval.arguments))
    }
}
