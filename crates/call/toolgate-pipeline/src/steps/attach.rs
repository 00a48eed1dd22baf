//! Step three: files and refs that the arguments name exist, belong to the caller, and have a content that
//! people can approve; credentials that they name are for this caller and this server.

use serde_json::Value;
use toolgate_core::RefusalKind;
use toolgate_core::event::Outcome;

use super::validate::Validated;
use crate::answer::CallRefusal;
use crate::envelope::CallWarning;
use crate::pipeline::Pipeline;
use crate::ports::Executor;
use crate::ticket::{StoppedCall, Ticket};

/// A call with everything known that it refers to.
pub(crate) struct Attached {
    ticket: Ticket,
    arguments: Value,
}

impl Attached {
    pub(super) fn into_parts(self) -> (Ticket, Value) {
        (self.ticket, self.arguments)
    }
}

pub(crate) async fn attach(
    pipeline: &Pipeline,
    validated: Validated,
    executor: &dyn Executor,
) -> Result<Attached, Box<StoppedCall>> {
    let (mut ticket, arguments) = validated.into_parts();
    // A caller that may not call the tool learns nothing about files either.
    let looked_up = match executor.attach(&arguments) {
        Some(looking) if ticket.barred.is_none() => Some(looking.await),
        _ => None,
    };
    match looked_up {
        None => Ok(Attached { ticket, arguments }),
        Some(Ok(found)) => {
            ticket.attachments = found.attachments;
            ticket.credentials = found.credentials;
            ticket.asked_of_contents = found.asks;
            ticket.excluded = found.excluded;
            ticket.warnings.extend(found.notices.into_iter().map(CallWarning::from));
            Ok(Attached { ticket, arguments })
        }
        Some(Err(refusal)) => {
            ticket.keep_input(pipeline, &arguments);
            // A quota or an outage is nothing that the caller has to correct.
            let outcome = match refusal.kind {
                RefusalKind::TooMany | RefusalKind::Down => Outcome::Refused,
                _ => Outcome::Invalid,
            };
            Err(StoppedCall::new(ticket, outcome, CallRefusal::of_content(&refusal)))
        }
    }
}
