//! The ports of the tools to the rest of the gateway: calls on the one path, the inbox of people, and files.

use serde_json::Value;
use toolgate_core::content::ContentHolder;
use toolgate_core::event::Outcome;
use toolgate_core::id::{ApprovalId, CallId, FileId, InputId};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{InputFile, InputRequest, Run};
use toolgate_core::{CanonicalName, Principal, RawJson, Refusal};

/// A call that somebody makes by hand, in their own session or in that of a run.
#[derive(Clone, Debug)]
pub struct ForcedCall {
    /// Canonical name, wire name or alias.
    pub name: String,
    /// An object.
    pub arguments: RawJson,
    /// The caller: its principal, and the session that it calls from.
    pub by: ContentHolder,
    /// The run in whose session the call is made. It counts there, and has the rights of that session.
    pub run: Option<Run>,
}

/// The end of such a call, or what it waits for.
#[derive(Clone, PartialEq, Debug)]
pub struct ForcedAnswer {
    pub tool: CanonicalName,
    pub status: Outcome,
    pub call: CallId,
    /// Set while people are asked. The same call again goes on from there.
    pub approval: Option<ApprovalId>,
    /// The result of the server or of the platform; nothing if there is none yet.
    pub result: Option<Value>,
    /// The refusal, with code, message and hint.
    pub error: Option<Value>,
}

/// The way of a forced call: policy, approval, execution and ledger as for every other call. The ledger says who forced it, and they
/// cannot approve it themselves.
pub trait ForcedCalls: Send + Sync {
    fn call(&self, call: ForcedCall) -> BoxFuture<'_, Result<ForcedAnswer, Refusal>>;
}

/// A decision on an approval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VoteWord {
    Approve,
    Deny,
    /// With a reason that says what should be different.
    RequestChanges,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ActionVote {
    pub approval: ApprovalId,
    pub word: VoteWord,
    pub reason: Option<String>,
    /// The person who decides, with their own rights.
    pub voter: Principal,
}

/// The desk where approvals and questions are decided, whatever door a decision comes through.
pub trait ActionDesk: Send + Sync {
    /// Counts a vote, and returns the state of the approval after it.
    fn decide(&self, vote: ActionVote) -> BoxFuture<'_, Result<&'static str, Refusal>>;
    /// Takes an answer to a question. A file that it names must be one of the person's own.
    fn answer<'a>(
        &'a self,
        input: &'a InputId,
        answer: Value,
        by: &'a Principal,
    ) -> BoxFuture<'a, Result<InputRequest, Refusal>>;
}

/// The files that a caller may hand on.
pub trait TaskFiles: Send + Sync {
    /// The file under a path of the run, if the caller may use it.
    fn input<'a>(
        &'a self,
        holder: &'a ContentHolder,
        path: String,
        file: FileId,
    ) -> BoxFuture<'a, Result<InputFile, Refusal>>;
}
