//! The ways in which a sent call ends.

use toolgate_core::event::Outcome;
use toolgate_core::{RawJson, RpcError};
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

/// Searched as text first: almost no result is an error.
pub(super) fn outcome_of(result: &RawJson) -> Outcome {
    let said = may_say(result.as_bytes(), "isError")
        && ObjectMembers::of(result)
            .is_ok_and(|members| members.get("isError").is_some_and(|raw| raw.get() == "true"));
    if said { Outcome::ToolError } else { Outcome::Succeeded }
}
