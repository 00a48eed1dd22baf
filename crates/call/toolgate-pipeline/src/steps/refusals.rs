//! Refusals that several steps give.

use toolgate_core::codes;
use toolgate_core::event::Outcome;
use toolgate_core::governance::StoreDown;

use crate::answer::CallRefusal;
use crate::ticket::{StoppedCall, Ticket};

pub(super) fn cancelled() -> CallRefusal {
    CallRefusal::new(&codes::CANCELLED, "the call was cancelled before it was sent")
}

pub(super) fn ledger_down(ticket: Ticket, down: &StoreDown) -> Box<StoppedCall> {
    let message = format!("the call was not sent: {}", down.told());
    let refusal = CallRefusal::new(&codes::LEDGER_DOWN, message);
    StoppedCall::new(ticket, Outcome::Refused, refusal)
}
