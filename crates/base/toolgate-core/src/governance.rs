//! The ports of the pipeline: the ledger, the approvals and the clock.

use std::time::Duration;

use crate::approval::{
    Approval, ApprovalRefusal, ApprovalState, Binding, Grant, GrantTerms, NewVote, WithdrawalReason,
};
use crate::content::Attachment;
use crate::credential::CredentialUse;
use crate::decision::{ApprovalRequirement, PolicyTemplate};
use crate::event::{LedgerEntry, Outcome};
use crate::id::{ApprovalId, CallId, GrantId, RunId, SessionId};
use crate::port::BoxFuture;
use crate::scope::AgentName;
use crate::{CanonicalName, Digest, Principal, PrincipalId, RawJson};

/// The store cannot keep anything now. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store is not available: {0}")]
pub struct StoreDown(pub String);

impl StoreDown {
    /// For callers. The cause may name hosts and statements: it is for the log.
    pub fn told(&self) -> &'static str {
        "the gateway cannot record calls at the moment"
    }
}

/// Appends to the ledger. Ends when the events are as durable as their entry asks.
pub trait Ledger: Send + Sync {
    /// Records something that has happened. Once the tool has run there is no way back: while the store is
    /// down, entries with a `tool.call.completed` wait in memory and are written when it returns; the future
    /// fails meanwhile.
    fn append(&self, entry: LedgerEntry) -> BoxFuture<'static, Result<(), StoreDown>>;

    /// Records that a call is about to be sent, and uses up its permission, in one transaction.
    fn start(&self, entry: LedgerEntry, warrant: Warrant) -> BoxFuture<'static, Result<(), StartRefused>>;

    /// True if the last attempt to write succeeded and the store answers.
    fn is_up(&self) -> bool;
}

/// The end of a call, as the ledger has it.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedEnd {
    pub outcome: Outcome,
    /// The result, redacted, where it is kept.
    pub result: Option<RawJson>,
}

/// The permission to send a call, beyond policy's.
#[derive(Clone, PartialEq, Debug)]
pub enum Warrant {
    /// No gate matched.
    NoneNeeded,
    Approval {
        id: ApprovalId,
        binding: Binding,
        effective: Digest,
        call: CallId,
    },
    Grant {
        id: GrantId,
    },
    /// The next round of a call that waited for its client; each round can be taken up once.
    Round {
        call: CallId,
        round: u32,
    },
}

impl Warrant {
    /// The approval that is used up with it.
    pub fn approval(&self) -> Option<&ApprovalId> {
        match self {
            Warrant::Approval { id, .. } => Some(id),
            Warrant::NoneNeeded | Warrant::Grant { .. } | Warrant::Round { .. } => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartRefused {
    #[error(transparent)]
    Down(#[from] StoreDown),
    #[error(transparent)]
    Approval(#[from] ApprovalRefusal),
    #[error("the grant was used up, revoked or has expired")]
    Grant,
    #[error("this round of the call was taken up before")]
    Round,
}

/// Approvals and grants, durable.
pub trait Approvals: Send + Sync {
    /// Asks people, or attaches to an open question about the very same call. If that question has ended and
    /// its caller has not heard of it, the ended approval is returned and people are not asked.
    fn open(&self, new: NewApproval) -> BoxFuture<'static, Result<OpenedApproval, StoreDown>>;
    /// The open question about this very call, if there is one.
    fn find_open(&self, binding: &Binding) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>>;
    fn get(&self, id: &ApprovalId) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>>;
    /// Resolves when the approval has left `state`, regardless of who decided it and in which process. It
    /// never resolves earlier; the caller sets its own limit.
    fn left(&self, id: &ApprovalId, state: ApprovalState) -> BoxFuture<'static, Approval>;
    fn decide(&self, decision: VoteSubmission) -> BoxFuture<'static, Result<DecidedApproval, DecideError>>;
    fn cancel(
        &self,
        id: &ApprovalId,
        by: &PrincipalId,
        why: WithdrawalReason,
    ) -> BoxFuture<'static, Result<(), DecideError>>;
    /// Notes that the requester has heard the outcome: from now on the same call is a new question.
    fn told(&self, id: &ApprovalId) -> BoxFuture<'static, Result<(), StoreDown>>;
    /// The recorded outcome of the call that used an approval; `None` while the call is in progress.
    fn end_of(&self, call: &CallId) -> BoxFuture<'static, Result<Option<RecordedEnd>, StoreDown>>;
    /// The open approvals, up to `count_max`.
    fn open_ones(&self, count_max: usize) -> BoxFuture<'static, Result<Vec<Approval>, StoreDown>>;
    /// Live grants of this principal for this version of a tool.
    fn grants(
        &self,
        principal: &PrincipalId,
        tool: &CanonicalName,
        tool_version: Digest,
    ) -> BoxFuture<'static, Result<Vec<Grant>, StoreDown>>;
}

#[derive(Clone, PartialEq, Debug)]
pub struct NewApproval {
    pub call: CallId,
    pub binding: Binding,
    pub requester: Principal,
    /// Redacted.
    pub arguments: RawJson,
    /// Files and refs that the arguments name.
    pub attachments: Vec<Attachment>,
    /// The credentials that the arguments name.
    pub credentials: Vec<CredentialUse>,
    /// True if nothing was redacted.
    pub complete: bool,
    pub requirement: ApprovalRequirement,
    /// The policies in force.
    pub policy_version: Option<Digest>,
    pub session: Option<SessionId>,
    pub opened_by: Option<PrincipalId>,
    pub agent: Option<AgentName>,
    pub template: Option<PolicyTemplate>,
    pub run: Option<RunId>,
    pub task: Option<String>,
    pub timeout: Duration,
}

#[derive(Clone, PartialEq, Debug)]
pub struct OpenedApproval {
    pub approval: Approval,
    /// True if the question was open already.
    pub joined: bool,
}

/// One vote on its way to the store.
#[derive(Clone, PartialEq, Debug)]
pub struct VoteSubmission {
    pub id: ApprovalId,
    pub word: NewVote,
    pub grant: Option<GrantTerms>,
    /// The channel of the vote: `api`, `cli`, `elicitation`, `webhook:<name>`.
    pub via: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct DecidedApproval {
    pub approval: Approval,
    pub grant: Option<Grant>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecideError {
    #[error("there is no approval {0}")]
    Unknown(ApprovalId),
    #[error(transparent)]
    Refused(#[from] ApprovalRefusal),
    #[error("\"don't ask again\" can be said only where one person's word is enough")]
    GrantNeedsQuorumOfOne,
    #[error(transparent)]
    Down(#[from] StoreDown),
}

/// Time and fresh ids.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;
    /// Microseconds of a monotonic clock.
    fn monotonic_us(&self) -> i64;
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// A new, unique id with this prefix.
    fn fresh_id(&self, prefix: &str) -> String;
}
