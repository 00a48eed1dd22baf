//! Step one: filters inspect what is to be sent; and on the way back, what the server answered.

use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::content::Notice;
use toolgate_core::event::{EventKind, Outcome};
use toolgate_core::port::Reply;
use toolgate_core::{RawJson, RpcError};

use super::execute::{End, Withheld, outcome_of};
use super::record::check_output;
use crate::answer::CallRefusal;
use crate::call::{Delivered, Pipeline};
use crate::canonical;
use crate::envelope::Warning;
use crate::filter::{Action, Filters, Fired, Side, asks};
use crate::ticket::{Received, Stopped, Ticket, Watched};

/// The path of members of `_meta` in messages.
const BESIDE: &str = "/_meta";

/// A call without anything that a filter blocks. Masked parts are masked from here on, for everyone.
pub(crate) struct Filtered {
    ticket: Ticket,
}

impl Filtered {
    pub(super) fn into_ticket(self) -> Ticket {
        self.ticket
    }
}

pub(crate) fn filter(pipeline: &Pipeline, received: Received) -> Result<Filtered, Box<Stopped>> {
    let mut ticket = received.ticket;
    let Some(filters) = pipeline.filters.load_full() else { return Ok(Filtered { ticket }) };
    let mut watched = Watched::new(filters.clone());
    let fired = sift_arguments(&filters, &mut ticket, &mut watched);
    watched.asks = asks(&fired);
    ticket.watched = Some(watched);
    if fired.is_empty() {
        return Ok(Filtered { ticket });
    }
    note(pipeline, &mut ticket, &filters, Side::Arguments, &fired);
    // A caller that may not call the tool is told only that.
    if ticket.barred.is_none() && says(&fired, Action::Block) {
        let kept = canonical::parse(ticket.arguments.as_str()).unwrap_or_default();
        ticket.keep_input(pipeline, &kept);
        let refusal = blocked(&ticket, &fired);
        return Err(Stopped::new(ticket, Outcome::Denied, refusal));
    }
    warn(&mut ticket, &fired, "before the call was sent");
    Ok(Filtered { ticket })
}

/// The content for the server: the arguments, and the client's additional members.
fn sift_arguments<'f>(filters: &'f Filters, ticket: &mut Ticket, watched: &mut Watched) -> Vec<Fired<'f>> {
    let Some(watch) = filters.on(Side::Arguments, ticket.tool.name.as_str()) else { return Vec::new() };
    let mut sifted = watch.sift(ticket.arguments.as_str());
    if let Some(masked) = sifted.masked {
        ticket.arguments = RawJson::from_composed(masked);
        watched.is_masked = true;
    }
    if let Some(extras) = &ticket.extras {
        let beside = watch.sift_below(BESIDE, extras.as_str());
        sifted.fired.extend(beside.fired);
        if let Some(masked) = beside.masked {
            ticket.extras = Some(RawJson::from_composed(masked));
        }
    }
    watched.is_looked_at = true;
    sifted.fired
}

/// The same for approved arguments: they or the filters may have changed. Nothing is masked any more, since
/// the approved arguments are what is sent.
pub(super) fn look_again(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    effective: &Value,
) -> Result<(), CallRefusal> {
    let Some(filters) = pipeline.filters.load_full() else {
        ticket.watched = None;
        return Ok(());
    };
    let watched = ticket.watched.insert(Watched::new(filters.clone()));
    let Some(watch) = filters.on(Side::Arguments, ticket.tool.name.as_str()) else { return Ok(()) };
    watched.is_looked_at = true;
    let fired = watch.sift(&canonical::canonical(effective)).fired;
    watched.asks = asks(&fired);
    if fired.is_empty() {
        return Ok(());
    }
    note(pipeline, ticket, &filters, Side::Arguments, &fired);
    if says(&fired, Action::Block) || says(&fired, Action::Mask) {
        return Err(blocked(ticket, &fired));
    }
    Ok(())
}

/// A response that may be passed on. Only filters make one, and every result is made of one.
#[derive(Debug)]
pub struct Clean {
    delivered: Delivered,
    /// The result of the check against the tool's own schema, if it happened before something was masked.
    checked: Option<Box<Result<(), CallRefusal>>>,
}

impl Clean {
    pub fn reply(&self) -> &Reply {
        &self.delivered.reply
    }

    /// The same once parts of the result were taken out of it.
    #[must_use]
    pub fn less(mut self, reply: Reply, refs: Vec<RawJson>, notices: Vec<Notice>) -> Self {
        self.delivered.reply = reply;
        self.delivered.refs = refs;
        self.delivered.notices.extend(notices);
        self
    }

    pub(super) fn into_parts(self) -> (Delivered, Option<Box<Result<(), CallRefusal>>>) {
        (self.delivered, self.checked)
    }
}

/// Looks through a result. What may not be passed on ends the call, which has run.
pub(super) fn clean(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    mut delivered: Delivered,
) -> Result<Clean, End> {
    let passed = |delivered| Ok(Clean { delivered, checked: None });
    let (result, wrap): (_, fn(RawJson) -> Reply) = match &delivered.reply {
        Reply::Complete(result) => (result.clone(), Reply::Complete),
        Reply::Cached(result) => (result.clone(), Reply::Cached),
        Reply::InputRequired(_) | Reply::Task(_) => return passed(delivered),
    };
    let Some(filters) = pipeline.filters.load_full() else { return passed(delivered) };
    let Some(watch) = filters.on(Side::Results, ticket.tool.name.as_str()) else { return passed(delivered) };
    let sifted = watch.sift(result.as_str());
    if sifted.fired.is_empty() {
        return passed(delivered);
    }
    note(pipeline, ticket, &filters, Side::Results, &sifted.fired);
    let masked = sifted.masked.map_or_else(|| result.clone(), RawJson::from_composed);
    if says(&sifted.fired, Action::Block) {
        let outcome = delivered.outcome.unwrap_or_else(|| outcome_of(&result));
        let refusal = withheld(ticket, &sifted.fired);
        return Err(End::Withheld(Box::new(Withheld { outcome, kept: Some(masked), refusal })));
    }
    warn(ticket, &sifted.fired, "in the result");
    let checked = check_output(pipeline, ticket, &result).map_or(Ok(()), Err);
    delivered.reply = wrap(masked);
    Ok(Clean { delivered, checked: Some(Box::new(checked)) })
}

/// Inspects the text of a server's error.
pub(super) fn clean_error(pipeline: &Pipeline, ticket: &mut Ticket, error: RpcError) -> End {
    let Some(filters) = pipeline.filters.load_full() else { return End::Error(error) };
    let Some(watch) = filters.on(Side::Results, ticket.tool.name.as_str()) else { return End::Error(error) };
    let said = json!({ "message": error.message, "data": error.data });
    let sifted = watch.sift(&said.to_string());
    if sifted.fired.is_empty() {
        return End::Error(error);
    }
    note(pipeline, ticket, &filters, Side::Results, &sifted.fired);
    if says(&sifted.fired, Action::Block) {
        let refusal = withheld(ticket, &sifted.fired);
        return End::Withheld(Box::new(Withheld { outcome: Outcome::Failed, kept: None, refusal }));
    }
    warn(ticket, &sifted.fired, "in the server's error");
    let masked = sifted.masked.and_then(|masked| serde_json::from_str::<Value>(&masked).ok());
    let Some(mut masked) = masked else { return End::Error(error) };
    let message = masked["message"].as_str().unwrap_or_default().to_owned();
    let data = error.data.is_some().then(|| masked["data"].take().into());
    End::Error(RpcError { code: error.code, message, data })
}

/// Records that filters found something: which filter, which kind and where.
fn note(pipeline: &Pipeline, ticket: &mut Ticket, filters: &Filters, side: Side, fired: &[Fired<'_>]) {
    filters.count(fired);
    let mut event = ticket.event(pipeline, EventKind::FilterMatched);
    event.detail = Some(json!({ "on": side, "filters": fired }).into());
    ticket.is_filtered = true;
    ticket.unwritten.events.push(event);
}

/// Adds a warning about masked parts to the answer.
fn warn(ticket: &mut Ticket, fired: &[Fired<'_>], when: &str) {
    for one in fired.iter().filter(|one| one.action == Action::Mask) {
        let message = format!("filter {:?} masked {one} {when}", one.filter);
        ticket.warnings.push(Warning::new(&codes::FILTERED, message));
    }
}

fn says(fired: &[Fired<'_>], action: Action) -> bool {
    fired.iter().any(|one| one.action == action)
}

fn blocked(ticket: &Ticket, fired: &[Fired<'_>]) -> CallRefusal {
    let stops = fired.iter().filter(|one| one.action != Action::Ask);
    let found: Vec<String> = stops.map(|one| format!("filter {:?} found {one}", one.filter)).collect();
    let message = format!("this call of {} was not sent: {}", ticket.tool.name, found.join("; "));
    CallRefusal::new(&codes::FILTER_BLOCKED, message).details(json!({ "filters": fired }))
}

fn withheld(ticket: &Ticket, fired: &[Fired<'_>]) -> CallRefusal {
    let stops = fired.iter().filter(|one| one.action == Action::Block);
    let found: Vec<String> = stops.map(|one| format!("filter {:?} found {one}", one.filter)).collect();
    let message = format!("{} ran, and its result is withheld: {}", ticket.tool.name, found.join("; "));
    CallRefusal::new(&codes::RESULT_WITHHELD, message).details(json!({ "filters": fired }))
}
