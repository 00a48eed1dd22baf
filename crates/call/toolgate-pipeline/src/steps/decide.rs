//! Step four: policy permits the call, perhaps if a person agrees.

use serde_json::{Value, json};
use toolgate_core::decision::{ApprovalRequirement, Denial, PolicyRef, PolicyRequest, Verdict};
use toolgate_core::event::{DecisionKind, Outcome};
use toolgate_core::{Digest, PrincipalId, RawJson};

use super::attach::Attached;
use crate::pipeline::Pipeline;
use crate::ticket::{StoppedCall, Ticket};
use crate::words::TextAudience;

/// A call that policy lets through, once people have agreed where it asks for them.
pub(crate) struct Permitted {
    ticket: Ticket,
    arguments: Value,
    requirement: Option<ApprovalRequirement>,
}

impl Permitted {
    pub(super) fn into_parts(self) -> (Ticket, Value, Option<ApprovalRequirement>) {
        (self.ticket, self.arguments, self.requirement)
    }
}

pub(crate) fn decide(pipeline: &Pipeline, attached: Attached) -> Result<Permitted, Box<StoppedCall>> {
    let (mut ticket, arguments) = attached.into_parts();
    let verdict = judge(pipeline, &mut ticket, &arguments);
    match verdict {
        Verdict::Permit => {
            if ticket.is_recorded() {
                ticket.keep_input(pipeline, &arguments);
            }
            Ok(Permitted { ticket, arguments, requirement: None })
        }
        Verdict::Approve(requirement) => {
            ticket.is_gated = true;
            ticket.keep_input(pipeline, &arguments);
            Ok(Permitted { ticket, arguments, requirement: Some(requirement) })
        }
        Verdict::Deny(denial) => {
            ticket.keep_input(pipeline, &arguments);
            let refusal = TextAudience::of(pipeline, &ticket).denied(&ticket.tool.name, &denial);
            Err(StoppedCall::new(ticket, Outcome::Denied, refusal))
        }
    }
}

/// Asks policy, and notes its decision.
pub(super) fn judge(pipeline: &Pipeline, ticket: &mut Ticket, arguments: &Value) -> Verdict {
    let decision = pipeline.policy.decide(&PolicyRequest {
        principal: &ticket.principal,
        tool: &ticket.tool,
        arguments,
        session: ticket.about.session.as_ref(),
        agent: ticket.agent.as_ref(),
        template: ticket.template,
        run: ticket.run.as_ref(),
        task: ticket.task.as_deref(),
        credentials: &ticket.credentials,
    });
    ticket.policy_version = Some(decision.policy_version);
    ticket.basis = decision.verdict.basis(ticket.template);
    let verdict = match &ticket.barred {
        Some(why) => Verdict::Deny(out_of_scope(why)),
        None => without_authors(with_asks(decision.verdict, ticket.asks()), &ticket.excluded),
    };
    let (kind, mut detail) = match &verdict {
        Verdict::Permit => (DecisionKind::Permit, Value::Null),
        Verdict::Approve(requirement) => (DecisionKind::Approve, json!({ "requirement": requirement })),
        Verdict::Deny(denial) => (DecisionKind::Deny, json!({ "denial": denial })),
    };
    if let Some(shadow) = &decision.shadow {
        detail["shadow"] = shadow.as_str().into();
        detail["shadow_policies"] = json!(policies_of(shadow));
    }
    if let Some(by) = &ticket.forced_by {
        detail["forced_by"] = by.as_str().into();
    }
    // The session of a plain permit adds nothing, and most calls are one.
    if !detail.is_null() {
        tell_seat(ticket, &mut detail);
    }
    ticket.decided(pipeline, kind, (!detail.is_null()).then(|| RawJson::from(detail)));
    verdict
}

/// Adds the filters' requirement to that of policy.
fn with_asks(verdict: Verdict, asks: Option<ApprovalRequirement>) -> Verdict {
    match (verdict, asks) {
        (Verdict::Permit, Some(asks)) => Verdict::Approve(asks),
        (Verdict::Approve(requirement), Some(asks)) => Verdict::Approve(requirement.merged(asks)),
        (verdict, _) => verdict,
    }
}

/// Nobody agrees to a judgement of their own work.
fn without_authors(verdict: Verdict, authors: &[PrincipalId]) -> Verdict {
    match verdict {
        Verdict::Approve(mut requirement) if !authors.is_empty() => {
            requirement.excluded.extend_from_slice(authors);
            requirement.excluded.sort();
            requirement.excluded.dedup();
            Verdict::Approve(requirement)
        }
        verdict => verdict,
    }
}

/// The policies that would have asked or forbidden.
fn policies_of(verdict: &Verdict) -> &[PolicyRef] {
    match verdict {
        Verdict::Permit => &[],
        Verdict::Approve(requirement) => &requirement.gates,
        Verdict::Deny(denial) => &denial.policies,
    }
}

/// The scope of a session is not a written policy, but denies like one.
fn out_of_scope(why: &str) -> Denial {
    const SCOPE: &str = "session-scope";
    let scope = PolicyRef { id: SCOPE.to_owned(), reason: Some(why.to_owned()), text: Digest::of(SCOPE) };
    Denial { policies: vec![scope], error: None }
}

/// Adds the session's opener and its level of care.
fn tell_seat(ticket: &Ticket, detail: &mut Value) {
    if let Some(agent) = &ticket.agent {
        detail["agent"] = agent.as_str().into();
    }
    if let Some(template) = ticket.template {
        detail["template"] = template.as_str().into();
    }
}
