//! The ways in which a sent call ends.

use toolgate_core::event::Outcome;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::Members;
use toolgate_wire::object::may_say;

use crate::answer::CallRefusal;

pub(super) enum End {
    Result {
        result: RawJson,
        outcome: Outcome,
        origin: Origin,
        /// The result of the check against the tool's own schema, if known already.
        checked: Option<Box<Result<(), CallRefusal>>>,
    },
    /// It ran, but a filter withholds the result.
    Withheld(Box<Withheld>),
    Error(RpcError),
    Fault(toolgate_core::Fault),
    InputRequired(RawJson),
    Task(RawJson),
    /// It was not sent: something that it needs is unavailable.
    Refused(toolgate_core::Refusal),
    Cancelled,
}

/// A result that a filter withholds.
pub(super) struct Withheld {
    pub(super) outcome: Outcome,
    /// The result with the finds masked.
    pub(super) kept: Option<RawJson>,
    pub(super) refusal: CallRefusal,
}

/// The origin of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Server,
    /// The same call a short while ago.
    Cache,
}

impl End {
    pub(super) fn result(&self) -> Option<&RawJson> {
        match self {
            End::Result { result, .. } => Some(result),
            _ => None,
        }
    }
}

/// Searched as text first: almost no result is an error.
pub(super) fn outcome_of(result: &RawJson) -> Outcome {
    let said = may_say(result.as_bytes(), "isError")
        && Members::of(result)
            .is_ok_and(|members| members.get("isError").is_some_and(|raw| raw.get() == "true"));
    if said { Outcome::ToolError } else { Outcome::Succeeded }
}
