//! Step seven: the end of the call is in the ledger before the caller gets the answer.

use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::connector::ConnectorName;
use toolgate_core::event::{Durability, EventKind, Outcome};
use toolgate_core::{CanonicalName, Fault, FaultKind, RawJson, stop_point};

use super::approve::{agreement, bound};
use super::end::{ExecutionEnd, ResultOrigin, WithheldResult};
use super::execute::Executed;
use super::output::check_output;
use crate::answer::{CallAnswer, CallAnswerBody, CallRefusal};
use crate::canonical;
use crate::delivery::CallAccount;
use crate::difference;
use crate::envelope::{CallWarning, Envelope};
use crate::pipeline::Pipeline;
use crate::redact::echo;
use crate::request::InputRound;
use crate::settings::WhenDown;
use crate::ticket::{StopAnswer, StoppedCall, Ticket};

/// A call whose end is in the ledger. Every answer is made of one.
pub(crate) struct Recorded {
    tool: CanonicalName,
    envelope: Envelope,
    body: CallAnswerBody,
}

impl Recorded {
    pub(crate) fn answer(self) -> CallAnswer {
        CallAnswer { tool: self.tool, envelope: self.envelope, body: self.body }
    }
}

pub(crate) async fn record(pipeline: &Pipeline, ended: Result<Executed<'_>, Box<StoppedCall>>) -> Recorded {
    match ended {
        Err(stopped) => record_stopped(pipeline, *stopped).await,
        Ok(executed) => record_executed(pipeline, executed).await,
    }
}

async fn record_stopped(pipeline: &Pipeline, stopped: StoppedCall) -> Recorded {
    let StoppedCall { mut ticket, outcome, words } = stopped;
    // A failed continuation is not the end of the call that it tried to continue.
    if ticket.round.is_some() {
        ticket.stand_alone(pipeline);
    }
    let detail = match &words {
        StopAnswer::Refusal(refusal) => {
            json!({ "code": refusal.code, "message": shortened(&refusal.message) })
        }
        StopAnswer::Handle(_) => json!({ "code": "handle" }),
        StopAnswer::Shared(_) => json!({ "code": "joined" }),
    };
    complete(pipeline, &mut ticket, outcome, None, Some(detail)).await;
    let body = match words {
        StopAnswer::Refusal(refusal) => CallAnswerBody::Refusal(refusal),
        StopAnswer::Handle(approval) => CallAnswerBody::Handle(approval),
        StopAnswer::Shared(result) => CallAnswerBody::Result(result),
    };
    Recorded { tool: ticket.tool.name.clone(), envelope: ticket.envelope(outcome), body }
}

async fn record_executed(pipeline: &Pipeline, executed: Executed<'_>) -> Recorded {
    let Executed { mut ticket, end, flight, agreed, account } = executed;
    let (outcome, body, output, detail) = match end {
        ExecutionEnd::Result { result, outcome, origin, checked } => {
            let detail = result_detail(&ticket, origin);
            let broken = match checked {
                Some(checked) => checked.err(),
                None => check_output(pipeline, &mut ticket, &result),
            };
            let output = ticket.is_recorded().then(|| keep_output(pipeline, &mut ticket, &result));
            let result = match ticket.note.take() {
                Some(note) => difference::with_note(&result, &note),
                None => result,
            };
            match broken {
                Some(refusal) => (Outcome::Failed, CallAnswerBody::Refusal(refusal), output, detail),
                None => (outcome, CallAnswerBody::Result(result), output, detail),
            }
        }
        ExecutionEnd::Withheld(withheld) => {
            let WithheldResult { outcome, kept, refusal } = *withheld;
            let detail = json!({ "code": refusal.code, "message": shortened(&refusal.message) });
            let output = kept.map(|kept| keep_output(pipeline, &mut ticket, &kept));
            (outcome, CallAnswerBody::Refusal(refusal), output, Some(detail))
        }
        ExecutionEnd::Error(error) => {
            let detail = json!({ "error": { "code": error.code, "message": shortened(&error.message) } });
            (Outcome::Failed, CallAnswerBody::Error(error), None, Some(detail))
        }
        ExecutionEnd::Fault(fault) => {
            let detail = json!({ "code": fault.kind.code(), "message": shortened(&fault.to_string()) });
            let outcome = outcome_of_fault(&ticket, &fault);
            (outcome, CallAnswerBody::Refusal(CallRefusal::of_fault(&fault)), None, Some(detail))
        }
        ExecutionEnd::Refused(refusal) => {
            let detail = json!({ "code": refusal.code, "message": shortened(&refusal.message) });
            (Outcome::Failed, CallAnswerBody::Refusal(CallRefusal::of_content(&refusal)), None, Some(detail))
        }
        ExecutionEnd::InputRequired(result) => return pause(pipeline, ticket, result, agreed).await,
        ExecutionEnd::Task(result) => {
            let output = ticket.is_recorded().then(|| keep_output(pipeline, &mut ticket, &result));
            (Outcome::Accepted, CallAnswerBody::Task(result), output, None)
        }
        ExecutionEnd::Cancelled => {
            let message = "the call was cancelled after it was sent";
            let hint = "it may have taken effect; look before you repeat it";
            let refusal = CallRefusal::new(&codes::CANCELLED, message).hint(hint);
            (Outcome::Cancelled, CallAnswerBody::Refusal(refusal), None, None)
        }
    };
    let detail = with_account(detail, &account);
    if let Some(refusal) = complete(pipeline, &mut ticket, outcome, output, detail).await {
        let (tool, envelope) = (ticket.tool.name.clone(), ticket.envelope(Outcome::Refused));
        return Recorded { tool, envelope, body: CallAnswerBody::Refusal(refusal) };
    }
    if let (Some(flight), CallAnswerBody::Result(result)) = (flight, &body) {
        flight.land(result.clone());
    }
    Recorded { tool: ticket.tool.name.clone(), envelope: ticket.envelope(outcome), body }
}

/// A request that a connector sent outside may have had its effect, although its answer was lost: nobody knows, and a person looks.
fn outcome_of_fault(ticket: &Ticket, fault: &Fault) -> Outcome {
    let is_lost = matches!(fault.kind, FaultKind::Lost { .. } | FaultKind::TimedOut { .. });
    let is_outside = ConnectorName::of(&ticket.tool.server).is_some();
    match is_lost && is_outside && !ticket.tool.may_repeat() {
        true => Outcome::Unknown,
        false => Outcome::Failed,
    }
}

/// The details of a result in its event.
fn result_detail(ticket: &Ticket, origin: ResultOrigin) -> Option<Value> {
    let mut detail = serde_json::Map::new();
    if origin == ResultOrigin::Cache {
        detail.insert("cached".into(), true.into());
    }
    if !ticket.refs.is_empty() {
        let refs = ticket.refs.iter().filter_map(|one| one.decode::<Value>().ok());
        // The beginning of a text is in the stored result, where it is redacted. An object of the platform has no text.
        let named = refs.map(|one| match one["type"].is_string() {
            true => one,
            false => json!({ "ref_id": one["ref_id"], "digest": one["digest"], "size": one["size"],
                "media_type": one["media_type"] }),
        });
        detail.insert("refs".into(), named.collect());
    }
    (!detail.is_empty()).then_some(Value::Object(detail))
}

fn with_account(detail: Option<Value>, account: &CallAccount) -> Option<Value> {
    let mut detail = match detail {
        Some(Value::Object(detail)) => detail,
        _ => serde_json::Map::new(),
    };
    if let Some(instance) = &account.instance {
        detail.insert("instance".into(), instance.as_str().into());
    }
    if let Some(tokens) = &account.tokens {
        detail.insert("tokens".into(), json!(tokens));
    }
    if let Some(us) = account.server_us {
        detail.insert("server_us".into(), us.into());
    }
    (!detail.is_empty()).then_some(Value::Object(detail))
}

/// The part of a foreign text that the chain stores.
fn shortened(text: &str) -> String {
    const CHARS_MAX: usize = 1_000;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Appends the end. Returns why the answer must be withheld, if it must.
async fn complete(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    outcome: Outcome,
    output: Option<toolgate_core::Digest>,
    detail: Option<Value>,
) -> Option<CallRefusal> {
    let executed = outcome.is_executed();
    if executed && !ticket.is_recorded() {
        return None;
    }
    let mut event = ticket.judged_event(pipeline, EventKind::CallCompleted);
    event.outcome = Some(outcome);
    event.duration_us = Some(ticket.elapsed_us(pipeline));
    event.output = output;
    event.detail = detail.map(|detail| echo::forget(detail.into(), &ticket.secrets));
    ticket.unwritten.events.push(event);
    let mut entry = std::mem::take(&mut ticket.unwritten);
    entry.durability = Durability::Written;
    let written = pipeline.ledger.append(entry).await;
    stop_point::reach("recorded");
    let down = written.err()?;
    let withheld = executed
        && !ticket.tool.effects.changes_something()
        && pipeline.settings.reads_when_down == WhenDown::Refuse;
    if withheld {
        let message = format!("the result is withheld: {}", down.told());
        return Some(CallRefusal::new(&codes::LEDGER_DOWN, message).hint("call again in a moment"));
    }
    let message = format!("the end of this call could not be recorded: {}", down.told());
    ticket.warnings.push(CallWarning::new(&codes::NOT_RECORDED, message));
    None
}

/// The server asks its client; the call is still open.
async fn pause(
    pipeline: &Pipeline,
    mut ticket: Ticket,
    result: RawJson,
    agreed: Option<toolgate_core::Digest>,
) -> Recorded {
    let number = ticket.round.as_ref().map_or(0, |round| round.number) + 1;
    let of_client = || {
        let arguments = canonical::parse(ticket.arguments.as_str()).unwrap_or_default();
        agreement(&ticket, bound(&ticket, &arguments))
    };
    let round = InputRound {
        call: ticket.call.clone(),
        number,
        approved: agreed.is_some(),
        agreed: agreed.unwrap_or_else(of_client),
    };
    if ticket.is_recorded() {
        let mut event = ticket.event(pipeline, EventKind::CallPaused);
        event.outcome = Some(Outcome::InputRequired);
        event.detail = Some(json!({ "round": number }).into());
        ticket.unwritten.events.push(event);
        let entry = std::mem::take(&mut ticket.unwritten);
        if let Err(down) = pipeline.ledger.append(entry).await {
            let message = format!("this step could not be recorded: {}", down.told());
            ticket.warnings.push(CallWarning::new(&codes::NOT_RECORDED, message));
        }
    }
    Recorded {
        tool: ticket.tool.name.clone(),
        envelope: ticket.envelope(Outcome::InputRequired),
        body: CallAnswerBody::InputRequired { result, round },
    }
}

fn keep_output(pipeline: &Pipeline, ticket: &mut Ticket, result: &RawJson) -> toolgate_core::Digest {
    let keep = pipeline.settings.keep(ticket.tool.audit);
    // A result that is too large to store is recorded by its digest, which needs no redaction.
    if result.as_bytes().len() > keep.body_bytes_max {
        return toolgate_core::Digest::of(result.as_bytes());
    }
    let redacted = pipeline.redactor.redact_output(ticket.tool.name.as_str(), result);
    let json = echo::forget(redacted.json, &ticket.secrets);
    ticket.keep_body(pipeline, json)
}
