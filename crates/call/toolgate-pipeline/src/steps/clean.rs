//! Filters on the way back: they inspect what the server answered.

use serde_json::{Value, json};
use toolgate_core::content::Notice;
use toolgate_core::event::Outcome;
use toolgate_core::port::ServerReply;
use toolgate_core::{RawJson, RpcError, codes};

use super::end::{ExecutionEnd, WithheldResult, outcome_of};
use super::filter::{note, says, warn};
use super::output::check_output;
use crate::answer::CallRefusal;
use crate::delivery::DeliveredReply;
use crate::filter::{FilterAction, FilterMatch, FilterSide};
use crate::pipeline::Pipeline;
use crate::ticket::Ticket;

/// A response that may be passed on. Only filters make one, and every result is made of one.
#[derive(Debug)]
pub struct CleanResponse {
    delivered: DeliveredReply,
    /// The result of the check against the tool's own schema, if it happened before something was masked.
    checked: Option<Box<Result<(), CallRefusal>>>,
}

impl CleanResponse {
    pub fn reply(&self) -> &ServerReply {
        &self.delivered.reply
    }

    /// The same once parts of the result were taken out of it.
    #[must_use]
    pub fn less(mut self, reply: ServerReply, refs: Vec<RawJson>, notices: Vec<Notice>) -> Self {
        self.delivered.reply = reply;
        self.delivered.refs = refs;
        self.delivered.notices.extend(notices);
        self
    }

    pub(super) fn into_parts(self) -> (DeliveredReply, Option<Box<Result<(), CallRefusal>>>) {
        (self.delivered, self.checked)
    }
}

/// Looks through a result. What may not be passed on ends the call, which has run.
pub(super) fn clean(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    mut delivered: DeliveredReply,
) -> Result<CleanResponse, ExecutionEnd> {
    let passed = |delivered| Ok(CleanResponse { delivered, checked: None });
    let (result, wrap): (_, fn(RawJson) -> ServerReply) = match &delivered.reply {
        ServerReply::Complete(result) => (result.clone(), ServerReply::Complete),
        ServerReply::Cached(result) => (result.clone(), ServerReply::Cached),
        ServerReply::InputRequired(_) | ServerReply::Task(_) => return passed(delivered),
    };
    let Some(filters) = pipeline.filters.load_full() else { return passed(delivered) };
    let Some(watch) = filters.on(FilterSide::Results, ticket.tool.name.as_str()) else {
        return passed(delivered);
    };
    let sifted = watch.sift(result.as_str());
    if sifted.fired.is_empty() {
        return passed(delivered);
    }
    note(pipeline, ticket, &filters, FilterSide::Results, &sifted.fired);
    let masked = sifted.masked.map_or_else(|| result.clone(), RawJson::from_composed);
    if says(&sifted.fired, FilterAction::Block) {
        let outcome = delivered.outcome.unwrap_or_else(|| outcome_of(&ticket.tool, &result));
        let refusal = withheld(ticket, &sifted.fired);
        return Err(ExecutionEnd::Withheld(Box::new(WithheldResult {
            outcome,
            kept: Some(masked),
            refusal,
        })));
    }
    warn(ticket, &sifted.fired, "in the result");
    let checked = check_output(pipeline, ticket, &result).map_or(Ok(()), Err);
    delivered.reply = wrap(masked);
    Ok(CleanResponse { delivered, checked: Some(Box::new(checked)) })
}

/// Inspects the text of a server's error.
pub(super) fn clean_error(pipeline: &Pipeline, ticket: &mut Ticket, error: RpcError) -> ExecutionEnd {
    let Some(filters) = pipeline.filters.load_full() else { return ExecutionEnd::Error(error) };
    let Some(watch) = filters.on(FilterSide::Results, ticket.tool.name.as_str()) else {
        return ExecutionEnd::Error(error);
    };
    let said = json!({ "message": error.message, "data": error.data });
    let sifted = watch.sift(&said.to_string());
    if sifted.fired.is_empty() {
        return ExecutionEnd::Error(error);
    }
    note(pipeline, ticket, &filters, FilterSide::Results, &sifted.fired);
    if says(&sifted.fired, FilterAction::Block) {
        let refusal = withheld(ticket, &sifted.fired);
        return ExecutionEnd::Withheld(Box::new(WithheldResult {
            outcome: Outcome::Failed,
            kept: None,
            refusal,
        }));
    }
    warn(ticket, &sifted.fired, "in the server's error");
    let masked = sifted.masked.and_then(|masked| serde_json::from_str::<Value>(&masked).ok());
    let Some(mut masked) = masked else { return ExecutionEnd::Error(error) };
    let message = masked["message"].as_str().unwrap_or_default().to_owned();
    let data = error.data.is_some().then(|| masked["data"].take().into());
    ExecutionEnd::Error(RpcError { code: error.code, message, data })
}

fn withheld(ticket: &Ticket, fired: &[FilterMatch<'_>]) -> CallRefusal {
    let stops = fired.iter().filter(|one| one.action == FilterAction::Block);
    let found: Vec<String> = stops.map(|one| format!("filter {:?} found {one}", one.filter)).collect();
    let message = format!("{} ran, and its result is withheld: {}", ticket.tool.name, found.join("; "));
    CallRefusal::new(&codes::RESULT_WITHHELD, message).details(json!({ "filters": fired }))
}
