//! An approval: the decision of people on one exact call. The state machine is pure; the store runs each step
//! inside one transaction, so concurrent events still lead to exactly one outcome.

use std::collections::BTreeSet;

use crate::codes::{self, Code};
use crate::content::Attachment;
use crate::credential::CredentialUse;
use crate::decision::{ApprovalRequirement, CALLER_GROUP, OnTimeout, PolicyTemplate};
use crate::id::{ApprovalId, CallId, GrantId, RunId, SessionId};
use crate::scope::AgentName;
use crate::{CanonicalName, Digest, Principal, PrincipalId, PrincipalKind, RawJson};

/// `pending → approved | denied | changes requested | expired | cancelled; approved → used | lapsed`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    Pending,
    Approved,
    /// Kept as `rejected` before.
    #[serde(alias = "rejected")]
    Denied,
    ChangesRequested,
    Expired,
    Cancelled,
    /// Kept as `consumed` before.
    #[serde(alias = "consumed")]
    Used,
    Lapsed,
}

impl ApprovalState {
    pub const ALL: [ApprovalState; 8] = [
        ApprovalState::Pending,
        ApprovalState::Approved,
        ApprovalState::Denied,
        ApprovalState::ChangesRequested,
        ApprovalState::Expired,
        ApprovalState::Cancelled,
        ApprovalState::Used,
        ApprovalState::Lapsed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ApprovalState::Pending => "pending",
            ApprovalState::Approved => "approved",
            ApprovalState::Denied => "denied",
            ApprovalState::ChangesRequested => "changes_requested",
            ApprovalState::Expired => "expired",
            ApprovalState::Cancelled => "cancelled",
            ApprovalState::Used => "used",
            ApprovalState::Lapsed => "lapsed",
        }
    }

    /// Parses the state, including the words of older ledgers.
    pub fn parse(text: &str) -> Option<ApprovalState> {
        let word = match text {
            "rejected" => "denied",
            "consumed" => "used",
            word => word,
        };
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// True if an identical call attaches to it.
    pub fn is_open(self) -> bool {
        matches!(self, ApprovalState::Pending | ApprovalState::Approved)
    }

    /// True if the requester must still hear about it: people decided, the time to decide ran out, or the
    /// call was sent. An unused approval and a withdrawn question leave nothing to report; the same call
    /// simply asks again.
    pub fn is_worth_telling(self) -> bool {
        Self::WORTH_TELLING.contains(&self)
    }

    pub const WORTH_TELLING: [ApprovalState; 4] =
        [ApprovalState::Denied, ApprovalState::ChangesRequested, ApprovalState::Expired, ApprovalState::Used];
}

/// The exact call that an approval is bound to. Nothing else may run under it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Binding {
    pub principal: PrincipalId,
    pub tool: CanonicalName,
    pub tool_version: Digest,
    /// The canonical digest of the arguments as the caller proposed them.
    pub proposed: Digest,
    /// Identifies the reason why people were asked: the meaning of the gates that matched, their merged
    /// requirement, and the level of care ([`ApprovalRequirement::basis`]). Unrelated policies may change without
    /// affecting it.
    #[serde(alias = "policy_version")]
    pub policies: Digest,
}

/// The reason why a question ended without a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawalReason {
    /// The caller withdrew the call.
    ByCaller,
    /// The policies that asked for people now ask for something else, or no longer ask.
    PoliciesChanged,
    /// The tool has another definition by now, or is withheld: the call that was asked about cannot run.
    ToolChanged,
}

impl WithdrawalReason {
    pub fn told(self) -> &'static str {
        match self {
            WithdrawalReason::ByCaller => "the caller withdrew it",
            WithdrawalReason::PoliciesChanged => "the policies that asked for approval have changed",
            WithdrawalReason::ToolChanged => {
                "the definition of the tool has changed since approval was asked for"
            }
        }
    }
}

#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Approval {
    pub id: ApprovalId,
    /// The call that asked first; identical ones join it.
    pub call: CallId,
    pub binding: Binding,
    /// The requester as known at the time of the request: an edit is judged for them again.
    pub requester: Principal,
    /// The canonical digest of the arguments that would run: the proposal, or an approver's edit of it.
    pub effective: Digest,
    /// The arguments that would run, redacted.
    pub arguments: RawJson,
    /// Files and refs that the arguments name, as they were when people were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The credentials that the arguments name, by handle, name and origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<CredentialUse>,
    /// The proposed arguments, redacted, if an approver changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_arguments: Option<RawJson>,
    /// True if nothing was redacted, so the call can run from this record without its caller.
    pub complete: bool,
    pub requirement: ApprovalRequirement,
    pub state: ApprovalState,
    pub votes: Vec<Vote>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The principal that opened the session, if any; it counts as a requester too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<PrincipalId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The level of care of the session: an edit is judged by it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<PolicyTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    pub created_at_ms: i64,
    /// While pending: the deadline for a decision. Once approved: the time when the approval lapses.
    pub expires_at_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at_ms: Option<i64>,
    /// The additional groups that are asked because no decision came in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated_to: Option<Vec<String>>,
    /// The call that ran under it.
    #[serde(default, alias = "consumed_by", skip_serializing_if = "Option::is_none")]
    pub used_by: Option<CallId>,
    /// The policies that were in force when people were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_version: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<WithdrawalReason>,
    /// The time when the requester heard the outcome. Until then the same call is told about it, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_at_ms: Option<i64>,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Vote {
    pub person: PrincipalId,
    pub ballot: BallotKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The entries of the requirement that this person counts for.
    pub counts_for: Vec<usize>,
    pub at_ms: i64,
    /// The digest of the arguments that the person saw.
    pub effective: Digest,
    /// The voice under which the vote counts, if it is not the person's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts_as: Option<String>,
}

impl Vote {
    /// The voice that is counted: one person, or everyone whom one sender speaks for.
    fn voice(&self) -> &str {
        self.counts_as.as_deref().unwrap_or(self.person.as_str())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BallotKind {
    Approve,
    Deny,
    Edit,
    RequestChanges,
}

impl BallotKind {
    pub fn as_str(self) -> &'static str {
        match self {
            BallotKind::Approve => "approve",
            BallotKind::Deny => "deny",
            BallotKind::Edit => "edit",
            BallotKind::RequestChanges => "request_changes",
        }
    }
}

/// The decision of one person.
#[derive(Clone, PartialEq, Debug)]
pub enum Ballot {
    Approve,
    Deny,
    /// Approve with these arguments instead. They have been validated and judged; `requirement` is the
    /// policy's requirement for them, merged with the one for the proposal.
    Edit {
        arguments: RawJson,
        effective: Digest,
        requirement: ApprovalRequirement,
    },
    /// Denied in this form; the caller may propose something else.
    RequestChanges,
}

impl Ballot {
    pub fn kind(&self) -> BallotKind {
        match self {
            Ballot::Approve => BallotKind::Approve,
            Ballot::Deny => BallotKind::Deny,
            Ballot::Edit { .. } => BallotKind::Edit,
            Ballot::RequestChanges => BallotKind::RequestChanges,
        }
    }
}

/// The channel of a vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VoteChannel {
    /// A person with their own credential.
    Person,
    /// The person at the client that makes the call, through elicitation.
    AtTheClient,
}

/// One person's vote on its way.
#[derive(Clone, PartialEq, Debug)]
pub struct NewVote {
    pub voter: Principal,
    pub standing: VoteChannel,
    pub ballot: Ballot,
    pub reason: Option<String>,
    /// The digest of the arguments that the person was shown, if known.
    pub shown: Option<Digest>,
    /// The sender that vouches for the person, and possibly for others: all of them count once.
    pub counts_as: Option<String>,
}

/// The reason why a step was refused. A refused step changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ApprovalRefusal {
    #[error("the approval is already {}", .0.as_str())]
    Settled(ApprovalState),
    #[error("the time to decide is over")]
    Expired,
    #[error("the requester of a call may not approve it")]
    Requester,
    #[error("your own work is judged here, so another person must decide")]
    Excluded,
    #[error("only people may approve")]
    NotAPerson,
    #[error("none of the groups that must agree is yours")]
    NotInGroup,
    #[error("the policy does not let approvers change the arguments")]
    NotEditable,
    #[error("the approval was given for another call")]
    Changed,
    #[error("the arguments were changed meanwhile: what would run is not what you were shown")]
    Edited,
    #[error("the request was withdrawn: {}", .0.told())]
    Withdrawn(WithdrawalReason),
}

impl ApprovalRefusal {
    pub fn code(self) -> &'static Code {
        match self {
            ApprovalRefusal::Settled(_) => &codes::APPROVAL_SETTLED,
            ApprovalRefusal::Expired => &codes::APPROVAL_EXPIRED,
            ApprovalRefusal::Changed => &codes::APPROVAL_CHANGED,
            ApprovalRefusal::Edited => &codes::APPROVAL_EDITED,
            ApprovalRefusal::Withdrawn(_) => &codes::APPROVAL_WITHDRAWN,
            ApprovalRefusal::Requester => &codes::APPROVAL_REQUESTER,
            ApprovalRefusal::Excluded => &codes::APPROVAL_EXCLUDED,
            ApprovalRefusal::NotAPerson => &codes::APPROVAL_NOT_A_PERSON,
            ApprovalRefusal::NotInGroup => &codes::APPROVAL_NOT_IN_GROUP,
            ApprovalRefusal::NotEditable => &codes::APPROVAL_NOT_EDITABLE,
        }
    }
}

/// The effect of a step, beyond the vote itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VoteEffect {
    /// The vote counts; others must agree too.
    Counted,
    /// The vote was there already.
    Repeated,
    /// The approval left `pending`.
    Resolved,
}

/// The effect of a timeout on an approval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeOut {
    Escalated,
    Expired,
    /// It was approved, but not used in time.
    Lapsed,
}

impl Approval {
    /// Records one person's vote. `valid_ms` is how long the call may use an approval.
    pub fn vote(&mut self, word: NewVote, now_ms: i64, valid_ms: i64) -> Result<VoteEffect, ApprovalRefusal> {
        if self.is_repeated(&word) {
            return Ok(VoteEffect::Repeated);
        }
        if self.state != ApprovalState::Pending {
            return Err(self
                .withdrawn
                .map_or(ApprovalRefusal::Settled(self.state), ApprovalRefusal::Withdrawn));
        }
        if now_ms >= self.expires_at_ms {
            return Err(ApprovalRefusal::Expired);
        }
        let mut counts_for = self.counts_for(&self.requirement, &word.voter, word.standing)?;
        if !self.was_seen(&word) {
            return Err(ApprovalRefusal::Edited);
        }
        let NewVote { voter, standing, ballot, reason, counts_as, .. } = word;
        let kind = ballot.kind();
        if let Ballot::Edit { arguments, effective, requirement } = ballot {
            if !self.requirement.editable {
                return Err(ApprovalRefusal::NotEditable);
            }
            // The edit may have changed the policy's requirement.
            counts_for = self.counts_for(&requirement, &voter, standing)?;
            let before = std::mem::replace(&mut self.arguments, arguments);
            self.proposed_arguments.get_or_insert(before);
            self.effective = effective;
            self.requirement = requirement;
        }
        // A person's later vote replaces their earlier one.
        self.votes.retain(|vote| vote.person != voter.id);
        let vote = Vote {
            person: voter.id,
            ballot: kind,
            reason,
            counts_for,
            at_ms: now_ms,
            effective: self.effective,
            counts_as,
        };
        self.votes.push(vote);
        match kind {
            BallotKind::Deny => self.resolve(ApprovalState::Denied, now_ms),
            BallotKind::RequestChanges => self.resolve(ApprovalState::ChangesRequested, now_ms),
            BallotKind::Approve | BallotKind::Edit if self.is_agreed() => {
                self.resolve(ApprovalState::Approved, now_ms);
                self.expires_at_ms = now_ms.saturating_add(valid_ms);
            }
            BallotKind::Approve | BallotKind::Edit => return Ok(VoteEffect::Counted),
        }
        Ok(VoteEffect::Resolved)
    }

    /// True if a vote is about the arguments that would run now. A vote without a digest refers to the
    /// proposal; a denial applies to whatever the call has become.
    fn was_seen(&self, word: &NewVote) -> bool {
        match (word.shown, word.ballot.kind()) {
            (Some(shown), _) => shown == self.effective,
            (None, BallotKind::Deny | BallotKind::RequestChanges) => true,
            (None, BallotKind::Approve | BallotKind::Edit) => self.proposed_arguments.is_none(),
        }
    }

    /// True if a vote repeats the person's current vote, such as a second click.
    fn is_repeated(&self, word: &NewVote) -> bool {
        let NewVote { voter, ballot, counts_as, .. } = word;
        let effective = match ballot {
            Ballot::Edit { effective, .. } => *effective,
            _ => self.effective,
        };
        let stands = match ballot.kind() {
            BallotKind::Approve | BallotKind::Edit => {
                matches!(self.state, ApprovalState::Pending | ApprovalState::Approved | ApprovalState::Used)
            }
            BallotKind::Deny => self.state == ApprovalState::Denied,
            BallotKind::RequestChanges => self.state == ApprovalState::ChangesRequested,
        };
        stands
            && self.votes.iter().any(|vote| {
                // A person's own vote outranks a vote that others cast for them.
                let is_as_good = vote.counts_as.is_none() || vote.counts_as == *counts_as;
                is_as_good
                    && vote.person == voter.id
                    && vote.ballot == ballot.kind()
                    && vote.effective == effective
            })
    }

    /// The entries of the requirement that a voter counts for, if they may vote at all.
    fn counts_for(
        &self,
        requirement: &ApprovalRequirement,
        voter: &Principal,
        standing: VoteChannel,
    ) -> Result<Vec<usize>, ApprovalRefusal> {
        let entries = &requirement.approvers;
        if standing == VoteChannel::AtTheClient {
            let caller = |groups: &Vec<String>| groups.iter().any(|group| group == CALLER_GROUP);
            let found: Vec<usize> = positions(entries, caller);
            return if found.is_empty() { Err(ApprovalRefusal::Requester) } else { Ok(found) };
        }
        if voter.id == self.binding.principal || self.opened_by.as_ref() == Some(&voter.id) {
            return Err(ApprovalRefusal::Requester);
        }
        if requirement.excluded.contains(&voter.id) {
            return Err(ApprovalRefusal::Excluded);
        }
        if voter.kind != PrincipalKind::Human {
            return Err(ApprovalRefusal::NotAPerson);
        }
        let escalated = self.escalated_to.as_deref().unwrap_or_default();
        // The people whom the operator named for escalation stand in for every group.
        let stands_in = self.escalated_to.is_some() && escalated.iter().any(|group| voter.belongs_to(group));
        let found =
            positions(entries, |groups| stands_in || groups.iter().any(|group| voter.belongs_to(group)));
        if found.is_empty() && !entries.is_empty() {
            return Err(ApprovalRefusal::NotInGroup);
        }
        Ok(found)
    }

    /// True if enough different people agree to what would run now, including at least one from every entry.
    fn is_agreed(&self) -> bool {
        let every_entry = (0..self.requirement.approvers.len())
            .all(|entry| self.yes().any(|vote| vote.counts_for.contains(&entry)));
        every_entry && self.agreed() >= self.requirement.quorum as usize
    }

    /// The number of people who agree to what would run now, each counted once.
    pub fn agreed(&self) -> usize {
        let voices: BTreeSet<&str> = self.yes().map(Vote::voice).collect();
        voices.len()
    }

    fn yes(&self) -> impl Iterator<Item = &Vote> {
        self.votes.iter().filter(|vote| {
            matches!(vote.ballot, BallotKind::Approve | BallotKind::Edit) && vote.effective == self.effective
        })
    }

    /// Marks the one call that runs under it. Everything it was given for must still be so.
    pub fn consume(
        &mut self,
        binding: &Binding,
        effective: Digest,
        call: &CallId,
        now_ms: i64,
    ) -> Result<(), ApprovalRefusal> {
        if self.state != ApprovalState::Approved {
            return Err(ApprovalRefusal::Settled(self.state));
        }
        if now_ms >= self.expires_at_ms {
            return Err(ApprovalRefusal::Expired);
        }
        if self.binding != *binding || self.effective != effective {
            return Err(ApprovalRefusal::Changed);
        }
        self.state = ApprovalState::Used;
        self.used_by = Some(call.clone());
        Ok(())
    }

    /// Withdraws the question: the caller no longer wants the call, policy no longer asks for it, or its tool
    /// is another one. A yes that was not used yet lapses.
    pub fn cancel(&mut self, why: WithdrawalReason, now_ms: i64) -> Result<(), ApprovalRefusal> {
        match self.state {
            ApprovalState::Pending => self.resolve(ApprovalState::Cancelled, now_ms),
            ApprovalState::Approved => self.state = ApprovalState::Lapsed,
            state => return Err(ApprovalRefusal::Settled(state)),
        }
        self.withdrawn = Some(why);
        Ok(())
    }

    /// Notes that the requester has heard the outcome. Returns true if that is news.
    pub fn tell(&mut self, now_ms: i64) -> bool {
        let is_news = self.told_at_ms.is_none() && self.state.is_worth_telling();
        if is_news {
            self.told_at_ms = Some(now_ms);
        }
        is_news
    }

    /// Applies a timeout that is due. `escalate_to` are the groups to ask if the gate escalates.
    pub fn time_out(&mut self, now_ms: i64, escalate_to: &[String]) -> Option<TimeOut> {
        if now_ms < self.expires_at_ms {
            return None;
        }
        match self.state {
            ApprovalState::Approved => {
                self.state = ApprovalState::Lapsed;
                Some(TimeOut::Lapsed)
            }
            ApprovalState::Pending
                if self.requirement.on_timeout == OnTimeout::Escalate && self.escalated_to.is_none() =>
            {
                self.escalated_to = Some(escalate_to.to_vec());
                let again = self.expires_at_ms.saturating_sub(self.created_at_ms).max(1);
                self.expires_at_ms = now_ms.saturating_add(again);
                Some(TimeOut::Escalated)
            }
            ApprovalState::Pending => {
                self.resolve(ApprovalState::Expired, now_ms);
                Some(TimeOut::Expired)
            }
            _ => None,
        }
    }

    fn resolve(&mut self, state: ApprovalState, now_ms: i64) {
        self.state = state;
        self.resolved_at_ms = Some(now_ms);
    }

    /// The person who changed the arguments into those that would run.
    pub fn edited_by(&self) -> Option<&PrincipalId> {
        let edit = self.votes.iter().rev().find(|vote| vote.ballot == BallotKind::Edit)?;
        Some(&edit.person)
    }

    /// The person whose vote ended it.
    pub fn decided_by(&self) -> Option<&PrincipalId> {
        self.votes.last().map(|vote| &vote.person)
    }

    /// The most recent reason that a voter gave.
    pub fn reason(&self) -> Option<&str> {
        self.votes.iter().rev().find_map(|vote| vote.reason.as_deref())
    }
}

fn positions(entries: &[Vec<String>], fits: impl Fn(&Vec<String>) -> bool) -> Vec<usize> {
    entries.iter().enumerate().filter(|(_, groups)| fits(groups)).map(|(place, _)| place).collect()
}

/// A permission for calls to run without asking people again.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Grant {
    pub id: GrantId,
    pub principal: PrincipalId,
    pub tool: CanonicalName,
    pub tool_version: Digest,
    /// Arguments that must be exactly so: JSON pointer and value. Others may be anything.
    pub pins: Vec<ArgumentPin>,
    /// The digests of the gates that it covers. A call that matches any other gate still asks.
    pub gates: Vec<Digest>,
    /// `None` is no limit.
    pub uses_left: Option<u32>,
    pub expires_at_ms: i64,
    pub created_at_ms: i64,
    pub created_by: PrincipalId,
    pub approval: ApprovalId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at_ms: Option<i64>,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ArgumentPin {
    /// A JSON pointer into the arguments; the empty one is all of them.
    pub path: String,
    /// The canonical digest of the value that must be there.
    pub value: Digest,
}

/// The terms of a grant as an approver sets them.
#[derive(Clone, PartialEq, Debug)]
pub struct GrantTerms {
    pub pins: Vec<ArgumentPin>,
    pub uses: Option<u32>,
    pub expires_at_ms: i64,
}

impl Grant {
    pub fn is_live(&self, now_ms: i64) -> bool {
        self.revoked_at_ms.is_none() && now_ms < self.expires_at_ms && self.uses_left != Some(0)
    }

    /// True if it covers everything that a requirement asks for.
    pub fn covers(&self, requirement: &ApprovalRequirement) -> bool {
        requirement.gates.iter().all(|gate| self.gates.contains(&gate.text))
    }
}
