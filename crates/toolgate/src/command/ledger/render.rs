//! Events as a person reads them.

use serde_json::Value;
use toolgate_core::event::{Event, EventKind, RecordedEvent};
use toolgate_core::moment::rfc3339;
use toolgate_core::{Digest, RawJson};
use toolgate_store::{LedgerCut, LedgerVerification};

use crate::command::shown::{count, duration, indented, pretty, several};
use crate::table::{TextTable, clean};

const HEADER: [&str; 7] = ["TIME", "EVENT", "PRINCIPAL", "TOOL", "RESULT", "TOOK", "CALL"];
/// The widths while events arrive one by one and later ones are unknown.
const WIDTHS: [usize; 6] = [24, 21, 36, 28, 17, 9];

pub(super) fn table(events: &[RecordedEvent]) -> TextTable {
    let mut table = TextTable::new(HEADER);
    events.iter().for_each(|recorded| table.row(cells(&recorded.event)));
    table
}

pub(super) fn header_line() -> String {
    line_of(&HEADER.map(str::to_owned))
}

pub(super) fn line(recorded: &RecordedEvent) -> String {
    line_of(&cells(&recorded.event).map(|cell| clean(&cell)))
}

fn line_of(cells: &[String; 7]) -> String {
    let widths = WIDTHS.into_iter().chain([0]);
    let padded: Vec<String> =
        cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
    padded.join("  ").trim_end().to_owned()
}

fn cells(event: &Event) -> [String; 7] {
    [
        rfc3339(event.at_ms),
        event.kind.as_str().to_owned(),
        event.principal.to_string(),
        event.about.tool.as_ref().map(ToString::to_string).unwrap_or_default(),
        result(event).to_owned(),
        event.duration_us.map(duration).unwrap_or_default(),
        about(event),
    ]
}

/// The outcome of an event.
fn result(event: &Event) -> &'static str {
    let outcome = event.outcome.map(|outcome| outcome.as_str());
    outcome.or_else(|| event.decision.map(|decision| decision.as_str())).unwrap_or_default()
}

/// The ids to look an event up by.
fn about(event: &Event) -> String {
    let call = event.about.call.as_ref().map(ToString::to_string);
    call.or_else(|| event.approval.as_ref().map(ToString::to_string)).unwrap_or_default()
}

/// A body that an event names.
pub(super) enum StoredBody {
    Here(RawJson),
    /// It is not the one that the event was written with.
    Changed,
    /// It expired, was erased or was too large, or the tool's audit level stores none.
    Gone,
    /// The proof does not show it.
    Undisclosed,
}

/// One call from its proposal to its end. `body` finds the bodies that an event references.
pub(super) fn call(events: &[RecordedEvent], body: impl Fn(&Digest) -> StoredBody) -> String {
    let Some(first) = events.first() else { return String::new() };
    let mut text = String::new();
    for (name, value) in facts(events) {
        text.push_str(&format!("{name:<10} {}\n", clean(&value)));
    }
    text.push('\n');
    for recorded in events {
        text.push_str(&timeline_entry(&recorded.event, first.event.at_ms));
    }
    // Events of one call may have different commitments to the same body, of which not all are kept.
    let found = |find: fn(&Event) -> Option<Digest>| {
        let named: Vec<Digest> = events.iter().rev().filter_map(|one| find(&one.event)).collect();
        let mut read = named.iter().map(|digest| (*digest, body(digest)));
        let kept = read.find(|(_, body)| !matches!(body, StoredBody::Gone));
        kept.or_else(|| named.first().map(|digest| (*digest, StoredBody::Gone)))
    };
    let bodies = [
        ("arguments", found(|event| event.input)),
        ("_meta", found(|event| event.meta)),
        ("result", found(|event| event.output)),
    ];
    for (name, (digest, body)) in bodies.into_iter().filter_map(|(name, found)| Some((name, found?))) {
        let shown = match body {
            StoredBody::Here(json) => pretty(&json),
            StoredBody::Changed => "changed after it was written, and not shown".to_owned(),
            StoredBody::Gone => "not kept".to_owned(),
            StoredBody::Undisclosed => "not shown".to_owned(),
        };
        text.push_str(&format!("\n{name} ({digest})\n{}", indented(&shown)));
    }
    text
}

fn facts(events: &[RecordedEvent]) -> Vec<(&'static str, String)> {
    let find = |fact: &dyn Fn(&Event) -> Option<String>| events.iter().find_map(|one| fact(&one.event));
    let found = [
        ("call", find(&|event| event.about.call.as_ref().map(ToString::to_string))),
        ("tool", find(&|event| event.about.tool.as_ref().map(ToString::to_string))),
        ("version", find(&|event| event.about.tool_version.map(|version| version.to_string()))),
        ("principal", proposer(events)),
        ("session", find(&|event| event.about.session.as_ref().map(ToString::to_string))),
        ("run", find(&|event| event.about.run.as_ref().map(ToString::to_string))),
        ("task", find(&|event| event.about.task.as_ref().map(ToString::to_string))),
        ("trace", find(&|event| event.about.trace.as_ref().map(ToString::to_string))),
        ("approval", find(&|event| event.approval.as_ref().map(ToString::to_string))),
        ("policy", find(&|event| event.policy_version.map(|version| version.to_string()))),
        ("outcome", Some(outcome(events).to_owned())),
    ];
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The caller. Other events of it may be votes.
fn proposer(events: &[RecordedEvent]) -> Option<String> {
    let of_call =
        |kind| matches!(kind, EventKind::PolicyDecided | EventKind::CallStarted | EventKind::CallCompleted);
    let found = events.iter().find(|one| of_call(one.event.kind)).or(events.first());
    found.map(|one| one.event.principal.to_string())
}

fn outcome(events: &[RecordedEvent]) -> &'static str {
    let last = events.iter().rev().find_map(|one| one.event.outcome);
    last.map_or("none yet", |outcome| outcome.as_str())
}

/// `2026-08-01T12:00:12.034Z  +12.03 s  tool.call.completed  bot  succeeded in 33.1 ms`
fn timeline_entry(event: &Event, start_ms: i64) -> String {
    let took = event.duration_us.map(|us| format!("in {}", duration(us))).unwrap_or_default();
    let came_of_it = format!("{} {took}", result(event));
    let told = format!(
        "{}  +{:<9} {:<21} {}  {}",
        rfc3339(event.at_ms),
        since(event.at_ms.saturating_sub(start_ms)),
        event.kind.as_str(),
        clean(event.principal.as_str()),
        came_of_it.trim(),
    );
    let mut text = format!("{}\n", told.trim_end());
    for (name, value) in details(event) {
        text.push_str(&format!("{:27}{name}: {}\n", "", clean(&value)));
    }
    text
}

/// The ledger knows the time of an event to the millisecond.
fn since(ms: i64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { duration(ms.saturating_mul(1000)) }
}

/// The specific members of this kind of event, one per line.
fn details(event: &Event) -> Vec<(String, String)> {
    let detail = event.detail.as_ref().and_then(|detail| detail.decode::<Value>().ok());
    let Some(Value::Object(members)) = detail else { return Vec::new() };
    let shown = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    members.into_iter().map(|(name, value)| (clean(&name), shown(value))).collect()
}

/// The checkpoints beside which a ledger was verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HeldAgainst {
    /// This many; none are configured if there are none.
    Checkpoints(u64),
    /// They are configured, and none was found.
    NoneOfThem,
}

/// The result of a verification, in one line.
pub(super) fn verified(verified: &LedgerVerification, held: HeldAgainst) -> String {
    match &verified.fault {
        None => {
            let (events, streams) = (several(verified.events, "event"), verified.streams as u64);
            let bodies = verified.bodies.map(|bodies| format!(", {}", bodies_of(bodies)));
            let erased = Some(verified.erased).filter(|erased| *erased > 0);
            let erased = erased.map(|erased| format!("; {} erased on request", bodies_of(erased)));
            let more = [bodies, erased].into_iter().flatten().collect::<String>();
            let cuts = removed(&verified.cuts);
            let (begins, signed) = match held {
                HeldAgainst::NoneOfThem => ("unproven", "; held against no checkpoint".to_owned()),
                HeldAgainst::Checkpoints(count) => ("ok", compared(verified, count)),
            };
            format!("{begins}: {events} in {}{more}{cuts}{signed}", several(streams, "stream"))
        }
        Some(fault) => clean(&format!("not intact: {fault}")),
    }
}

/// The beginnings of streams whose first days were removed.
fn removed(cuts: &[LedgerCut]) -> String {
    let begins = |cut: &LedgerCut| clean(&format!("; {} begins after event {}", cut.stream, cut.number));
    let begins: String = cuts.iter().map(begins).collect();
    if begins.is_empty() { begins } else { format!("{begins}, earlier days were removed") }
}

/// The checkpoints that the ledger matches, and those that could not be compared as a whole.
fn compared(verified: &LedgerVerification, checkpoints: u64) -> String {
    let before = verified.checkpoints_before_cuts;
    let matching = Some(checkpoints.saturating_sub(before)).filter(|count| *count > 0);
    let matching = matching.map(|count| format!("; matching {}", several(count, "checkpoint")));
    let before = Some(before).filter(|count| *count > 0).map(|count| {
        let checkpoints = several(count, "checkpoint");
        format!("; not compared with {checkpoints} where the signed events were removed")
    });
    [matching, before].into_iter().flatten().collect()
}

/// `1 body`, `2 bodies`
pub(super) fn bodies_of(number: u64) -> String {
    if number == 1 { "1 body".to_owned() } else { format!("{} bodies", count(number)) }
}

#[cfg(test)]
mod tests;
