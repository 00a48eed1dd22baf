//! The ledger events about approvals and grants. They contain no digests of arguments, from which short ones could
//! be guessed.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::approval::{Approval, Grant};
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::governance::VoteSubmission;
use toolgate_core::id::CallId;
use toolgate_core::{CanonicalName, PrincipalId, ServerName};

pub(super) fn requested(approval: &Approval) -> Event {
    let asked = &approval.requirement;
    let gates: Vec<&str> = asked.gates.iter().map(|gate| gate.id.as_str()).collect();
    let detail = json!({
        "gates": gates,
        "approvers": asked.approvers,
        "quorum": asked.quorum,
        "on_timeout": asked.on_timeout,
        "editable": asked.editable,
        "expires_at_ms": approval.expires_at_ms,
    });
    let by = &approval.binding.principal;
    of(EventKind::ApprovalRequested, approval, by, approval.created_at_ms).with(detail)
}

/// `call` is the one that attached.
pub(super) fn joined(approval: &Approval, call: &CallId, at_ms: i64) -> Event {
    let about = about(approval, call);
    let event = of(EventKind::ApprovalJoined, approval, &approval.binding.principal, at_ms);
    Event { about: Arc::new(about), ..event }.with(json!({ "state": approval.state }))
}

pub(super) fn voted(approval: &Approval, deciding: &VoteSubmission, at_ms: i64) -> Event {
    let word = &deciding.word;
    let detail = json!({
        "ballot": word.ballot.kind(),
        "via": deciding.via,
        "reason": word.reason,
        "edited": is_edited(approval),
    });
    of(EventKind::ApprovalVoted, approval, &word.voter.id, at_ms).with(detail)
}

pub(super) fn escalated(approval: &Approval, at_ms: i64) -> Event {
    let detail = json!({ "to": approval.escalated_to, "expires_at_ms": approval.expires_at_ms });
    of(EventKind::ApprovalEscalated, approval, &PrincipalId::gateway(), at_ms).with(detail)
}

pub(super) fn resolved(approval: &Approval, by: &PrincipalId, at_ms: i64) -> Event {
    let waited_ms = at_ms.saturating_sub(approval.created_at_ms);
    let mut detail = json!({ "state": approval.state, "waited_ms": waited_ms });
    if let Some(why) = approval.withdrawn {
        detail["withdrawn"] = json!(why);
    }
    of(EventKind::ApprovalResolved, approval, by, at_ms).with(detail)
}

/// `call` is the one that is sent.
pub(crate) fn consumed(approval: &Approval, call: &CallId, at_ms: i64) -> Event {
    let about = about(approval, call);
    let event = of(EventKind::ApprovalConsumed, approval, &approval.binding.principal, at_ms);
    Event { about: Arc::new(about), ..event }.with(json!({ "edited": is_edited(approval) }))
}

pub(super) fn grant_created(grant: &Grant, approval: &Approval, at_ms: i64) -> Event {
    let pins: Vec<&str> = grant.pins.iter().map(|pin| pin.path.as_str()).collect();
    let detail = json!({
        "grant": grant.id,
        "pins": pins,
        "uses": grant.uses_left,
        "expires_at_ms": grant.expires_at_ms,
    });
    of(EventKind::GrantCreated, approval, &grant.created_by, at_ms).with(detail)
}

/// `about` is the call that is sent.
pub(crate) fn grant_used(grant: &Grant, about: Arc<EventSubject>, at_ms: i64) -> Event {
    let detail = json!({ "grant": grant.id, "uses_left": grant.uses_left });
    Event::new(EventKind::GrantUsed, at_ms, grant.principal.clone(), about).with(detail)
}

pub(super) fn grant_revoked(grant: &Grant, by: &PrincipalId, at_ms: i64) -> Event {
    let about = EventSubject {
        tool: Some(grant.tool.clone()),
        server: server(&grant.tool),
        tool_version: Some(grant.tool_version),
        ..EventSubject::default()
    };
    let mut event = Event::new(EventKind::GrantRevoked, at_ms, by.clone(), Arc::new(about));
    event.approval = Some(grant.approval.clone());
    event.with(json!({ "grant": grant.id }))
}

fn of(kind: EventKind, approval: &Approval, by: &PrincipalId, at_ms: i64) -> Event {
    let mut event = Event::new(kind, at_ms, by.clone(), Arc::new(about(approval, &approval.call)));
    event.approval = Some(approval.id.clone());
    event.policy_version = approval.policy_version;
    event
}

fn about(approval: &Approval, call: &CallId) -> EventSubject {
    EventSubject {
        session: approval.session.clone(),
        run: approval.run.clone(),
        task: approval.task.as_deref().map(Into::into),
        call: Some(call.clone()),
        tool: Some(approval.binding.tool.clone()),
        server: server(&approval.binding.tool),
        tool_version: Some(approval.binding.tool_version),
        trace: None,
    }
}

/// True if an approver changed the arguments.
fn is_edited(approval: &Approval) -> bool {
    approval.effective != approval.binding.proposed
}

/// The first half of a canonical name.
fn server(tool: &CanonicalName) -> Option<ServerName> {
    let (server, _) = tool.as_str().split_once(':')?;
    ServerName::new(server).ok()
}

trait WithDetail {
    fn with(self, detail: Value) -> Self;
}

impl WithDetail for Event {
    fn with(mut self, detail: Value) -> Self {
        self.detail = Some(detail.into());
        self
    }
}
