//! Step six: the call is sent, once its permission is used up and, if it may change something, its start is
//! on disk.

use std::borrow::Cow;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::{ApprovalRefusal, ApprovalState};
use toolgate_core::codes;
use toolgate_core::event::{Durability, EventKind, Outcome};
use toolgate_core::governance::{StartRefused, StoreDown, Warrant};
use toolgate_core::port::{ServerError, ServerReply};
use toolgate_core::{Digest, FaultKind, RawJson, stop_point};
use toolgate_wire::ObjectMembers;

use super::approve::Approved;
use super::clean;
use super::end::{ExecutionEnd, ResultOrigin, outcome_of};
use super::heard::ran_before;
use super::refusals::{cancelled, ledger_down};
use crate::answer::CallRefusal;
use crate::delivery::{CallAccount, CallPayload, DeliveredReply, DeliveryError};
use crate::envelope::CallWarning;
use crate::flight::Flight;
use crate::pipeline::Pipeline;
use crate::ports::Executor;
use crate::redact::MarkStyle;
use crate::settings::WhenDown;
use crate::ticket::{StoppedCall, Ticket};

/// A call that was sent, and how it ended.
pub(crate) struct Executed<'p> {
    pub(super) ticket: Ticket,
    pub(super) end: ExecutionEnd,
    pub(super) flight: Option<Flight<'p>>,
    /// The agreement that the next round of the call may continue with.
    pub(super) agreed: Option<Digest>,
    pub(super) account: CallAccount,
}

pub(crate) async fn execute<'p>(
    pipeline: &'p Pipeline,
    approved: Approved,
    executor: &dyn Executor,
    cancel: &CancellationToken,
) -> Result<Executed<'p>, Box<StoppedCall>> {
    let (mut ticket, arguments, warrant, agreed) = approved.into_parts();
    let arguments = arguments.or_else(|| ticket.masked_arguments());
    if cancel.is_cancelled() {
        return Err(StoppedCall::new(ticket, Outcome::Cancelled, cancelled()));
    }
    let admitted = match executor.admit(&ticket.call, arguments.as_ref()) {
        Some(admitting) => tokio::select! {
            admitted = admitting => Some(admitted),
            () = cancel.cancelled() => None,
        },
        None => Some(Ok(())),
    };
    match admitted {
        Some(Ok(())) => {}
        Some(Err(refusal)) => {
            return Err(StoppedCall::new(ticket, Outcome::Refused, CallRefusal::of_content(&refusal)));
        }
        None => return Err(StoppedCall::new(ticket, Outcome::Cancelled, cancelled())),
    }
    let extras = extras(&mut ticket, agreed.is_some());
    let kind = if ticket.round.is_some() { EventKind::CallResumed } else { EventKind::CallStarted };
    if ticket.is_recorded() {
        let mut started = ticket.judged_event(pipeline, kind);
        started.detail = beside_arguments(&ticket, &extras);
        started.meta = extras.sent.as_ref().map(|sent| keep_extras(pipeline, &mut ticket, sent));
        ticket.unwritten.events.push(started);
    }
    let approval = warrant.approval().cloned();
    let flight = approval.as_ref().map(|id| pipeline.flights.begin(id));
    let beforehand = beforehand(&ticket, &warrant, executor);
    let (mut ticket, flight) = start(pipeline, ticket, warrant, flight, beforehand).await?;
    stop_point::reach("started");
    let only_seen = agreed.is_some() || ticket.watched.as_ref().is_some_and(|watched| watched.is_looked_at);
    let load = CallPayload { arguments, extras: extras.sent, only_seen, approval };
    let sent_us = pipeline.clock.monotonic_us();
    let sent = send(&mut ticket, load, executor, cancel).await;
    let server_us = sent.as_ref().ok().filter(|delivered| !delivered.is_cached());
    let server_us = server_us.map(|_| pipeline.clock.monotonic_us() - sent_us);
    let end = match sent {
        Ok(delivered) => pass_on(pipeline, &mut ticket, delivered, executor).await,
        Err(ExecutionEnd::Error(error)) => clean::clean_error(pipeline, &mut ticket, error),
        Err(end) => end,
    };
    stop_point::reach("answered");
    let account = match ticket.is_recorded() {
        true => CallAccount { server_us, ..executor.account(&ticket.arguments, end.result()) },
        false => CallAccount::default(),
    };
    Ok(Executed { ticket, end, flight, agreed, account })
}

/// The durability of the start before anything is sent. It is on disk if the call may change something or
/// uses up an approval; it is written if executing the call writes events, which then come after it; a call
/// that only reads is recorded when it ends.
fn beforehand(ticket: &Ticket, warrant: &Warrant, executor: &dyn Executor) -> Option<Durability> {
    if ticket.tool.effects.changes_something() || *warrant != Warrant::NoneNeeded {
        return Some(Durability::OnDisk);
    }
    executor.writes_events().then_some(Durability::Written)
}

async fn start<'p>(
    pipeline: &'p Pipeline,
    mut ticket: Ticket,
    warrant: Warrant,
    flight: Option<Flight<'p>>,
    beforehand: Option<Durability>,
) -> Result<(Ticket, Option<Flight<'p>>), Box<StoppedCall>> {
    let Some(durability) = beforehand else {
        let refuse = ticket.is_recorded()
            && pipeline.settings.reads_when_down == WhenDown::Refuse
            && !pipeline.ledger.is_up();
        return if refuse {
            Err(ledger_down(ticket, &StoreDown("the last write failed".into())))
        } else {
            Ok((ticket, flight))
        };
    };
    let mut entry = std::mem::take(&mut ticket.unwritten);
    entry.durability = durability;
    match pipeline.ledger.start(entry, warrant).await {
        Ok(()) => Ok((ticket, flight)),
        Err(StartRefused::Down(down)) => Err(ledger_down(ticket, &down)),
        Err(StartRefused::Approval(refusal)) => {
            // A call that waits for a result must not count as one that may produce it.
            drop(flight);
            Err(Box::pin(not_approved(pipeline, ticket, refusal)).await)
        }
        Err(StartRefused::Grant) => Err(stale(ticket, "the grant for this call was used up or has ended")),
        Err(StartRefused::Round) => {
            ticket.stand_alone(pipeline);
            Err(stale(ticket, "this answer was given before, or the call has ended"))
        }
    }
}

async fn send(
    ticket: &mut Ticket,
    load: CallPayload,
    executor: &dyn Executor,
    cancel: &CancellationToken,
) -> Result<DeliveredReply, ExecutionEnd> {
    let again = ticket.tool.may_repeat().then(|| load.clone());
    let call = ticket.call.clone();
    let mut delivered = tokio::select! {
        delivered = executor.execute(&call, load) => delivered,
        () = cancel.cancelled() => return Err(ExecutionEnd::Cancelled),
    };
    // The effect of a lost call is unknown; one that may run twice is sent once more.
    if let (Err(DeliveryError::Server(ServerError::Fault(fault))), Some(load)) = (&delivered, again)
        && matches!(fault.kind, FaultKind::Lost { .. })
    {
        ticket
            .warnings
            .push(CallWarning::new(&codes::SENT_AGAIN, format!("{fault}; the call was sent once more")));
        delivered = tokio::select! {
            delivered = executor.execute(&call, load) => delivered,
            () = cancel.cancelled() => return Err(ExecutionEnd::Cancelled),
        };
    }
    delivered.map_err(|undelivered| match undelivered {
        DeliveryError::Refused(refusal) => ExecutionEnd::Refused(refusal),
        DeliveryError::Server(ServerError::Rpc(error)) => ExecutionEnd::Error(error),
        DeliveryError::Server(ServerError::Fault(fault)) => ExecutionEnd::Fault(fault),
    })
}

/// Lets filters inspect the result, and then takes out the parts that are too large for the context: parts
/// that are stored by reference have been inspected as well.
async fn pass_on(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    delivered: DeliveredReply,
    executor: &dyn Executor,
) -> ExecutionEnd {
    let clean = match clean::clean(pipeline, ticket, delivered) {
        Ok(clean) if executor.must_unpack(&clean) => executor.unpack(&ticket.call, clean).await,
        Ok(clean) => clean,
        Err(end) => return end,
    };
    let (delivered, checked) = clean.into_parts();
    let tool = ticket.tool.clone();
    ticket.refs = delivered.refs;
    ticket.warnings.extend(delivered.notices.into_iter().map(CallWarning::from));
    let outcome = |result: &RawJson| delivered.outcome.unwrap_or_else(|| outcome_of(&tool, result));
    match delivered.reply {
        ServerReply::Complete(result) => {
            ExecutionEnd::Result { outcome: outcome(&result), result, origin: ResultOrigin::Server, checked }
        }
        ServerReply::Cached(result) => {
            ExecutionEnd::Result { outcome: outcome(&result), result, origin: ResultOrigin::Cache, checked }
        }
        ServerReply::InputRequired(result) => ExecutionEnd::InputRequired(result),
        ServerReply::Task(result) => ExecutionEnd::Task(result),
    }
}

/// Additional content from a client for its server.
#[derive(Default)]
struct ClientExtras {
    sent: Option<RawJson>,
    /// The names of members that are not sent: people agreed to the arguments, and have seen nothing else.
    withheld: Vec<String>,
}

fn extras(ticket: &mut Ticket, is_agreed: bool) -> ClientExtras {
    let Some(extras) = ticket.extras.take() else { return ClientExtras::default() };
    if !is_agreed {
        return ClientExtras { sent: Some(extras), withheld: Vec::new() };
    }
    let members = ObjectMembers::of(&extras).unwrap_or_default();
    let withheld: Vec<String> = members.iter().map(|(key, _)| key.to_owned()).collect();
    let message = format!(
        "people agreed to the arguments of this call alone, so these members of `_meta` were not sent: {}",
        withheld.join(", ")
    );
    ticket.warnings.push(CallWarning::new(&codes::META_WITHHELD, message));
    ClientExtras { sent: None, withheld }
}

/// What goes to the server with the arguments, and what does not.
fn beside_arguments(ticket: &Ticket, extras: &ClientExtras) -> Option<RawJson> {
    let mut detail = serde_json::Map::new();
    if !ticket.attachments.is_empty() {
        let files = ticket.attachments.iter();
        let files = files.map(|one| json!({ "id": one.id, "digest": one.digest, "size": one.bytes }));
        detail.insert("files".into(), files.collect());
    }
    if !ticket.credentials.is_empty() {
        let used = ticket.credentials.iter();
        let used = used.map(|one| json!({ "handle": one.handle(), "name": one.name, "origin": one.origin }));
        detail.insert("credentials".into(), used.collect());
    }
    if !extras.withheld.is_empty() {
        detail.insert("meta_withheld".into(), json!(extras.withheld));
    }
    (!detail.is_empty()).then(|| Value::from(detail).into())
}

/// Stores additional content, redacted like arguments, and returns its digest. Content that is too large to be stored, or
/// that cannot be looked through, has a digest only.
fn keep_extras(pipeline: &Pipeline, ticket: &mut Ticket, extras: &RawJson) -> Digest {
    let is_small = extras.as_bytes().len() <= pipeline.settings.keep(ticket.tool.audit).body_bytes_max;
    let Some(value) = is_small.then(|| extras.decode::<Value>().ok()).flatten() else {
        return Digest::of(extras.as_bytes());
    };
    let redacted = pipeline.redactor.redact_input(ticket.tool.name.as_str(), &value, MarkStyle::Plain);
    let json = match redacted.value {
        Cow::Borrowed(_) => extras.clone(),
        Cow::Owned(value) => RawJson::from(value),
    };
    ticket.keep_body(pipeline, json)
}

fn stale(ticket: Ticket, message: &str) -> Box<StoppedCall> {
    let refusal = CallRefusal::new(&codes::STALE, message).hint("make the call again from the start");
    StoppedCall::new(ticket, Outcome::Refused, refusal)
}

/// Another call took the approval between the decision and now.
async fn not_approved(pipeline: &Pipeline, ticket: Ticket, refusal: ApprovalRefusal) -> Box<StoppedCall> {
    if let (ApprovalRefusal::Settled(ApprovalState::Used), Some(id)) = (refusal, &ticket.approval) {
        match pipeline.approvals.get(id).await {
            Ok(Some(approval)) => return ran_before(pipeline, ticket, &approval).await,
            Ok(None) => {}
            Err(down) => return ledger_down(ticket, &down),
        }
    }
    let message = format!("the call was not sent: {refusal}");
    let details = json!({ "approval_id": ticket.approval });
    let refusal = CallRefusal::new(&codes::NOT_APPROVED, message).details(details);
    StoppedCall::new(ticket, Outcome::Refused, refusal)
}
