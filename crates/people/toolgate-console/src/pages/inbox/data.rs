//! Approvals and questions as the API tells them.

use serde::Deserialize;
use serde_json::Value;
use toolgate_core::{Effects, PrincipalKind};

use crate::visit::PageVisit;

#[derive(Clone, Debug, Deserialize)]
pub(super) struct ApprovalData {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) tool: String,
    pub(super) principal: String,
    pub(super) call: String,
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) run: Option<String>,
    #[serde(default)]
    pub(super) task: Option<String>,
    #[serde(default)]
    pub(super) agent: Option<String>,
    /// The principal that opened the session: the one it acts for.
    #[serde(default)]
    pub(super) opened_by: Option<String>,
    /// `None` if the tool has changed.
    #[serde(default)]
    pub(super) effects: Option<Effects>,
    /// The digest of the arguments that would run.
    pub(super) effective: String,
    #[serde(default)]
    pub(super) arguments: Value,
    /// Their length, if a list omitted them.
    #[serde(default)]
    pub(super) arguments_bytes: Option<u64>,
    #[serde(default)]
    pub(super) proposed_arguments: Option<Value>,
    #[serde(default)]
    pub(super) attachments: Vec<AttachmentData>,
    /// Credentials whose values the server would get.
    #[serde(default)]
    pub(super) credentials: Vec<UsedCredentialData>,
    pub(super) requirement: RequirementData,
    #[serde(default)]
    pub(super) votes: Vec<VoteData>,
    /// The number of people who agree to what would run now.
    #[serde(default)]
    pub(super) agreed: usize,
    pub(super) created_at: String,
    pub(super) expires_at: String,
    #[serde(default)]
    pub(super) resolved_at: Option<String>,
    #[serde(default)]
    pub(super) escalated_to: Option<Vec<String>>,
    #[serde(default)]
    pub(super) used_by: Option<String>,
    /// The reason of an end without a decision.
    #[serde(default)]
    pub(super) withdrawn: Option<String>,
    /// The tool as agents read it; only of a single approval.
    #[serde(default)]
    pub(super) definition: Option<Value>,
    #[serde(default)]
    pub(super) before: Vec<CallBefore>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct AttachmentData {
    pub(super) place: String,
    pub(super) id: String,
    #[serde(default)]
    pub(super) name: Option<String>,
    pub(super) media_type: String,
    pub(super) size: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct UsedCredentialData {
    pub(super) place: String,
    pub(super) handle: String,
    pub(super) name: String,
    pub(super) origin: String,
    #[serde(default)]
    pub(super) new: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct RequirementData {
    pub(super) gates: Vec<GateData>,
    pub(super) approvers: Vec<Vec<String>>,
    pub(super) quorum: u32,
    #[serde(default)]
    pub(super) editable: bool,
    /// deny or escalate.
    #[serde(default)]
    on_timeout: String,
}

impl RequirementData {
    /// What happens when the time is over.
    pub(super) fn at_the_end(&self, is_escalated: bool) -> &'static str {
        match &*self.on_timeout {
            "escalate" if !is_escalated => {
                "when the time is over, more people are asked. The call does not run."
            }
            _ => "when the time is over, the call is denied.",
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct GateData {
    pub(super) id: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct VoteData {
    pub(super) person: String,
    pub(super) decision: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    pub(super) at: String,
}

/// An earlier call.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CallBefore {
    pub(super) id: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) tool: Option<String>,
    pub(super) started_at: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct InputData {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) run: String,
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) call: Option<String>,
    pub(super) principal: String,
    pub(super) slot_type: String,
    pub(super) slot_id: String,
    pub(super) prompt_key: String,
    #[serde(default)]
    pub(super) options: Vec<SlotOption>,
    /// question, captcha, credential, budget, unknown_outcome or stuck.
    #[serde(default)]
    pub(super) purpose: Option<String>,
    #[serde(default)]
    pub(super) picture: Option<InputPictureData>,
    #[serde(default)]
    pub(super) answer: Option<Value>,
    #[serde(default)]
    pub(super) answered_by: Option<String>,
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) resolved_at: Option<String>,
    #[serde(default)]
    pub(super) before: Vec<CallBefore>,
}

/// A picture that the asking agent shows.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct InputPictureData {
    pub(super) media_type: String,
    pub(super) size: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct SlotOption {
    pub(super) value: String,
    #[serde(default)]
    pub(super) label: Option<String>,
}

/// A waiting item.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum InboxEntryData {
    Approval(Box<ApprovalData>),
    Input(Box<InputData>),
}

impl InboxEntryData {
    /// True if it is an approval that the user may decide.
    pub(super) fn is_for(&self, visit: &PageVisit) -> bool {
        matches!(self, InboxEntryData::Approval(approval) if approval.barred(visit).is_none())
    }

    pub(super) fn created_at(&self) -> &str {
        match self {
            InboxEntryData::Approval(approval) => &approval.created_at,
            InboxEntryData::Input(input) => &input.created_at,
        }
    }
}

/// The reason why an approver may not decide this one. The API checks again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BarredReason {
    Role,
    Requester,
    NotAPerson,
    NotInGroup,
}

impl ApprovalData {
    pub(super) fn is_pending(&self) -> bool {
        self.state == "pending"
    }

    /// The schema of the tool.
    pub(super) fn schema(&self) -> Option<&Value> {
        self.definition.as_ref()?.get("inputSchema")
    }

    /// The vote that settled it, if people decided.
    pub(super) fn last_word(&self) -> Option<&VoteData> {
        if self.is_pending() { None } else { self.votes.last() }
    }

    /// The first reason of a policy.
    pub(super) fn why(&self) -> Option<&str> {
        self.requirement.gates.iter().find_map(|gate| gate.reason.as_deref())
    }

    pub(super) fn barred(&self, visit: &PageVisit) -> Option<BarredReason> {
        let who = &visit.credential.principal;
        let own = who.id.as_str();
        if !visit.decides() {
            return Some(BarredReason::Role);
        }
        if own == self.principal || self.opened_by.as_deref() == Some(own) {
            return Some(BarredReason::Requester);
        }
        if who.kind != PrincipalKind::Human {
            return Some(BarredReason::NotAPerson);
        }
        let groups = self.requirement.approvers.iter().flatten().chain(self.escalated_to.iter().flatten());
        let anyone = self.requirement.approvers.is_empty();
        let belongs = anyone || groups.into_iter().any(|group| who.belongs_to(group));
        (!belongs).then_some(BarredReason::NotInGroup)
    }
}

impl InputData {
    pub(super) fn is_pending(&self) -> bool {
        self.state == "pending"
    }

    /// Its purpose in a word.
    pub(super) fn word(&self) -> &'static str {
        match self.purpose.as_deref() {
            Some("captcha") => "captcha",
            Some("credential") => "sign-in",
            Some("budget") => "budget",
            Some("unknown_outcome") => "unknown outcome",
            Some("stuck") => "stuck",
            _ => "question",
        }
    }
}
