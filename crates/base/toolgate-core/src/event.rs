//! The content of the ledger: events in a fixed vocabulary, and the bodies that they reference.

mod position;
mod time;

use std::sync::Arc;

pub use position::{BadPosition, Position};
pub use time::HybridTime;

use crate::id::{ApprovalId, CallId, RunId, SessionId};
use crate::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

macro_rules! words {
    // Each word has a doc comment: the reference is generated from them.
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $meaning:literal])+ $word:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[doc = $meaning])+ $word,)+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$word,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $($name::$word => $text,)+ }
            }

            /// Its meaning, for people.
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
        /// Policy decided on a call: deny, approve, or a permit with something to say about it. A plain permit is
        /// in `tool.call.started`, or in `tool.call.completed` if nothing was sent.
        PolicyDecided = "policy.decided",
        /// A filter found something in the arguments or in the result of a call.
        FilterMatched = "filter.matched",
        /// The call is about to be sent; `decision` is there if policy simply permits it.
        CallStarted = "tool.call.started",
        /// The call waits: the server asked its client a question.
        CallPaused = "tool.call.paused",
        /// The client answered the server's question.
        CallResumed = "tool.call.resumed",
        /// The call ended; `outcome` says how.
        CallCompleted = "tool.call.completed",
        /// A gate stopped a call and asks people for approval.
        ApprovalRequested = "approval.requested",
        /// An identical call joined an approval that is already pending.
        ApprovalJoined = "approval.joined",
        /// A person approved, denied or asked for changes.
        ApprovalVoted = "approval.voted",
        /// The time to decide ran out; further groups are asked as well.
        ApprovalEscalated = "approval.escalated",
        /// An approval was approved, denied, sent back for changes, expired, cancelled or lapsed.
        ApprovalResolved = "approval.resolved",
        /// An approval was used: the one call it was given for was sent.
        ApprovalConsumed = "approval.consumed",
        /// An approver said "don't ask again for this".
        GrantCreated = "grant.created",
        /// A grant let a call run without asking.
        GrantUsed = "grant.used",
        /// A grant was revoked.
        GrantRevoked = "grant.revoked",
        /// A set of policies came into force.
        PolicyLoaded = "policy.loaded",
        /// A new set of policies did not load; the previous set stays in force.
        PolicyRefused = "policy.refused",
        /// An access token was created.
        TokenCreated = "token.created",
        /// An access token was revoked.
        TokenRevoked = "token.revoked",
        /// A setting was changed while the gateway runs.
        SettingChanged = "setting.changed",
        /// The configuration file was reloaded.
        ConfigLoaded = "config.loaded",
        /// A changed configuration file did not load; the previous configuration stays in force.
        ConfigRefused = "config.refused",
        /// A server was added: in the file, in the settings, or by registering itself.
        ServerAdded = "server.added",
        /// The configuration of a server changed.
        ServerChanged = "server.changed",
        /// A server was removed.
        ServerRemoved = "server.removed",
        /// The health of a server changed, or the reason for it.
        ServerHealth = "server.health",
        /// The registry that a server came from has another version of it, or another entry. The server stays as it is.
        ServerOutdated = "server.outdated",
        /// The process of a server ended, and works again after the gateway started it anew.
        ServerRestarted = "server.restarted",
        /// A server asked a client for input (elicitation) or for text from its model (sampling), or was kept
        /// from asking.
        ServerAsked = "server.asked",
        /// An instance of a server registered.
        InstanceJoined = "server.instance.joined",
        /// An instance of a server deregistered, its lease ran out, or an operator removed it.
        InstanceLeft = "server.instance.left",
        /// Tools were seen for the first time and pinned.
        ToolsPinned = "registry.tools.pinned",
        /// A server offers a definition that differs from the pinned one.
        ToolDrifted = "registry.tool.drifted",
        /// A tool is withheld until it is reviewed.
        ToolQuarantined = "registry.tool.quarantined",
        /// A reviewer or a setting accepted a new definition, which is now pinned.
        ToolAccepted = "registry.tool.accepted",
        /// A reviewer rejected a new definition; the tool stays withheld.
        ToolRejected = "registry.tool.rejected",
        /// A server no longer offers the tool.
        ToolRetired = "registry.tool.retired",
        /// A tool that was retired or had drifted is offered as pinned again.
        ToolRestored = "registry.tool.restored",
        /// A tool was renamed; its old name still works.
        ToolRenamed = "registry.tool.renamed",
        /// Aliases of tools were added or removed.
        AliasesChanged = "registry.aliases.changed",
        /// A secret was stored, or a sign-in at a server was completed.
        CredentialStored = "credential.stored",
        /// A secret or a sign-in was removed.
        CredentialRemoved = "credential.removed",
        /// An admin set the addresses that a secret may be sent to.
        CredentialAllowed = "credential.allowed",
        /// A credential for a site was created, which agents use by its handle.
        CredentialCreated = "credential.created",
        /// A field of a credential got another value.
        CredentialRotated = "credential.rotated",
        /// A session used a credential for the first time.
        CredentialUsed = "credential.used",
        /// A credential was erased, with its values.
        CredentialErased = "credential.erased",
        /// A version of an agent definition was seen for the first time.
        AgentDefined = "agent.defined",
        /// A session was opened.
        SessionStarted = "session.started",
        /// The mounts of a session changed.
        SessionChanged = "session.changed",
        /// A session was closed, or expired.
        SessionClosed = "session.closed",
        /// A file was stored.
        FileStored = "file.stored",
        /// A file was deleted, or expired.
        FileDeleted = "file.deleted",
        /// A run stored an artifact, or one was stored for the whole tenant.
        ArtifactStored = "artifact.stored",
        /// A manifest was created.
        ManifestCreated = "manifest.created",
        /// A pointer was created.
        PointerCreated = "pointer.created",
        /// A pointer was advanced, promoted or reverted.
        PointerMoved = "pointer.moved",
        /// A pointer was deleted; its history stays.
        PointerDeleted = "pointer.deleted",
        /// A manifest was pinned: it is kept although nothing else reaches it.
        ManifestPinned = "manifest.pinned",
        /// A pin was removed from a manifest.
        ManifestUnpinned = "manifest.unpinned",
        /// Manifests, nodes of trees or artifacts that nothing reached were removed.
        SubstrateCollected = "substrate.collected",
        /// A task was created, changed or deleted.
        TaskChanged = "task.changed",
        /// A run was created.
        RunCreated = "run.created",
        /// A run made its first call, or its agent started it.
        RunStarted = "run.started",
        /// A run was paused, or waits for an answer.
        RunPaused = "run.paused",
        /// A run was resumed.
        RunResumed = "run.resumed",
        /// The agent of a run reported the start or the end of a step.
        RunStep = "run.step",
        /// The agent of a run reported the start or the end of a tool call that it made without the gateway.
        RunToolCall = "run.tool_call",
        /// The agent of a run saved its state.
        RunCheckpoint = "run.checkpoint",
        /// A run ended: completed, partial, failed or cancelled.
        RunEnded = "run.ended",
        /// The model of a run answered; `detail` has the turn, the tokens, the cost and the digest of the message.
        ModelCalled = "model.called",
        /// The results of a turn's calls, or lines of the gateway, were added to the messages of a run.
        RunMessages = "run.messages",
        /// An automation was created, changed, paused, resumed or deleted.
        AutomationChanged = "automation.changed",
        /// An automation started a run, or did not; `detail` says why.
        AutomationFired = "automation.fired",
        /// A run asks a person a question.
        InputRequested = "input.requested",
        /// A question was answered, was cancelled, or expired.
        InputResolved = "input.resolved",
        /// A version of a schema was registered as a draft.
        SchemaRegistered = "schema.registered",
        /// A version of a schema became the active one; the active one before is superseded.
        SchemaPromoted = "schema.promoted",
        /// The active version of a schema was deprecated.
        SchemaDeprecated = "schema.deprecated",
        /// A knowledge base was created, changed or deleted.
        KnowledgeBaseChanged = "knowledge_base.changed",
        /// A type of claims was registered or changed.
        ClaimTypeChanged = "claim_type.changed",
        /// A claim was created.
        ClaimCreated = "claim.created",
        /// A claim has a new revision, was submitted, or its review began.
        ClaimChanged = "claim.changed",
        /// Evidence was linked to a claim, after it was checked.
        ClaimEvidenceLinked = "claim.evidence.linked",
        /// A claim was decided; `detail` has the digest of the claim and its evidence.
        ClaimDecided = "claim.decided",
        /// Another claim took the place of a claim.
        ClaimSuperseded = "claim.superseded",
        /// A version of an index profile became the one that counts.
        IndexProfilePromoted = "index.profile.promoted",
        /// An index of one state of a pointer was built.
        IndexPublished = "index.published",
        /// Arguments and results of a principal's calls were deleted; `detail` says whose, how many and why.
        LedgerErased = "ledger.erased",
        /// The first days of the ledger were removed, because its events are not kept forever.
        LedgerCut = "ledger.cut",
    }
);

words!(
    /// The end of a call, or its progress.
    Outcome {
        /// The tool ran and reported success.
        Succeeded = "succeeded",
        /// The tool ran and reported an error.
        ToolError = "tool_error",
        /// No answer came, or no valid one.
        Failed = "failed",
        /// The call was cancelled before it was answered.
        Cancelled = "cancelled",
        /// The call was sent, and the gateway died before the answer, or a connector lost it: how it ended is not known.
        Unknown = "unknown",
        /// The arguments do not fit the tool's schema.
        Invalid = "invalid",
        /// Policy, a filter or a person said no.
        Denied = "denied",
        /// A person said no; written by earlier versions only.
        Rejected = "rejected",
        /// A person wants something else proposed.
        ChangesRequested = "changes_requested",
        /// The time to decide ran out.
        Expired = "expired",
        /// People have been asked and have not decided yet.
        PendingApproval = "pending_approval",
        /// The server waits for the client's answer.
        InputRequired = "input_required",
        /// A person has been asked a question and has not answered yet.
        PendingInput = "pending_input",
        /// The server accepted the call as a task and continues it.
        Accepted = "accepted",
        /// An identical call, approved together with this one, ran; this one got its result.
        Joined = "joined",
        /// The gateway could not record the call, so nothing was sent.
        Refused = "refused",
    }
);

impl Outcome {
    /// True if the tool was executed; executed calls are metered.
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

/// The fields that all events of one call share.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventSubject {
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
    /// The principal that did it: the caller, the voter, or `gateway`.
    pub principal: PrincipalId,
    pub about: Arc<EventSubject>,
    pub approval: Option<ApprovalId>,
    pub policy_version: Option<Digest>,
    pub decision: Option<DecisionKind>,
    pub outcome: Option<Outcome>,
    pub duration_us: Option<i64>,
    /// The redacted arguments and result. Before it is written, an event has their digests; the ledger makes
    /// commitments of them (`commitment.rs`), and a recorded event has those.
    pub input: Option<Digest>,
    pub output: Option<Digest>,
    /// The same of what the client put into `_meta` for the server.
    pub meta: Option<Digest>,
    /// An object with the members of this kind of event.
    pub detail: Option<RawJson>,
}

impl Event {
    pub fn new(kind: EventKind, at_ms: i64, principal: PrincipalId, about: Arc<EventSubject>) -> Self {
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
            meta: None,
            detail: None,
        }
    }

    /// The bodies that it names.
    pub fn bodies(&self) -> impl Iterator<Item = Digest> + use<> {
        [self.input, self.output, self.meta].into_iter().flatten()
    }
}

/// Arguments, a result or `_meta`, redacted, kept apart from the chain under the commitment that the ledger makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerBody {
    /// Of `json`. Events of the same entry name it; it is stored nowhere.
    pub digest: Digest,
    pub json: RawJson,
    pub keep_until_ms: i64,
}

/// Events that are appended together or not at all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LedgerEntry {
    pub events: Vec<Event>,
    pub bodies: Vec<LedgerBody>,
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

/// An event as the ledger stores it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedEvent {
    /// The gateway that wrote it, and the number in its stream: 1, 2, 3 without a gap.
    pub stream: Arc<str>,
    pub number: i64,
    /// The place in the order of all streams.
    pub time: HybridTime,
    /// The position at which reading continues after this event.
    pub position: Position,
    pub event: Event,
    /// The hash of the event before it in its stream; zeros for the first.
    pub previous: Digest,
    /// The hash over every field and `previous`.
    pub hash: Digest,
}

/// Selects events. A field that is `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventFilter {
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
    /// Any of them; empty matches anything.
    pub outcomes: Vec<Outcome>,
    /// The error of a call that ended: its code, or its outcome if it has none.
    pub error: Option<String>,
    pub decision: Option<DecisionKind>,
}
