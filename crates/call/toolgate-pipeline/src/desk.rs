//! The decisions of people: console, CLI, REST and webhooks all come here. An edit is validated and judged
//! before it counts.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use toolgate_core::approval::{
    Approval, ApprovalRefusal, ApprovalState, ArgumentPin, Ballot, GrantTerms, NewVote, VoteChannel,
    WithdrawalReason,
};
use toolgate_core::decision::{ApprovalRequirement, Denial, Policy, Verdict};
use toolgate_core::governance::{Approvals, Clock, DecideError, DecidedApproval, StoreDown, VoteSubmission};
use toolgate_core::id::ApprovalId;
use toolgate_core::{CanonicalName, Digest, Principal, PrincipalId, RawJson, Tool};

use crate::canonical;
use crate::redact::{self, MarkStyle, Redactor, echo};
use crate::schema::{InputCheck, SchemaProblem, Schemas, render};
use crate::standing;

/// The current tools.
pub trait ToolBook: Send + Sync {
    /// The tool that is served. Its server may just not be there yet.
    fn find(&self, name: &CanonicalName) -> Option<Arc<Tool>>;
    /// True if it is certain that this version of a tool is not served any more: it has another definition by
    /// now, waits for a review, or was taken away.
    fn has_changed(&self, name: &CanonicalName, version: Digest) -> bool;
}

pub struct ApprovalDesk {
    policy: Arc<dyn Policy>,
    approvals: Arc<dyn Approvals>,
    tools: Arc<dyn ToolBook>,
    clock: Arc<dyn Clock>,
    schemas: Schemas,
    redactor: Redactor,
}

/// A person's decision on an approval.
#[derive(Clone, Debug)]
pub struct DecideRequest {
    pub id: ApprovalId,
    pub voter: Principal,
    pub decision: ApproverDecision,
    pub reason: Option<String>,
    pub grant: Option<GrantRequest>,
    /// The digest of the arguments that they were shown, if the channel reports it.
    pub shown: Option<Digest>,
    /// The sender that vouches for the person, and possibly for others: all of them count once.
    pub counts_as: Option<String>,
    /// The channel of the decision: `api`, `cli`, `webhook:<name>`.
    pub via: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ApproverDecision {
    Approve,
    Deny,
    /// Approve, with these arguments instead.
    Edit(Value),
    RequestChanges,
}

/// "Don't ask again for this."
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantRequest {
    /// JSON pointers of arguments that must stay the same; `None` pins all of them.
    pub pins: Option<Vec<String>>,
    /// `None` is no limit.
    pub uses: Option<u32>,
    pub expires_in_seconds: Option<u64>,
}

/// The number of open approvals that are compared with new policies, the most urgent first.
const LOOKED_AT_MAX: usize = 1_000;

/// The default lifetime of a grant.
const GRANT_TIME: Duration = Duration::from_secs(24 * 3600);
/// The maximum lifetime of a grant.
const GRANT_TIME_MAX: Duration = Duration::from_secs(366 * 24 * 3600);

#[derive(Clone, Debug, thiserror::Error)]
pub enum ApprovalDeskError {
    #[error(transparent)]
    Decide(#[from] DecideError),
    #[error("{} may not decide on approvals\nhint: a token made with `--role approver` may", .0.id)]
    Role(Principal),
    #[error("the tool {0} is not there, or is another version than the approval was asked for")]
    ToolChanged(CanonicalName),
    #[error("the edited arguments do not fit the tool:\n{}", render(.0))]
    Invalid(Vec<SchemaProblem>),
    #[error("policy does not allow the call with the edited arguments")]
    Denied(Denial),
    #[error("the edited arguments must be an object")]
    NotAnObject,
    #[error(
        "there is no argument at {0:?} to pin, or it is redacted\nhint: a pin is a JSON pointer such as /account"
    )]
    Pin(String),
    #[error(
        "a secret cannot be put into a call by editing it\nhint: leave redacted values as they are and change the others"
    )]
    Secret,
    #[error(
        "a grant without pins would let any arguments through\nhint: leave `pins` out to pin all of them"
    )]
    NoPins,
    #[error("a grant may hold for {} days at most", GRANT_TIME_MAX.as_secs() / 86_400)]
    GrantTime,
    #[error("asking for changes needs a reason\nhint: say what should be different")]
    ReasonMissing,
}

impl From<StoreDown> for ApprovalDeskError {
    fn from(down: StoreDown) -> Self {
        ApprovalDeskError::Decide(DecideError::Down(down))
    }
}

impl ApprovalDesk {
    pub fn new(
        policy: Arc<dyn Policy>,
        approvals: Arc<dyn Approvals>,
        tools: Arc<dyn ToolBook>,
        clock: Arc<dyn Clock>,
        redactor: Redactor,
    ) -> Self {
        Self { policy, approvals, tools, clock, schemas: Schemas::default(), redactor }
    }

    pub async fn decide(&self, request: DecideRequest) -> Result<DecidedApproval, ApprovalDeskError> {
        let DecideRequest { id, voter, decision, reason, grant, shown, counts_as, via } = request;
        if !voter.role.may_approve() {
            return Err(ApprovalDeskError::Role(voter));
        }
        let found = self.approvals.get(&id).await?;
        let approval = found.ok_or_else(|| DecideError::Unknown(id.clone()))?;
        if let Some(why) = approval.withdrawn {
            return Err(DecideError::Refused(ApprovalRefusal::Withdrawn(why)).into());
        }
        // The values that are pinned or edited must be the ones that the person saw; the store checks again.
        let is_pending = approval.state == ApprovalState::Pending;
        if is_pending && shown.is_some_and(|shown| shown != approval.effective) {
            return Err(DecideError::Refused(ApprovalRefusal::Edited).into());
        }
        // A denial applies to whatever is asked by now.
        let agrees = matches!(decision, ApproverDecision::Approve | ApproverDecision::Edit(_));
        if is_pending
            && agrees
            && let Some(why) = self.void(&approval)
        {
            self.approvals.cancel(&id, &PrincipalId::gateway(), why).await?;
            return Err(DecideError::Refused(ApprovalRefusal::Withdrawn(why)).into());
        }
        let grant = match (&decision, grant) {
            (ApproverDecision::Approve | ApproverDecision::Edit(_), Some(grant)) => {
                Some(self.terms(&approval, &decision, &grant)?)
            }
            _ => None,
        };
        let ballot = match decision {
            ApproverDecision::Approve => Ballot::Approve,
            ApproverDecision::Deny => Ballot::Deny,
            ApproverDecision::RequestChanges
                if reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) =>
            {
                return Err(ApprovalDeskError::ReasonMissing);
            }
            ApproverDecision::RequestChanges => Ballot::RequestChanges,
            ApproverDecision::Edit(arguments) => self.edited(&approval, &arguments)?,
        };
        let word = NewVote { voter, standing: VoteChannel::Person, ballot, reason, shown, counts_as };
        let deciding = VoteSubmission { id, word, grant, via };
        Ok(self.approvals.decide(deciding).await?)
    }

    /// Withdraws every question whose yes would be void: policy no longer asks in the same way, or the tool is
    /// another one. Calls that still wait under other policies ask again by themselves.
    pub async fn withdraw_void(&self) -> Result<Vec<(ApprovalId, WithdrawalReason)>, StoreDown> {
        let mut withdrawn = Vec::new();
        for approval in self.approvals.open_ones(LOOKED_AT_MAX).await? {
            let Some(why) = self.void(&approval) else { continue };
            match self.approvals.cancel(&approval.id, &PrincipalId::gateway(), why).await {
                Ok(()) => withdrawn.push((approval.id, why)),
                Err(DecideError::Down(down)) => return Err(down),
                // Another decision came first; it stands, and is judged again before the call runs.
                Err(_) => {}
            }
        }
        Ok(withdrawn)
    }

    /// The reason why a yes would be void by now. A tool whose server is not there says nothing.
    fn void(&self, approval: &Approval) -> Option<WithdrawalReason> {
        let binding = &approval.binding;
        if self.tools.has_changed(&binding.tool, binding.tool_version) {
            return Some(WithdrawalReason::ToolChanged);
        }
        let tool = self.tools.find(&binding.tool).filter(|tool| tool.version == binding.tool_version)?;
        (!standing::stands(&*self.policy, approval, &tool)).then_some(WithdrawalReason::PoliciesChanged)
    }

    /// The version of a call's output that may be stored, even outside the ledger: without its own secrets
    /// and without those of the arguments.
    pub fn kept(&self, tool: &CanonicalName, arguments: &RawJson, said: &RawJson) -> RawJson {
        echo::kept(&self.redactor, tool, arguments, said)
    }

    /// An edit may change arguments, never the tool, and must pass the checks of any call.
    fn edited(&self, approval: &Approval, arguments: &Value) -> Result<Ballot, ApprovalDeskError> {
        if !arguments.is_object() {
            return Err(ApprovalDeskError::NotAnObject);
        }
        let binding = &approval.binding;
        let tool = self.tools.find(&binding.tool).filter(|tool| tool.version == binding.tool_version);
        let tool = tool.ok_or_else(|| ApprovalDeskError::ToolChanged(binding.tool.clone()))?;
        // Redacted values are restored when the call runs, and checked then.
        if !redact::mentions_marker(arguments)
            && let InputCheck::Invalid(problems) = self.schemas.check_input(&tool, arguments)
        {
            return Err(ApprovalDeskError::Invalid(problems));
        }
        // The arguments that people decide on are shown and stored.
        let shown = self.redactor.redact_input(tool.name.as_str(), arguments, MarkStyle::Told);
        if *shown.value != *arguments {
            return Err(ApprovalDeskError::Secret);
        }
        let requirement = self.judged(approval, &tool, arguments)?;
        let effective = canonical::digest_of(arguments);
        Ok(Ballot::Edit { arguments: RawJson::from(arguments.clone()), effective, requirement })
    }

    fn judged(
        &self,
        approval: &Approval,
        tool: &Tool,
        arguments: &Value,
    ) -> Result<ApprovalRequirement, ApprovalDeskError> {
        let asked = approval.requirement.clone();
        match standing::judge(&*self.policy, approval, tool, arguments) {
            Verdict::Permit => Ok(asked),
            Verdict::Approve(more) => Ok(asked.merged(more)),
            Verdict::Deny(denial) => Err(ApprovalDeskError::Denied(denial)),
        }
    }

    fn terms(
        &self,
        approval: &Approval,
        decision: &ApproverDecision,
        grant: &GrantRequest,
    ) -> Result<GrantTerms, ApprovalDeskError> {
        let time = grant.expires_in_seconds.map_or(GRANT_TIME, Duration::from_secs);
        if time > GRANT_TIME_MAX {
            return Err(ApprovalDeskError::GrantTime);
        }
        let arguments: Value = match decision {
            ApproverDecision::Edit(edited) => edited.clone(),
            _ => approval.arguments.decode().unwrap_or_default(),
        };
        let pin = |path: &String| {
            let value = arguments.pointer(path).filter(|value| !redact::mentions_marker(value));
            let value = value.ok_or_else(|| ApprovalDeskError::Pin(path.clone()))?;
            Ok(ArgumentPin { path: path.clone(), value: canonical::digest_of(value) })
        };
        let pins: Vec<ArgumentPin> = match &grant.pins {
            Some(paths) if paths.is_empty() => return Err(ApprovalDeskError::NoPins),
            Some(paths) => paths.iter().map(pin).collect::<Result<_, ApprovalDeskError>>()?,
            None => vec![ArgumentPin { path: String::new(), value: whole(approval, decision, &arguments) }],
        };
        let time_ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Ok(GrantTerms { pins, uses: grant.uses, expires_at_ms: self.clock.now_ms().saturating_add(time_ms) })
    }
}

/// The digest of all arguments; of those proposed it is known even where some are redacted.
fn whole(approval: &Approval, decision: &ApproverDecision, arguments: &Value) -> Digest {
    match decision {
        ApproverDecision::Edit(_) => canonical::digest_of(arguments),
        _ => approval.effective,
    }
}
