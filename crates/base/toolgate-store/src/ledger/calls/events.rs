//! All ledger events of a handful of calls, found by the blocks that contain them.

use std::collections::HashMap;

use toolgate_core::event::{DecisionKind, Event, EventKind, RecordedEvent};
use toolgate_core::id::{ApprovalId, CallId};

use crate::db::Dialect;
use crate::error::doing;
use crate::ledger::append::COLUMNS;
use crate::ledger::clean;
use crate::ledger::row::RecordedRow;
use crate::ledger::terms::{self, BLOCK};
use crate::{Store, StoreError};

/// Calls that one statement is about.
const CALLS_AT_ONCE: usize = 64;

/// Events by call, oldest first.
#[derive(Default)]
pub(super) struct EventsOf(HashMap<String, Vec<RecordedEvent>>);

/// The events of one call, oldest first.
#[derive(Clone, Copy)]
pub(super) struct CallEvents<'a>(&'a [RecordedEvent]);

impl EventsOf {
    pub(super) fn of(&self, call: &CallId) -> CallEvents<'_> {
        CallEvents(self.0.get(call.as_str()).map_or(&[], Vec::as_slice))
    }
}

impl<'a> CallEvents<'a> {
    pub(super) fn first(self) -> Option<&'a Event> {
        self.0.first().map(|recorded| &recorded.event)
    }

    pub(super) fn end(self) -> Option<&'a RecordedEvent> {
        self.0.iter().find(|recorded| recorded.event.kind == EventKind::CallCompleted)
    }

    /// The first event by the caller, and not by the gateway or a voter.
    pub(super) fn of_caller(self) -> Option<&'a Event> {
        let caller = [EventKind::PolicyDecided, EventKind::CallStarted, EventKind::ApprovalRequested];
        self.0.iter().map(|recorded| &recorded.event).find(|event| caller.contains(&event.kind))
    }

    /// The last policy decision.
    pub(super) fn decision(self) -> Option<DecisionKind> {
        self.0.iter().rev().find_map(|recorded| recorded.event.decision)
    }

    /// The number of the last event with this policy decision.
    pub(super) fn decided_last(self, decision: DecisionKind) -> Option<i64> {
        let is_it = |recorded: &&RecordedEvent| {
            recorded.event.kind == EventKind::PolicyDecided && recorded.event.decision == Some(decision)
        };
        self.0.iter().rev().find(is_it).map(|recorded| recorded.seq)
    }

    pub(super) fn approval(self) -> Option<&'a ApprovalId> {
        self.0.iter().find_map(|recorded| recorded.event.approval.as_ref())
    }
}

impl Store {
    pub(super) async fn events_of(&self, calls: &[CallId]) -> Result<EventsOf, StoreError> {
        let mut found = EventsOf::default();
        for some in calls.chunks(CALLS_AT_ONCE) {
            for recorded in self.events_of_some(some).await.map_err(doing("read calls in the ledger"))? {
                let Some(call) = &recorded.event.about.call else { continue };
                found.0.entry(call.as_str().to_owned()).or_default().push(recorded);
            }
        }
        Ok(found)
    }

    async fn events_of_some(&self, calls: &[CallId]) -> Result<Vec<RecordedEvent>, sqlx::Error> {
        let Some(last) = calls.last() else { return Ok(Vec::new()) };
        // Few different texts, so that they stay prepared.
        let count = calls.len().next_power_of_two();
        let padded = || calls.iter().chain(std::iter::repeat(last)).take(count);
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(text(self.db.dialect(), count)));
        padded().for_each(|call| statement.push(terms::of_call(call)));
        padded().for_each(|call| statement.push(clean::replaced(call.as_str())));
        Ok(statement.fetch_all::<RecordedRow>().await?.into_iter().map(|row| row.0).collect())
    }
}

/// Parameters: the terms of `count` calls, then their ids. Each block is scanned once, no matter how many of
/// the calls have events in it.
fn text(dialect: Dialect, count: usize) -> String {
    let places =
        |first: usize| (first..first + count).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
    let blocks = format!("SELECT DISTINCT block FROM ledger_terms WHERE term IN ({})", places(1));
    // As in `filter.rs`: the blocks must come first.
    let (events, end) = dialect.pick(
        ("CROSS JOIN ledger_events WHERE", ""),
        ("CROSS JOIN LATERAL (SELECT * FROM ledger_events WHERE", " OFFSET 0) events"),
    );
    format!(
        "SELECT {COLUMNS} FROM ({blocks}) blocks {events} seq >= block * {BLOCK} AND seq < block * {BLOCK} + {BLOCK} \
         AND call IN ({}){end} ORDER BY seq",
        places(count + 1)
    )
}
