//! The client of a call, and the one who sends it: the two sides that the pipeline stands between.

use std::time::Duration;

use toolgate_core::approval::Approval;
use toolgate_core::content::AttachedContents;
use toolgate_core::id::{ApprovalId, CallId};
use toolgate_core::port::BoxFuture;
use toolgate_core::{RawJson, RpcError};

use crate::delivery::{CallAccount, CallPayload, DeliveredReply, DeliveryError};
use crate::steps::clean::CleanResponse;

/// The client of a call, as far as approvals need it.
pub trait Confirmer: Send + Sync {
    /// True if the person at the client can be asked there.
    fn can_confirm(&self) -> bool;
    /// Puts the elicitation of an approval to the person at the client.
    fn confirm<'a>(
        &'a self,
        approval: &'a ApprovalId,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>>;
    /// The way a call waits for a decision of other people.
    fn patience(&self) -> WaitMode;
    /// The call still waits.
    fn waiting(&self, approval: &Approval, waited: Duration);
    /// Checks whether people may be asked about one more call of this caller. `None` if there is no such
    /// limit.
    fn may_ask(&self) -> Option<BoxFuture<'_, Result<(), toolgate_core::Refusal>>> {
        None
    }
    /// True if the client is still there to take the answer.
    fn is_there(&self) -> bool {
        true
    }
    /// True if the client cancelled the call. A broken connection is not a cancellation.
    fn has_withdrawn(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitMode {
    /// A bounded time; then the client repeats its call.
    Hold,
    /// No wait: the client gets a durable handle.
    Handle,
    /// Not at all: the client repeats its call.
    NotAtAll,
    /// Waits until there is a decision.
    Unbounded,
}

/// Sends an approved call to its server.
pub trait Executor: Send + Sync {
    /// Looks up files and refs that the arguments name, before the decision on the call: people agree to
    /// their content. `None` if there is nothing to look up.
    fn attach<'a>(
        &'a self,
        _arguments: &'a serde_json::Value,
    ) -> Option<BoxFuture<'a, Result<AttachedContents, toolgate_core::Refusal>>> {
        None
    }

    /// True if people who are asked about the call are shown the request that would leave.
    fn has_preview(&self) -> bool {
        false
    }

    /// Looks up that request, with secrets hidden, and keeps its text: people agree to this text. `arguments` are those that
    /// people are shown.
    fn preview<'a>(
        &'a self,
        _arguments: &'a serde_json::Value,
    ) -> BoxFuture<'a, Result<AttachedContents, toolgate_core::Refusal>> {
        Box::pin(std::future::ready(Ok(AttachedContents::default())))
    }

    /// Checks whether the call may start at this very moment, which may be long after it was proposed. `None`
    /// if there is nothing to check. `arguments` is set if they differ from what the client sent.
    fn admit<'a>(
        &'a self,
        _call: &'a CallId,
        _arguments: Option<&'a RawJson>,
    ) -> Option<BoxFuture<'a, Result<(), toolgate_core::Refusal>>> {
        None
    }

    fn execute<'a>(
        &'a self,
        call: &'a CallId,
        load: CallPayload,
    ) -> BoxFuture<'a, Result<DeliveredReply, DeliveryError>>;

    /// True if executing the call writes events: then the call's own events come first.
    fn writes_events(&self) -> bool {
        false
    }

    /// The details that the end of the call reports besides its result.
    fn account(&self, _arguments: &RawJson, _result: Option<&RawJson>) -> CallAccount {
        CallAccount::default()
    }

    /// A quick check whether a result has parts that are too large or too binary for the context. Most have
    /// none.
    fn must_unpack(&self, _clean: &CleanResponse) -> bool {
        false
    }

    /// Takes that out, once filters have looked through it.
    fn unpack<'a>(&'a self, _call: &'a CallId, clean: CleanResponse) -> BoxFuture<'a, CleanResponse> {
        Box::pin(std::future::ready(clean))
    }
}
