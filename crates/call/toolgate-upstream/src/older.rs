//! Servers that speak both eras but still ask their clients in the way of the older one: their SDK adopted
//! the newer era, and their tools still send `elicitation/create`.
//!
//! Nothing announces it. The SDK refuses to send the question, or sends it where it cannot be answered;
//! either way the answer to the call names the request that could not be sent.

use toolgate_core::FaultKind;
use toolgate_core::port::{AskKind, Caller, ServerError, ServerReply};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::may_say;

const KINDS: [AskKind; 3] = [AskKind::Elicitation, AskKind::Sampling, AskKind::Roots];
/// An error report is short. Longer answers are not searched.
const LOOK_BYTES_MAX: usize = 8 << 10;

/// True if a call of the newer era failed because its server asked in the older way something that the client
/// could answer.
pub(crate) fn was_asked(outcome: &Result<ServerReply, ServerError>, caller: &dyn Caller) -> bool {
    let said = match outcome {
        Err(ServerError::Rpc(error)) => error.message.as_str(),
        Err(ServerError::Fault(fault)) => match &fault.kind {
            FaultKind::Lost { reason } => reason.as_str(),
            _ => return false,
        },
        Ok(ServerReply::Complete(result)) if is_failure(result.as_str()) => result.as_str(),
        Ok(_) => return false,
    };
    let names = |kind: &AskKind| said.contains(kind.method()) && caller.can_answer(*kind);
    said.len() <= LOOK_BYTES_MAX && KINDS.iter().any(names)
}

fn is_failure(result: &str) -> bool {
    let may_be = result.len() <= LOOK_BYTES_MAX && may_say(result.as_bytes(), "isError");
    may_be
        && ObjectMembers::of_str(result)
            .is_ok_and(|members| members.get("isError").is_some_and(|raw| raw.get() == "true"))
}

/// The reason of a call whose server asks where the newer era has no way back.
pub(crate) fn asked_on_stream(kind: AskKind) -> String {
    format!("it sent {}, which the newer era does not have", kind.method())
}
