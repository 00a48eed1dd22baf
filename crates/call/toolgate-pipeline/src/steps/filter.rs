//! Step one: filters inspect what is to be sent. On the way back, `clean` inspects what the server answered.

use serde_json::{Value, json};
use toolgate_core::RawJson;
use toolgate_core::codes;
use toolgate_core::event::{EventKind, Outcome};

use crate::answer::CallRefusal;
use crate::canonical;
use crate::envelope::CallWarning;
use crate::filter::{FilterAction, FilterMatch, FilterSide, Filters, asks};
use crate::pipeline::Pipeline;
use crate::ticket::{Received, StoppedCall, Ticket, WatchedCall};

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

pub(crate) fn filter(pipeline: &Pipeline, received: Received) -> Result<Filtered, Box<StoppedCall>> {
    let mut ticket = received.ticket;
    let Some(filters) = pipeline.filters.load_full() else { return Ok(Filtered { ticket }) };
    let mut watched = WatchedCall::new(filters.clone());
    let fired = sift_arguments(&filters, &mut ticket, &mut watched);
    watched.asks = asks(&fired);
    ticket.watched = Some(watched);
    if fired.is_empty() {
        return Ok(Filtered { ticket });
    }
    note(pipeline, &mut ticket, &filters, FilterSide::Arguments, &fired);
    // A caller that may not call the tool is told only that.
    if ticket.barred.is_none() && says(&fired, FilterAction::Block) {
        let kept = canonical::parse(ticket.arguments.as_str()).unwrap_or_default();
        ticket.keep_input(pipeline, &kept);
        let refusal = blocked(&ticket, &fired);
        return Err(StoppedCall::new(ticket, Outcome::Denied, refusal));
    }
    warn(&mut ticket, &fired, "before the call was sent");
    Ok(Filtered { ticket })
}

/// The content for the server: the arguments, and the client's additional members.
fn sift_arguments<'f>(
    filters: &'f Filters,
    ticket: &mut Ticket,
    watched: &mut WatchedCall,
) -> Vec<FilterMatch<'f>> {
    let Some(watch) = filters.on(FilterSide::Arguments, ticket.tool.name.as_str()) else { return Vec::new() };
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
    let watched = ticket.watched.insert(WatchedCall::new(filters.clone()));
    let Some(watch) = filters.on(FilterSide::Arguments, ticket.tool.name.as_str()) else { return Ok(()) };
    watched.is_looked_at = true;
    let fired = watch.sift(&canonical::canonical(effective)).fired;
    watched.asks = asks(&fired);
    if fired.is_empty() {
        return Ok(());
    }
    note(pipeline, ticket, &filters, FilterSide::Arguments, &fired);
    if says(&fired, FilterAction::Block) || says(&fired, FilterAction::Mask) {
        return Err(blocked(ticket, &fired));
    }
    Ok(())
}

/// Records that filters found something: which filter, which kind and where.
pub(super) fn note(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    filters: &Filters,
    side: FilterSide,
    fired: &[FilterMatch<'_>],
) {
    filters.count(fired);
    let mut event = ticket.event(pipeline, EventKind::FilterMatched);
    event.detail = Some(json!({ "on": side, "filters": fired }).into());
    ticket.is_filtered = true;
    ticket.unwritten.events.push(event);
}

/// Adds a warning about masked parts to the answer.
pub(super) fn warn(ticket: &mut Ticket, fired: &[FilterMatch<'_>], when: &str) {
    for one in fired.iter().filter(|one| one.action == FilterAction::Mask) {
        let message = format!("filter {:?} masked {one} {when}", one.filter);
        ticket.warnings.push(CallWarning::new(&codes::FILTERED, message));
    }
}

pub(super) fn says(fired: &[FilterMatch<'_>], action: FilterAction) -> bool {
    fired.iter().any(|one| one.action == action)
}

fn blocked(ticket: &Ticket, fired: &[FilterMatch<'_>]) -> CallRefusal {
    let stops = fired.iter().filter(|one| one.action != FilterAction::Ask);
    let found: Vec<String> = stops.map(|one| format!("filter {:?} found {one}", one.filter)).collect();
    let message = format!("this call of {} was not sent: {}", ticket.tool.name, found.join("; "));
    CallRefusal::new(&codes::FILTER_BLOCKED, message).details(json!({ "filters": fired }))
}
