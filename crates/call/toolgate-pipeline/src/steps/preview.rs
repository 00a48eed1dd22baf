//! The request that would leave, for the people who are asked about it. It is bound into their approval as a file that the arguments name.

use serde_json::Value;
use toolgate_core::event::Outcome;

use crate::answer::CallRefusal;
use crate::pipeline::Pipeline;
use crate::ports::Executor;
use crate::redact::MarkStyle;
use crate::ticket::{StoppedCall, Ticket};

/// The call with its request among the contents that people agree to. A request that cannot be shown is not asked about.
pub(super) async fn with_preview(
    pipeline: &Pipeline,
    mut ticket: Ticket,
    arguments: &Value,
    executor: &dyn Executor,
) -> Result<Ticket, Box<StoppedCall>> {
    // Made of the arguments as people see them, so that it repeats nothing that is hidden there.
    let shown = pipeline.redactor.redact_input(ticket.tool.name.as_str(), arguments, MarkStyle::Told);
    match executor.preview(&shown.value).await {
        Ok(found) => {
            ticket.attachments.extend(found.attachments);
            Ok(ticket)
        }
        Err(refusal) => Err(StoppedCall::new(ticket, Outcome::Refused, CallRefusal::of_content(&refusal))),
    }
}
