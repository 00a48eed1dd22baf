//! Step six: the call is sent, once its permission is used up and, if it may change something, its start is
//! on disk.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::{ApprovalRefusal, ApprovalState};
use toolgate_core::event::{Durability, EventKind, Outcome};
use toolgate_core::governance::{StartRefused, StoreDown, Warrant};
use toolgate_core::port::{Reply, ServerError};
use toolgate_core::{Blame, Digest, FaultKind, RawJson, RpcError, stop_point};
use toolgate_wire::Members;
use toolgate_wire::object::may_say;

use super::approve::Approved;
use super::filter;
use super::heard::ran_before;
use crate::answer::Refusal;
use crate::call::{Account, Delivered, Executor, Load, Pipeline, Undelivered, WhenDown};
use crate::envelope::Warning;
use crate::flight::Flight;
use crate::redact::Marks;
use crate::ticket::{Stopped, Ticket};

/// Larger extras are recorded by digest and size only.
const EXTRAS_BYTES_MAX: usize = 4 << 10;

/// A call that was sent, and how it ended.
pub(crate) struct Executed<'p> {
    pub(super) ticket: Ticket,
    pub(super) end: End,
    pub(super) flight: Option<Flight<'p>>,
    /// The agreement that the next round of the call may continue with.
    pub(super) agreed: Option<Digest>,
    pub(super) account: Account,
}

pub(super) enum End {
    Result {
        result: RawJson,
        outcome: Outcome,
        origin: Origin,
        /// The result of the check against the tool's own schema, if known already.
        checked: Option<Box<Result<(), Refusal>>>,
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
    pub(super) refusal: Refusal,
}

/// The origin of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Server,
    /// The same call a short while ago.
    Cache,
}

pub(crate) async fn execute<'p>(
    pipeline: &'p Pipeline,
    approved: Approved,
    executor: &dyn Executor,
    cancel: &CancellationToken,
) -> Result<Executed<'p>, Box<Stopped>> {
    let (mut ticket, arguments, warrant, agreed) = approved.into_parts();
    let arguments = arguments.or_else(|| ticket.masked_arguments());
    if cancel.is_cancelled() {
        return Err(Stopped::new(ticket, Outcome::Cancelled, cancelled()));
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
            return Err(Stopped::new(ticket, Outcome::Refused, Refusal::of_content(&refusal)));
        }
        None => return Err(Stopped::new(ticket, Outcome::Cancelled, cancelled())),
    }
    let extras = extras(&mut ticket, agreed.is_some());
    let kind = if ticket.round.is_some() { EventKind::CallResumed } else { EventKind::CallStarted };
    if ticket.is_recorded() {
        let mut started = ticket.event(pipeline, kind);
        started.detail = beside_arguments(pipeline, &ticket, &extras);
        ticket.unwritten.events.push(started);
    }
    let flight = match &warrant {
        Warrant::Approval { id, .. } => Some(pipeline.flights.begin(id)),
        _ => None,
    };
    let beforehand = beforehand(&ticket, &warrant, executor);
    let (mut ticket, flight) = start(pipeline, ticket, warrant, flight, beforehand).await?;
    stop_point::reach("started");
    let only_seen = agreed.is_some() || ticket.watched.as_ref().is_some_and(|watched| watched.is_looked_at);
    let load = Load { arguments, extras: extras.sent, only_seen };
    let end = match send(&mut ticket, load, executor, cancel).await {
        Ok(delivered) => pass_on(pipeline, &mut ticket, delivered, executor).await,
        Err(End::Error(error)) => filter::clean_error(pipeline, &mut ticket, error),
        Err(end) => end,
    };
    stop_point::reach("answered");
    let account = match ticket.is_recorded() {
        true => executor.account(&ticket.arguments, end.result()),
        false => Account::default(),
    };
    Ok(Executed { ticket, end, flight, agreed, account })
}

impl End {
    fn result(&self) -> Option<&RawJson> {
        match self {
            End::Result { result, .. } => Some(result),
            _ => None,
        }
    }
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
) -> Result<(Ticket, Option<Flight<'p>>), Box<Stopped>> {
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
    load: Load,
    executor: &dyn Executor,
    cancel: &CancellationToken,
) -> Result<Delivered, End> {
    let again = ticket.tool.may_repeat().then(|| load.clone());
    let call = ticket.call.clone();
    let mut delivered = tokio::select! {
        delivered = executor.execute(&call, load) => delivered,
        () = cancel.cancelled() => return Err(End::Cancelled),
    };
    // The effect of a lost call is unknown; one that may run twice is sent once more.
    if let (Err(Undelivered::Server(ServerError::Fault(fault))), Some(load)) = (&delivered, again)
        && matches!(fault.kind, FaultKind::Lost { .. })
    {
        ticket.warnings.push(Warning::new("sent_again", format!("{fault}; the call was sent once more")));
        delivered = tokio::select! {
            delivered = executor.execute(&call, load) => delivered,
            () = cancel.cancelled() => return Err(End::Cancelled),
        };
    }
    delivered.map_err(|undelivered| match undelivered {
        Undelivered::Refused(refusal) => End::Refused(refusal),
        Undelivered::Server(ServerError::Rpc(error)) => End::Error(error),
        Undelivered::Server(ServerError::Fault(fault)) => End::Fault(fault),
    })
}

/// Lets filters inspect the result, and then takes out the parts that are too large for the context: parts
/// that are stored by reference have been inspected as well.
async fn pass_on(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    delivered: Delivered,
    executor: &dyn Executor,
) -> End {
    let clean = match filter::clean(pipeline, ticket, delivered) {
        Ok(clean) if executor.must_unpack(&clean) => executor.unpack(&ticket.call, clean).await,
        Ok(clean) => clean,
        Err(end) => return end,
    };
    let (delivered, checked) = clean.into_parts();
    ticket.refs = delivered.refs;
    ticket.warnings.extend(delivered.notices.into_iter().map(Warning::from));
    let outcome = |result: &RawJson| delivered.outcome.unwrap_or_else(|| outcome_of(result));
    match delivered.reply {
        Reply::Complete(result) => {
            End::Result { outcome: outcome(&result), result, origin: Origin::Server, checked }
        }
        Reply::Cached(result) => {
            End::Result { outcome: outcome(&result), result, origin: Origin::Cache, checked }
        }
        Reply::InputRequired(result) => End::InputRequired(result),
        Reply::Task(result) => End::Task(result),
    }
}

/// Additional content from a client for its server.
#[derive(Default)]
struct Extras {
    sent: Option<RawJson>,
    /// The names of members that are not sent: people agreed to the arguments, and have seen nothing else.
    withheld: Vec<String>,
}

fn extras(ticket: &mut Ticket, is_agreed: bool) -> Extras {
    let Some(extras) = ticket.extras.take() else { return Extras::default() };
    if !is_agreed {
        return Extras { sent: Some(extras), withheld: Vec::new() };
    }
    let members = Members::of(&extras).unwrap_or_default();
    let withheld: Vec<String> = members.iter().map(|(key, _)| key.to_owned()).collect();
    let message = format!(
        "people agreed to the arguments of this call alone, so these members of `_meta` were not sent: {}",
        withheld.join(", ")
    );
    ticket.warnings.push(Warning::new("meta_withheld", message));
    Extras { sent: None, withheld }
}

/// The additional content that goes to the server.
fn beside_arguments(pipeline: &Pipeline, ticket: &Ticket, extras: &Extras) -> Option<RawJson> {
    let mut detail = serde_json::Map::new();
    if !ticket.attachments.is_empty() {
        let files = ticket.attachments.iter();
        let files = files.map(|one| json!({ "id": one.id, "digest": one.digest, "size": one.bytes }));
        detail.insert("files".into(), files.collect());
    }
    if let Some(sent) = &extras.sent {
        detail.insert("meta".into(), told(pipeline, ticket, sent));
    }
    if !extras.withheld.is_empty() {
        detail.insert("meta_withheld".into(), json!(extras.withheld));
    }
    (!detail.is_empty()).then(|| Value::from(detail).into())
}

/// Redacted like arguments; large content is recorded by its digest.
fn told(pipeline: &Pipeline, ticket: &Ticket, extras: &RawJson) -> Value {
    let bytes = extras.as_bytes().len();
    if bytes > EXTRAS_BYTES_MAX {
        return json!({ "digest": Digest::of(extras.as_bytes()), "size": bytes });
    }
    let extras: Value = extras.decode().unwrap_or_default();
    pipeline.redactor.redact_input(ticket.tool.name.as_str(), &extras, Marks::Plain).value.into_owned()
}

/// Searched as text first: almost no result is an error.
pub(super) fn outcome_of(result: &RawJson) -> Outcome {
    let said = may_say(result.as_bytes(), "isError")
        && Members::of(result)
            .is_ok_and(|members| members.get("isError").is_some_and(|raw| raw.get() == "true"));
    if said { Outcome::ToolError } else { Outcome::Succeeded }
}

pub(super) fn cancelled() -> Refusal {
    Refusal::new(
        "cancelled",
        Blame::Caller,
        "the call was cancelled before it was sent",
        "call again if it is still wanted",
    )
}

pub(super) fn ledger_down(ticket: Ticket, down: &StoreDown) -> Box<Stopped> {
    let message = format!("the call was not sent: {}", down.told());
    let refusal = Refusal::new(
        "ledger_down",
        Blame::Gateway,
        message,
        "call again in a moment; the operator sees the cause in the log",
    );
    Stopped::new(ticket, Outcome::Refused, refusal.retry())
}

fn stale(ticket: Ticket, message: &str) -> Box<Stopped> {
    let refusal = Refusal::new("stale", Blame::Caller, message, "make the call again from the start");
    Stopped::new(ticket, Outcome::Refused, refusal.retry())
}

/// Another call took the approval between the decision and now.
async fn not_approved(pipeline: &Pipeline, ticket: Ticket, refusal: ApprovalRefusal) -> Box<Stopped> {
    if let (ApprovalRefusal::Settled(ApprovalState::Used), Some(id)) = (refusal, &ticket.approval) {
        match pipeline.approvals.get(id).await {
            Ok(Some(approval)) => return ran_before(pipeline, ticket, &approval).await,
            Ok(None) => {}
            Err(down) => return ledger_down(ticket, &down),
        }
    }
    let message = format!("the call was not sent: {refusal}");
    let hint = "call again, which asks the approvers again";
    let details = json!({ "approval_id": ticket.approval });
    let refusal = Refusal::new("not_approved", Blame::Caller, message, hint).details(details);
    Stopped::new(ticket, Outcome::Refused, refusal)
}
