//! A call whose approval was used before it arrived: it gets the result of the call that used it, and nothing
//! is sent again.

use toolgate_core::approval::Approval;
use toolgate_core::codes;
use toolgate_core::event::Outcome;
use toolgate_core::governance::RecordedEnd;

use super::refusals::ledger_down;
use crate::envelope::CallWarning;
use crate::pipeline::Pipeline;
use crate::ticket::{StopAnswer, StoppedCall, Ticket};
use crate::words::TextAudience;
use crate::{again, difference};

/// The outcome of the call that used the approval.
pub(super) async fn ran_before(
    pipeline: &Pipeline,
    mut ticket: Ticket,
    approval: &Approval,
) -> Box<StoppedCall> {
    note_edit(&mut ticket, approval);
    // A result from this process is returned as it was; the ledger only has it redacted.
    if let Some(result) = pipeline.flights.result(&approval.id).await {
        return Box::new(StoppedCall { ticket, outcome: Outcome::Joined, words: StopAnswer::Shared(result) });
    }
    let call = approval.used_by.as_ref().unwrap_or(&approval.call);
    let end = match pipeline.approvals.end_of(call).await {
        Ok(end) => end,
        Err(down) => return ledger_down(ticket, &down),
    };
    match end {
        None => {
            let refusal = TextAudience::of(pipeline, &ticket).under_way(approval, call);
            StoppedCall::new(ticket, Outcome::PendingApproval, refusal)
        }
        Some(RecordedEnd { result: Some(result), .. }) => {
            ticket.warnings.extend(again::warning(&result));
            let result = again::read_again(&result);
            let result = match ticket.note.take() {
                Some(note) => difference::with_note(&result, &note),
                None => result,
            };
            Box::new(StoppedCall { ticket, outcome: Outcome::Joined, words: StopAnswer::Shared(result) })
        }
        Some(RecordedEnd { outcome, result: None }) => {
            let refusal = TextAudience::of(pipeline, &ticket).ran_before(approval, call, outcome);
            // If that call's outcome is unknown, so is this one's.
            let outcome = if outcome == Outcome::Unknown { outcome } else { Outcome::Joined };
            StoppedCall::new(ticket, outcome, refusal)
        }
    }
}

/// Adds the approver's changes to the answer.
pub(super) fn note_edit(ticket: &mut Ticket, approval: &Approval) {
    let is_noted = ticket.warnings.iter().any(|warning| warning.code == &codes::EDITED);
    if let Some(told) = difference::told(approval).filter(|_| !is_noted) {
        ticket.note = Some(format!("{told}. Report what ran, not what was asked for."));
        ticket.warnings.push(CallWarning::new(&codes::EDITED, told));
    }
}
