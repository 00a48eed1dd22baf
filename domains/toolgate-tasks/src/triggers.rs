//! Triggers that wait for something to happen: an event of the ledger, a pointer that moved, the end of a run, a signed request. Pure.

mod event;
mod pointer;
mod run_ended;
pub(crate) mod webhook;

use std::collections::BTreeSet;

use toolgate_core::Digest;
use toolgate_core::automation::Trigger;
use toolgate_core::event::{EventKind, RecordedEvent};

pub(crate) use run_ended::final_state;

/// Automations that may lead to one another: the run of one is the cause of the next.
pub(crate) const CHAIN_DEPTH_MAX: u64 = 5;
/// A longer cause is named by its digest.
const CAUSE_CHARS_MAX: usize = 120;

/// The cause that an event is for a trigger, if it is one.
pub(crate) fn cause(trigger: &Trigger, recorded: &RecordedEvent) -> Option<String> {
    match trigger {
        Trigger::Event { .. } => {
            event::matches(trigger, &recorded.event).then(|| named("event", &place(recorded)))
        }
        Trigger::Pointer { pattern } => {
            pointer::matches(pattern, &recorded.event).then(|| named("pointer", &place(recorded)))
        }
        Trigger::RunEnded { task, states } => {
            run_ended::matches(task.as_ref(), states, &recorded.event).map(|run| named("run", run.as_str()))
        }
        Trigger::Cron { .. }
        | Trigger::Interval { .. }
        | Trigger::Once { .. }
        | Trigger::Webhook { .. }
        | Trigger::Unreadable { .. } => None,
    }
}

/// The kinds of events that may be a cause for one of these triggers. The end of runs and changes of automations are always followed.
pub(crate) fn kinds<'a>(triggers: impl Iterator<Item = &'a Trigger>) -> Vec<EventKind> {
    let mut names =
        BTreeSet::from([EventKind::AutomationChanged, EventKind::RunEnded].map(EventKind::as_str));
    for trigger in triggers {
        match trigger {
            Trigger::Event { kind, .. } => {
                names.insert(kind.as_str());
            }
            Trigger::Pointer { .. } => names.extend(pointer::KINDS.map(EventKind::as_str)),
            _ => {}
        }
    }
    names.into_iter().filter_map(EventKind::parse).collect()
}

/// The name of a cause: `webhook:msg_1`.
pub(crate) fn named(kind: &str, id: &str) -> String {
    match id.chars().count() <= CAUSE_CHARS_MAX && !id.contains(char::is_control) {
        true => format!("{kind}:{id}"),
        false => format!("{kind}:{}", Digest::of(id)),
    }
}

/// The place of an event in the ledger.
fn place(recorded: &RecordedEvent) -> String {
    format!("{}/{}", recorded.stream, recorded.number)
}

#[cfg(test)]
mod tests;
