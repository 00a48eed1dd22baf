//! Terms: the values by which events can be found, and the blocks of numbers with events that have them.
//!
//! A term is written once for each block, no matter how many events of the block have it. A search reads the
//! blocks of all its terms and scans their events.

use std::collections::HashSet;

use toolgate_core::event::{DecisionKind, Event, EventFilter, EventKind, Outcome};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, ServerName};

use super::clean;

/// The size of a block. A larger one means fewer rows to write, and more events to scan for rare terms.
pub(super) const BLOCK: i64 = 256;

/// Frequent values are found by scanning; no rows are spent on them.
const COMMON_KINDS: [EventKind; 3] =
    [EventKind::PolicyDecided, EventKind::CallStarted, EventKind::CallCompleted];
const COMMON_OUTCOME: Outcome = Outcome::Succeeded;
const COMMON_DECISION: DecisionKind = DecisionKind::Permit;

/// The letters that distinguish a tool from a server of the same name. The one that is likely to match the
/// fewest events comes first.
const LETTERS: [char; 9] = ['c', 'r', 's', 'k', 'o', 'd', 't', 'p', 'v'];

/// In the order of `LETTERS`.
type TermValues<'a> = [Option<&'a str>; LETTERS.len()];

fn of_event(event: &Event) -> TermValues<'_> {
    let about = &event.about;
    [
        about.call.as_ref().map(CallId::as_str),
        about.run.as_ref().map(RunId::as_str),
        about.session.as_ref().map(SessionId::as_str),
        rare_kind(Some(event.kind)),
        rare_outcome(event.outcome),
        rare_decision(event.decision),
        about.tool.as_ref().map(CanonicalName::as_str),
        Some(event.principal.as_str()),
        about.server.as_ref().map(ServerName::as_str),
    ]
}

fn of_filter(filter: &EventFilter) -> TermValues<'_> {
    [
        filter.call.as_ref().map(CallId::as_str),
        filter.run.as_ref().map(RunId::as_str),
        filter.session.as_ref().map(SessionId::as_str),
        rare_kind(filter.kind),
        rare_outcome(filter.outcome),
        rare_decision(filter.decision),
        filter.tool.as_ref().map(CanonicalName::as_str),
        filter.principal.as_ref().map(PrincipalId::as_str),
        filter.server.as_ref().map(ServerName::as_str),
    ]
}

fn rare_kind(kind: Option<EventKind>) -> Option<&'static str> {
    kind.filter(|kind| !COMMON_KINDS.contains(kind)).map(EventKind::as_str)
}

fn rare_outcome(outcome: Option<Outcome>) -> Option<&'static str> {
    outcome.filter(|outcome| *outcome != COMMON_OUTCOME).map(Outcome::as_str)
}

fn rare_decision(decision: Option<DecisionKind>) -> Option<&'static str> {
    decision.filter(|decision| *decision != COMMON_DECISION).map(DecisionKind::as_str)
}

/// Longer values are replaced by their digest: an index has a size limit.
const TERM_BYTES_MAX: usize = 200;

fn term(letter: char, value: &str) -> String {
    if value.len() > TERM_BYTES_MAX {
        return format!("{letter}#{}", Digest::of(value));
    }
    format!("{letter}:{value}")
}

/// The terms that every event must have to pass a filter.
pub(super) fn wanted(filter: &EventFilter) -> Vec<String> {
    let values = LETTERS.into_iter().zip(of_filter(filter));
    // Postgres refuses characters that the ledger cannot store.
    values.filter_map(|(letter, value)| Some(clean::replaced(&term(letter, value?)))).collect()
}

/// The term of the events of a call.
pub(super) fn of_call(call: &CallId) -> String {
    clean::replaced(&term(LETTERS[0], call.as_str()))
}

pub(super) fn block(seq: i64) -> i64 {
    seq.div_euclid(BLOCK)
}

/// The terms of the newest block that have been written. Forgotten whenever it is not certain that they were.
#[derive(Default)]
pub(super) struct KnownTerms {
    block: i64,
    values: [HashSet<Box<str>>; LETTERS.len()],
}

impl KnownTerms {
    /// Adds the terms of an event that are not known to be stored. Numbers must grow.
    pub(super) fn add(&mut self, event: &Event, seq: i64, to: &mut Vec<(String, i64)>) {
        let block = block(seq);
        if block != self.block {
            *self = KnownTerms { block, ..KnownTerms::default() };
        }
        for ((letter, value), known) in LETTERS.into_iter().zip(of_event(event)).zip(&mut self.values) {
            let Some(value) = value else { continue };
            if !known.contains(value) {
                known.insert(value.into());
                to.push((term(letter, value), block));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolgate_core::event::EventSubject;

    use super::*;

    fn event(kind: EventKind, call: &str) -> Event {
        let about = EventSubject {
            call: Some(CallId::new(call)),
            tool: Some(CanonicalName::recorded("files:read")),
            server: Some(ServerName::new("files").expect("a legal name")),
            ..EventSubject::default()
        };
        Event::new(kind, 0, PrincipalId::new("files"), Arc::new(about))
    }

    fn added(known: &mut KnownTerms, event: &Event, seq: i64) -> Vec<String> {
        let mut terms = Vec::new();
        known.add(event, seq, &mut terms);
        terms.into_iter().map(|(term, block)| format!("{term} {block}")).collect()
    }

    #[test]
    fn a_term_is_written_once_for_each_block() {
        let mut known = KnownTerms::default();
        let first = event(EventKind::CallStarted, "tc_1");
        let all = ["c:tc_1 0", "t:files:read 0", "p:files 0", "v:files 0"];
        assert_eq!(added(&mut known, &first, 1), all);
        assert_eq!(added(&mut known, &first, 2), Vec::<String>::new());
        assert_eq!(
            added(&mut known, &event(EventKind::CallPaused, "tc_2"), 255),
            ["c:tc_2 0", "k:tool.call.paused 0"]
        );
        assert_eq!(added(&mut known, &first, 256).len(), 4);
    }

    #[test]
    fn what_most_events_have_is_no_term() {
        let mut known = KnownTerms::default();
        let common = Event {
            outcome: Some(Outcome::Succeeded),
            decision: Some(DecisionKind::Permit),
            ..Event::new(EventKind::CallCompleted, 0, PrincipalId::new("p"), Arc::default())
        };
        assert_eq!(added(&mut known, &common, 1), ["p:p 0"]);
        let rare = Event { outcome: Some(Outcome::Denied), decision: Some(DecisionKind::Deny), ..common };
        assert_eq!(added(&mut known, &rare, 2), ["o:denied 0", "d:deny 0"]);
    }

    #[test]
    fn a_filter_wants_the_terms_that_its_events_have() {
        let event = event(EventKind::ApprovalVoted, "tc_\0");
        let filter = EventFilter {
            call: event.about.call.clone(),
            kind: Some(event.kind),
            outcome: Some(Outcome::Succeeded),
            principal: Some(event.principal),
            ..EventFilter::default()
        };
        assert_eq!(wanted(&filter), ["c:tc_\u{FFFD}", "k:approval.voted", "p:files"]);
        assert_eq!(wanted(&EventFilter::default()), Vec::<String>::new());
    }
}
