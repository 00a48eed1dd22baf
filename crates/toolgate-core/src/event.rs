//! What the ledger keeps: events in a fixed vocabulary, and the bodies they name by digest.

use std::sync::Arc;

use crate::id::{ApprovalId, CallId, RunId, SessionId};
use crate::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

macro_rules! words {
    // Each word has a doc comment: the reference is made of them.
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $meaning:literal])+ $word:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[doc = $meaning])+ $word,)+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$word,)+];

            pub fn as_str(self) -> &'static str {
                match self { $($name::$word => $text,)+ }
            }

            /// What it stands for, for people.
            pub fn meaning(self) -> &'static str {
                match self { $($name::$word => concat!($($meaning),+).trim_ascii_start(),)+ }
            }

            pub fn parse(text: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("unknown word {text:?}")))
            }
        }
    };
}

words!(
    EventKind {
        /// Policy has spoken, whatever it said.
        PolicyDecided = "policy.decided",
        /// A filter found something in the arguments or in the result of a call.
        FilterMatched = "filter.matched",
        /// The call is about to be sent.
        CallStarted = "tool.call.started",
        /// The call waits for its client to answer a question of the server.
        CallPaused = "tool.call.paused",
        /// The client came back with its answer.
        CallResumed = "tool.call.resumed",
        /// The call has its end, whatever that is.
        CallCompleted = "tool.call.completed",
        /// A gate stopped a call, and people are asked.
        ApprovalRequested = "approval.requested",
        /// An identical call attached to an approval that was already asked for.
        ApprovalJoined = "approval.joined",
        /// A person approved, denied or asked for changes.
        ApprovalVoted = "approval.voted",
        /// Nobody decided in time; others are asked as well.
        ApprovalEscalated = "approval.escalated",
        /// Approved, denied, sent back for changes, expired, cancelled or lapsed.
        ApprovalResolved = "approval.resolved",
        /// The one call it was given for was sent.
        ApprovalConsumed = "approval.consumed",
        /// Somebody said "don't ask again for this".
        GrantCreated = "grant.created",
        /// A call ran without asking because of a grant.
        GrantUsed = "grant.used",
        /// Somebody took a grant back.
        GrantRevoked = "grant.revoked",
        /// A set of policies is in force from now on.
        PolicyLoaded = "policy.loaded",
        /// A new set of policies did not load; the old one stays.
        PolicyRefused = "policy.refused",
        /// Somebody made an access token.
        TokenCreated = "token.created",
        /// Somebody revoked an access token.
        TokenRevoked = "token.revoked",
        /// Somebody changed what can be set while the gateway runs.
        SettingChanged = "setting.changed",
        /// The configuration file was read anew.
        ConfigLoaded = "config.loaded",
        /// A new configuration file did not load; the old state stays.
        ConfigRefused = "config.refused",
        /// A server is known from now on: from the file, from the settings, or because it registered.
        ServerAdded = "server.added",
        /// A server is configured in another way from now on.
        ServerChanged = "server.changed",
        /// A server is not known any more.
        ServerRemoved = "server.removed",
        /// Its health is another one now, or the reason for it.
        ServerHealth = "server.health",
        /// A server asked a client for input or for a text of its model, or was kept from it.
        ServerAsked = "server.asked",
        /// An instance of a server registered.
        InstanceJoined = "server.instance.joined",
        /// It said goodbye, its lease ran out, or an operator took it out.
        InstanceLeft = "server.instance.left",
        /// Tools were seen for the first time.
        ToolsPinned = "registry.tools.pinned",
        /// A server offers another definition than the pinned one.
        ToolDrifted = "registry.tool.drifted",
        /// A tool is withheld until somebody has looked at it.
        ToolQuarantined = "registry.tool.quarantined",
        /// Somebody, or a setting, took another definition as the pinned one.
        ToolAccepted = "registry.tool.accepted",
        /// Somebody looked at another definition and does not want it; the tool stays withheld.
        ToolRejected = "registry.tool.rejected",
        /// The server does not offer it any more.
        ToolRetired = "registry.tool.retired",
        /// What was retired or drifted is as it was pinned again.
        ToolRestored = "registry.tool.restored",
        /// A tool goes by another name from now on; the old one still leads to it.
        ToolRenamed = "registry.tool.renamed",
        /// Other names lead to tools from now on.
        AliasesChanged = "registry.aliases.changed",
        /// Somebody stored a secret, or signed in at a server.
        CredentialStored = "credential.stored",
        /// A secret or a sign-in was removed.
        CredentialRemoved = "credential.removed",
        /// An admin said to which addresses a secret may be sent.
        CredentialAllowed = "credential.allowed",
        /// A version of an agent definition was seen for the first time.
        AgentDefined = "agent.defined",
        /// An agent works in a session from now on.
        SessionStarted = "session.started",
        /// It may touch other things from now on.
        SessionChanged = "session.changed",
        /// Somebody closed it, or nobody used it for too long.
        SessionClosed = "session.closed",
        /// Somebody stored a file.
        FileStored = "file.stored",
        /// Somebody deleted it, or its time was over.
        FileDeleted = "file.deleted",
        /// A run stored a result of its work.
        ArtifactStored = "artifact.stored",
        /// A definition of work is new, another, or gone.
        TaskChanged = "task.changed",
        /// Somebody wants work to be done.
        RunCreated = "run.created",
        /// The first call of the run was made.
        RunStarted = "run.started",
        /// Somebody stopped the run for a while, or it waits for an answer.
        RunPaused = "run.paused",
        /// The run goes on.
        RunResumed = "run.resumed",
        /// Completed, partial, failed or cancelled.
        RunEnded = "run.ended",
        /// The run asks a person something.
        InputRequested = "input.requested",
        /// Answered, cancelled or expired.
        InputResolved = "input.resolved",
    }
);

words!(
    /// How a call ended, or where it stands.
    Outcome {
        /// The tool ran and said that it worked.
        Succeeded = "succeeded",
        /// The tool ran and said that it failed.
        ToolError = "tool_error",
        /// The call got no answer, or none that is one.
        Failed = "failed",
        /// Somebody took it back before it had an answer.
        Cancelled = "cancelled",
        /// Sent, and the gateway died before the answer: nobody knows.
        Unknown = "unknown",
        /// The arguments do not fit the tool's schema.
        Invalid = "invalid",
        /// Policy, a filter or a person said no.
        Denied = "denied",
        /// A person said no, in ledgers of earlier versions.
        Rejected = "rejected",
        /// A person wants something else proposed.
        ChangesRequested = "changes_requested",
        /// Nobody decided in time.
        Expired = "expired",
        /// People are asked, and have not decided yet.
        PendingApproval = "pending_approval",
        /// The server waits for an answer of the client.
        InputRequired = "input_required",
        /// A person was asked something, and has not answered yet.
        PendingInput = "pending_input",
        /// The server took it on as a task of its own.
        Accepted = "accepted",
        /// An identical call that was approved together with it ran; it got that one's result.
        Joined = "joined",
        /// The gateway could not keep its record, so nothing was sent.
        Refused = "refused",
    }
);

impl Outcome {
    /// Whether the tool was executed, which is what is metered.
    pub fn is_executed(self) -> bool {
        matches!(self, Outcome::Succeeded | Outcome::ToolError | Outcome::Accepted)
    }
}

words!(
    DecisionKind {
        /// The call may run.
        Permit = "permit",
        /// A person must agree first.
        Approve = "approve",
        /// The call may not run.
        Deny = "deny",
    }
);

/// What all events of one call have in common.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct About {
    pub session: Option<SessionId>,
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
    pub call: Option<CallId>,
    pub tool: Option<CanonicalName>,
    pub server: Option<ServerName>,
    pub tool_version: Option<Digest>,
    /// W3C `traceparent`, as the caller sent it.
    pub trace: Option<Arc<str>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub kind: EventKind,
    pub at_ms: i64,
    /// Who did it: the caller, the voter, `gateway`.
    pub principal: PrincipalId,
    pub about: Arc<About>,
    pub approval: Option<ApprovalId>,
    pub policy_version: Option<Digest>,
    pub decision: Option<DecisionKind>,
    pub outcome: Option<Outcome>,
    pub duration_us: Option<i64>,
    /// Digests of redacted bodies.
    pub input: Option<Digest>,
    pub output: Option<Digest>,
    /// What only this kind of event has, as an object.
    pub detail: Option<RawJson>,
}

impl Event {
    pub fn new(kind: EventKind, at_ms: i64, principal: PrincipalId, about: Arc<About>) -> Self {
        Self {
            kind,
            at_ms,
            principal,
            about,
            approval: None,
            policy_version: None,
            decision: None,
            outcome: None,
            duration_us: None,
            input: None,
            output: None,
            detail: None,
        }
    }
}

/// Arguments or a result, redacted, kept apart from the chain under their own digest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    pub digest: Digest,
    pub json: RawJson,
    pub keep_until_ms: i64,
}

/// Events that are appended together or not at all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    pub events: Vec<Event>,
    pub bodies: Vec<Body>,
    pub durability: Durability,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Durability {
    /// Survives the death of this process.
    #[default]
    Written,
    /// Survives the death of the machine.
    OnDisk,
}

/// An event as the ledger holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Its place in the whole ledger; what pages and cursors go by.
    pub seq: i64,
    /// Who wrote it, and its place among what they wrote: 1, 2, 3 without a gap.
    pub stream: Arc<str>,
    pub stream_seq: i64,
    pub event: Event,
    /// The hash of the event before it in its stream; zeros for the first.
    pub previous: Digest,
    /// Over every field and `previous`.
    pub hash: Digest,
}

/// Which events are wanted. What is `None` may be anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    pub from_ms: Option<i64>,
    /// Exclusive.
    pub until_ms: Option<i64>,
    pub kind: Option<EventKind>,
    pub principal: Option<PrincipalId>,
    pub session: Option<SessionId>,
    pub run: Option<RunId>,
    pub call: Option<CallId>,
    pub tool: Option<CanonicalName>,
    pub server: Option<ServerName>,
    pub outcome: Option<Outcome>,
    pub decision: Option<DecisionKind>,
}
