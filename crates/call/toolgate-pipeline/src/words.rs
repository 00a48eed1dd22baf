//! The texts for a model when its tool has no result: what happened, why, who decides and until when, whether
//! to repeat the call, and what to tell the user. The data for programs is made here too.

use serde_json::json;
use toolgate_core::approval::{Approval, WithdrawalReason};
use toolgate_core::codes;
use toolgate_core::decision::{ApprovalRequirement, CALLER_GROUP, Denial, OnTimeout, PolicyRef};
use toolgate_core::event::Outcome;
use toolgate_core::id::CallId;
use toolgate_core::moment::rfc3339;
use toolgate_core::{Blame, CanonicalName};

use crate::answer::CallRefusal;
use crate::pipeline::Pipeline;
use crate::ticket::Ticket;

/// The reader of a text: the name they know the tool by, the time, and where people decide.
pub(crate) struct TextAudience<'a> {
    pub(crate) tool: &'a str,
    pub(crate) now_ms: i64,
    pub(crate) link: Option<&'a str>,
}

impl<'a> TextAudience<'a> {
    pub(crate) fn of(pipeline: &'a Pipeline, ticket: &'a Ticket) -> Self {
        Self {
            tool: ticket.called.as_deref().unwrap_or(ticket.tool.name.as_str()),
            now_ms: pipeline.clock.now_ms(),
            link: pipeline.settings.link.as_deref(),
        }
    }

    /// People are asked and have not decided yet.
    pub(crate) fn pending(&self, approval: &Approval) -> CallRefusal {
        let Self { tool, .. } = self;
        let (who, until) = (who(&approval.requirement), self.moment(approval.expires_at_ms));
        let then = match approval.requirement.on_timeout {
            OnTimeout::Escalate if approval.escalated_to.is_none() => "then others are asked as well",
            OnTimeout::Deny | OnTimeout::Escalate => "then it counts as a no",
        };
        let message = format!("not run yet: this call of {tool} waits for approval {}", approval.id);
        let why = why(&approval.requirement.gates);
        let tell = format!("{tool} has not run: it waits for {who}, until {until}, because {why}");
        let refusal = CallRefusal::new(&codes::PENDING_APPROVAL, message);
        self.about(refusal, approval).decided_by(who, format!("{until}; {then}")).because(why).tell(tell)
    }

    /// People agreed after the caller had stopped waiting.
    pub(crate) fn unattended(&self, approval: &Approval) -> CallRefusal {
        let Self { tool, .. } = self;
        let message = format!(
            "approved, and not run yet: the caller of {tool} had stopped waiting when {} agreed",
            approval.decided_by().map_or("people", |person| person.as_str())
        );
        let until = self.moment(approval.expires_at_ms);
        let hint =
            format!("repeat exactly the same call, until {until}: it runs at once, and people are not asked");
        let tell = format!("{tool} is approved and has not run yet");
        let refusal = CallRefusal::new(&codes::PENDING_APPROVAL, message).hint(hint);
        self.about(refusal, approval).tell(tell)
    }

    pub(crate) fn denied_by_person(&self, approval: &Approval) -> CallRefusal {
        let Self { tool, .. } = self;
        let (person, reason) = self.word(approval);
        let message = format!("not run: {person} said no to this call of {tool}");
        let tell = format!("{person} denied {tool}: {reason}");
        let refusal = CallRefusal::new(&codes::APPROVAL_DENIED, message);
        self.about(refusal, approval).because(reason).tell(tell)
    }

    pub(crate) fn changes_requested(&self, approval: &Approval) -> CallRefusal {
        let Self { tool, .. } = self;
        let (person, reason) = self.word(approval);
        let message = format!("not run: {person} wants another proposal than this call of {tool}");
        let tell = format!("{person} wants {tool} to be called otherwise: {reason}");
        let refusal = CallRefusal::new(&codes::CHANGES_REQUESTED, message);
        self.about(refusal, approval).because(reason).tell(tell)
    }

    pub(crate) fn expired(&self, approval: &Approval) -> CallRefusal {
        let Self { tool, .. } = self;
        let who = who(&approval.requirement);
        let ended = self.moment(approval.resolved_at_ms.unwrap_or(approval.expires_at_ms));
        let message = format!(
            "not run: no approver decided in time on this call of {tool}, which means no (approval {}, ended {ended})",
            approval.id
        );
        let tell = format!("{tool} has not run, because {who} did not decide in time");
        let refusal = CallRefusal::new(&codes::EXPIRED, message);
        self.about(refusal, approval).because(why(&approval.requirement.gates)).tell(tell)
    }

    /// The approval was not used in time.
    pub(crate) fn lapsed(&self, approval: &Approval) -> CallRefusal {
        let message = format!("not run: the approval {} of {} was not used in time", approval.id, self.tool);
        let refusal =
            CallRefusal::new(&codes::EXPIRED, message).hint("call again, which asks the approvers again");
        self.about(refusal, approval)
    }

    pub(crate) fn withdrawn(&self, approval: &Approval) -> CallRefusal {
        let why = approval.withdrawn.map_or("it was taken back", WithdrawalReason::told);
        let message = format!("not run: the request for approval {} was withdrawn", approval.id);
        let hint = "call again if it is still wanted, which asks the approvers again";
        self.about(CallRefusal::new(&codes::CANCELLED, message).hint(hint), approval).because(why)
    }

    /// The call ran under this approval before, and its end is not known yet.
    pub(crate) fn under_way(&self, approval: &Approval, call: &CallId) -> CallRefusal {
        let message = format!("people agreed to this call of {}, and it runs as {call}", self.tool);
        self.about(CallRefusal::new(&codes::UNDER_WAY, message), approval)
    }

    /// The call ran under this approval before, and its result is not available.
    pub(crate) fn ran_before(&self, approval: &Approval, call: &CallId, outcome: Outcome) -> CallRefusal {
        let Self { tool, .. } = self;
        let ended = ended_as(outcome);
        let message =
            format!("this call of {tool} was sent before, as {call}, after people had agreed: {ended}");
        let tell = format!("{tool} was sent once ({call}); {ended}");
        self.about(CallRefusal::new(&codes::RAN_BEFORE, message), approval).tell(tell)
    }

    /// Policy forbids the call, or cannot say.
    pub(crate) fn denied(&self, name: &CanonicalName, denial: &Denial) -> CallRefusal {
        let Self { tool, .. } = self;
        if let Some(error) = &denial.error {
            let message =
                format!("not run: a policy that concerns {tool} could not be evaluated, which denies");
            let hint = "nothing is wrong with the call; do not repeat it until the policy is mended";
            let tell =
                format!("{tool} cannot be used until the operator of the gateway mends a policy: {error}");
            let refusal = CallRefusal::new(&codes::DENIED, message).hint(hint).fault(Blame::Gateway);
            return refusal.because(error).tell(tell).details(json!({ "denial": denial }));
        }
        let why = match denial.policies.first() {
            Some(PolicyRef { reason: Some(reason), id, .. }) => format!("{reason} (policy {id})"),
            Some(PolicyRef { id, .. }) => format!("policy {id} forbids it"),
            None => "no policy permits it".into(),
        };
        let message = format!("not run: policy does not allow this call of {tool}");
        let tell = format!(
            "policy forbids this call of {tool}: {why}; the operator sees with `toolgate policy explain --tool {name}` what \
             would be allowed"
        );
        let hint = "do not repeat it as it is, and do not look for another way to the same end";
        let refusal = CallRefusal::new(&codes::DENIED, message).hint(hint);
        refusal.because(why).tell(tell).details(json!({ "denial": denial }))
    }

    /// Adds the data of an approval for programs, and its address for people.
    fn about(&self, refusal: CallRefusal, approval: &Approval) -> CallRefusal {
        let link = self.link.map(|link| link.replace("{id}", approval.id.as_str()));
        refusal.link(link).details(json!({
            "approval_id": approval.id,
            "expires_at_ms": approval.expires_at_ms,
            "approvers": approval.requirement.approvers,
            "quorum": approval.requirement.quorum,
        }))
    }

    /// The person who ended it, and their reason.
    fn word(&self, approval: &Approval) -> (String, String) {
        let person = approval.decided_by().map_or("a person".into(), |person| person.to_string());
        (person, approval.reason().unwrap_or("they gave no reason").to_owned())
    }

    /// `2026-11-16 18:05 UTC (in 59 minutes)`.
    fn moment(&self, at_ms: i64) -> String {
        let text = rfc3339(at_ms);
        let (day, time) = (&text[..10], &text[11..16]);
        match at_ms.saturating_sub(self.now_ms) {
            left_ms if left_ms > 0 => format!("{day} {time} UTC (in {})", span(left_ms)),
            _ => format!("{day} {time} UTC"),
        }
    }
}

/// A waiting time in the largest unit that is precise enough.
pub(crate) fn span(ms: i64) -> String {
    const UNITS: [(i64, &str); 3] = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let seconds = ms.saturating_add(999) / 1000;
    let unit = UNITS.into_iter().find(|(unit, _)| seconds >= 2 * unit);
    let (count, name) = unit.map_or((seconds, "second"), |(unit, name)| (seconds / unit, name));
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

/// The end of a call that was sent, where its result is not available.
pub fn ended_as(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "it succeeded, and its result is not kept",
        Outcome::ToolError => "the tool said that it failed, and its result is not kept",
        Outcome::Failed => "it failed, and may have taken effect",
        Outcome::Refused => "it was taken back before it was sent",
        _ => "whether it took effect is not known",
    }
}

/// The reasons that the gates give.
fn why(gates: &[PolicyRef]) -> String {
    let each = gates.iter().map(|gate| match &gate.reason {
        Some(reason) => format!("{reason} (gate {})", gate.id),
        None => format!("gate {} asks for approval", gate.id),
    });
    let told: Vec<String> = each.collect();
    if told.is_empty() { "policy asks for approval".into() } else { told.join("; ") }
}

/// The people who must agree: `2 people, including one of finance`.
pub(crate) fn who(requirement: &ApprovalRequirement) -> String {
    let entry = |groups: &Vec<String>| match groups.as_slice() {
        [one] if one == CALLER_GROUP => "the person at this client".to_owned(),
        groups => format!("one of {}", groups.join(" or ")),
    };
    let entries: Vec<String> = requirement.approvers.iter().map(entry).collect();
    match (entries.as_slice(), requirement.quorum as usize) {
        ([], 1) => "anyone who may approve".into(),
        ([], people) => format!("{people} people who may approve"),
        (entries, people) if people > entries.len() => {
            format!("{people} people, including {}", entries.join(" and "))
        }
        (entries, _) => entries.join(" and "),
    }
}
