//! An event of the ledger, by its kind and what it is about.

use toolgate_core::automation::Trigger;
use toolgate_core::event::Event;

/// A field that the trigger leaves out matches everything.
pub(super) fn matches(trigger: &Trigger, event: &Event) -> bool {
    let Trigger::Event { kind, tool, server, outcome, principal } = trigger else { return false };
    let about = &event.about;
    *kind == event.kind
        && (tool.is_none() || *tool == about.tool)
        && (server.is_none() || *server == about.server)
        && (outcome.is_none() || *outcome == event.outcome)
        && principal.as_ref().is_none_or(|principal| *principal == event.principal)
}
