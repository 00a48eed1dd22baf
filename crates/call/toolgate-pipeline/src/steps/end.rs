//! The ways in which a sent call ends.

use toolgate_core::connector::ConnectorName;
use toolgate_core::event::Outcome;
use toolgate_core::{RawJson, RpcError, Tool};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::may_say;

use crate::answer::CallRefusal;

pub(super) enum ExecutionEnd {
    Result {
        result: RawJson,
        outcome: Outcome,
        origin: ResultOrigin,
        /// The result of the check against the tool's own schema, if known already.
        checked: Option<Box<Result<(), CallRefusal>>>,
    },
    /// It ran, but a filter withholds the result.
    Withheld(Box<WithheldResult>),
    Error(RpcError),
    Fault(toolgate_core::Fault),
    InputRequired(RawJson),
    Task(RawJson),
    /// It was not sent: something that it needs is unavailable.
    Refused(toolgate_core::Refusal),
    Cancelled,
}

/// A result that a filter withholds.
pub(super) struct WithheldResult {
    pub(super) outcome: Outcome,
    /// The result with the finds masked.
    pub(super) kept: Option<RawJson>,
    pub(super) refusal: CallRefusal,
}

/// The origin of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultOrigin {
    Server,
    /// The same call a short while ago.
    Cache,
}

impl ExecutionEnd {
    pub(super) fn result(&self) -> Option<&RawJson> {
        match self {
            ExecutionEnd::Result { result, .. } => Some(result),
            _ => None,
        }
    }
}

/// The word of a connector's program for a request whose answer was lost.
const ANSWER_LOST: &str = "outcome_unknown";

/// Searched as text first: almost no result is an error.
pub(super) fn outcome_of(tool: &Tool, result: &RawJson) -> Outcome {
    if !may_say(result.as_bytes(), "isError") {
        return Outcome::Succeeded;
    }
    let Ok(members) = ObjectMembers::of(result) else { return Outcome::Succeeded };
    let is_error = members.get("isError").is_some_and(|raw| raw.get() == "true");
    let is_unsure = || {
        ConnectorName::of(&tool.server).is_some()
            && members.get("_meta").is_some_and(|meta| meta.get().contains(ANSWER_LOST))
    };
    match is_error {
        true if is_unsure() => Outcome::Unknown,
        true => Outcome::ToolError,
        false => Outcome::Succeeded,
    }
}
