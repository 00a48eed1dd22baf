//! Refusals that several steps give.

use toolgate_core::Blame;
use toolgate_core::event::Outcome;
use toolgate_core::governance::StoreDown;

use crate::answer::Refusal;
use crate::ticket::{Stopped, Ticket};

pub(super) fn cancelled() -> Refusal {
    Refusal::new(
        "cancelled",
        Blame::Caller,
        "the call was cancelled before it was sent",
        "call again if it is still wanted",
    )
}

pub(super) fn ledger_down(ticket: Ticket, down: &StoreDown) -> Box<Stopped> {
    let message = format!("the call was not sent because it could not be recorded: {down}");
    let refusal = Refusal::new(
        "ledger_down",
        Blame::Gateway,
        message,
        "call again in a moment; the operator sees the cause in the log",
    );
    Stopped::new(ticket, Outcome::Refused, refusal.retry())
}
