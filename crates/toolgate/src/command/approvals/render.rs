//! Approvals and grants as a person reads them.

use toolgate_core::Effects;
use toolgate_core::approval::{Approval, ApprovalState, Grant, Vote};
use toolgate_core::content::Attachment;
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::{OnTimeout, PolicyRef};
use toolgate_core::moment::rfc3339;

use crate::command::shown::{ADMINS_COUNT, any_of, indented, needs, pretty, several, span};
use crate::output::printable;
use crate::table::{TextTable, clean};

pub(super) fn list(approvals: &[Approval], now_ms: i64) -> TextTable {
    let mut table = TextTable::new(["ID", "STATE", "TOOL", "ASKED BY", "NEEDS", "AGREED", "LEFT"]);
    for approval in approvals {
        table.row([
            approval.id.to_string(),
            approval.state.as_str().to_owned(),
            approval.binding.tool.to_string(),
            approval.binding.principal.to_string(),
            needs(&approval.requirement),
            format!("{} of {}", approval.agreed(), approval.requirement.quorum),
            left(approval, now_ms),
        ]);
    }
    table
}

/// The data for a decision. `effects` are those of the current tool, if it still exists.
pub(super) fn show(approval: &Approval, effects: Option<Effects>, now_ms: i64) -> String {
    let mut text = format!("{}  {}\n\n", approval.id, state(approval, now_ms));
    for (name, value) in facts(approval, effects) {
        text.push_str(&format!("{name:<11} {}\n", clean(&value)));
    }
    text.push_str("\nwhy people are asked\n");
    approval.requirement.gates.iter().for_each(|gate| text.push_str(&indented(&policy(gate))));
    if !approval.votes.is_empty() {
        text.push_str("\nvotes\n");
        approval.votes.iter().for_each(|one| text.push_str(&indented(&vote(approval, one))));
    }
    if !approval.attachments.is_empty() {
        text.push_str("\nfiles\n");
        approval.attachments.iter().for_each(|one| text.push_str(&indented(&attachment(one))));
    }
    if !approval.credentials.is_empty() {
        text.push_str("\ncredentials\n");
        approval.credentials.iter().for_each(|one| text.push_str(&indented(&credential(one))));
    }
    if let Some(proposed) = &approval.proposed_arguments {
        text.push_str(&format!("\nproposed arguments\n{}", indented(&pretty(proposed))));
    }
    let redacted = if approval.complete { "" } else { " (some are redacted)" };
    text.push_str(&format!("\narguments{redacted}\n{}", indented(&pretty(&approval.arguments))));
    text
}

/// The content for the server besides the arguments.
fn attachment(one: &Attachment) -> String {
    let name = one.name.as_ref().map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let place = one.place.trim_start_matches('/');
    clean(&format!("{place}: {}{name}, {}, {} bytes, {}", one.id, one.media_type, one.bytes, one.digest))
}

/// A credential whose value the server would get.
fn credential(one: &CredentialUse) -> String {
    let place = one.place.trim_start_matches('/');
    let first = if one.is_new { ", not used in this session before" } else { "" };
    clean(&format!("{place}: {} \"{}\", for {}{first}", one.handle(), one.name, one.origin))
}

fn facts(approval: &Approval, effects: Option<Effects>) -> Vec<(&'static str, String)> {
    let effects = effects.map(|effects| effects.names().collect::<Vec<_>>().join(", "));
    let tool = match effects.as_deref() {
        Some("") => format!("{}, which has no effects", approval.binding.tool),
        Some(effects) => format!("{} ({effects})", approval.binding.tool),
        None => format!("{}, which is not there any more", approval.binding.tool),
    };
    let requester = &approval.requester;
    let mut facts = vec![
        ("tool", tool),
        (
            "asked by",
            format!("{} ({}, role {})", requester.id, requester.kind.as_str(), requester.role.as_str()),
        ),
        ("asked at", rfc3339(approval.created_at_ms)),
        ("call", approval.call.to_string()),
    ];
    let belongs = [
        ("session", approval.session.as_ref().map(ToString::to_string)),
        ("run", approval.run.as_ref().map(ToString::to_string)),
        ("task", approval.task.clone()),
        ("ran as", approval.used_by.as_ref().map(ToString::to_string)),
    ];
    facts.extend(belongs.into_iter().filter_map(|(name, value)| Some((name, value?))));
    facts.push(("needs", needs(&approval.requirement)));
    if !approval.requirement.approvers.is_empty() {
        facts.push(("also", ADMINS_COUNT.to_owned()));
    }
    if let Some(why) = approval.withdrawn {
        facts.push(("withdrawn", why.told().to_owned()));
    }
    if let Some(groups) = &approval.escalated_to {
        facts.push(("escalated", format!("no one decided in time; {} may decide too", any_of(groups))));
    }
    let editable = if approval.requirement.editable { "may be changed" } else { "must stay as they are" };
    facts.push(("arguments", editable.to_owned()));
    facts.push(("digest", approval.effective.to_string()));
    facts
}

fn left(approval: &Approval, now_ms: i64) -> String {
    match approval.expires_at_ms.saturating_sub(now_ms) {
        _ if !approval.state.is_open() => String::new(),
        ..=0 => "over".to_owned(),
        ms => span(ms),
    }
}

/// Its state, in words.
fn state(approval: &Approval, now_ms: i64) -> String {
    let left = approval.expires_at_ms.saturating_sub(now_ms);
    match approval.state {
        ApprovalState::Pending if left <= 0 => "pending, but the time to decide is over".to_owned(),
        ApprovalState::Pending => {
            let then = match (approval.requirement.on_timeout, &approval.escalated_to) {
                (OnTimeout::Escalate, None) => "then others are asked as well",
                _ => "then the answer is no",
            };
            format!("pending for another {}, {then}", span(left))
        }
        ApprovalState::Approved if left <= 0 => "approved, but not used in time".to_owned(),
        ApprovalState::Approved => format!("approved, to be used within {}", span(left)),
        ApprovalState::Used => "approved and used".to_owned(),
        ApprovalState::Lapsed => "approved, but never used".to_owned(),
        state => state.as_str().replace('_', " "),
    }
}

fn policy(policy: &PolicyRef) -> String {
    match &policy.reason {
        Some(reason) => format!("{}: {}", clean(&policy.id), clean(reason)),
        None => clean(&policy.id),
    }
}

fn vote(approval: &Approval, vote: &Vote) -> String {
    let outdated = match vote.effective == approval.effective {
        true => "",
        false => " (to arguments that were changed since)",
    };
    let reason = vote.reason.as_ref().map(|reason| format!(": {}", clean(reason))).unwrap_or_default();
    let said = vote.ballot.as_str().replace('_', " ");
    let through =
        vote.counts_as.as_ref().map(|voice| format!(" through {}", clean(voice))).unwrap_or_default();
    format!("{}  {}{through} said {said}{outdated}{reason}", rfc3339(vote.at_ms), clean(vote.person.as_str()))
}

/// The result of a decision.
pub(super) fn decided(approval: &Approval, grant: Option<&Grant>, now_ms: i64) -> String {
    let mut text = match approval.state {
        ApprovalState::Pending => {
            let (agreed, quorum) = (approval.agreed(), approval.requirement.quorum);
            format!("counted: {agreed} of {quorum} agreed; it needs {}", needs(&approval.requirement))
        }
        _ => state(approval, now_ms),
    };
    if let Some(grant) = grant {
        text.push_str(&format!("\ngrant {}: {}", grant.id, terms(grant, now_ms)));
    }
    printable(&format!("{}: {text}", approval.id))
}

pub(super) fn grants(grants: &[Grant], now_ms: i64) -> TextTable {
    let mut table = TextTable::new(["ID", "FOR", "TOOL", "PINNED", "TERMS", "GIVEN BY"]);
    for grant in grants {
        table.row([
            grant.id.to_string(),
            grant.principal.to_string(),
            grant.tool.to_string(),
            pinned(grant),
            terms(grant, now_ms),
            grant.created_by.to_string(),
        ]);
    }
    table
}

fn pinned(grant: &Grant) -> String {
    let paths: Vec<&str> = grant.pins.iter().map(|pin| pin.path.as_str()).collect();
    match &paths[..] {
        [] => "nothing".to_owned(),
        paths if paths.contains(&"") => "all arguments".to_owned(),
        paths => paths.join(", "),
    }
}

fn terms(grant: &Grant, now_ms: i64) -> String {
    let uses = grant.uses_left.map(|uses| several(u64::from(uses), "use"));
    let uses = uses.unwrap_or_else(|| "any number of uses".to_owned());
    match grant.expires_at_ms.saturating_sub(now_ms) {
        _ if grant.revoked_at_ms.is_some() => "revoked".to_owned(),
        _ if grant.uses_left == Some(0) => "used up".to_owned(),
        ..=0 => "expired".to_owned(),
        left => format!("{uses} within {}", span(left)),
    }
}

#[cfg(test)]
mod tests;
