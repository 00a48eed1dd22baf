//! All ledger events of a handful of calls, found by the blocks that contain them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use toolgate_core::event::{DecisionKind, Event, EventKind, RecordedEvent};
use toolgate_core::id::{ApprovalId, CallId};

use crate::error::doing;
use crate::ledger::block::{BLOCK, Places};
use crate::ledger::clean;
use crate::ledger::read::LedgerOrder;
use crate::ledger::row;
use crate::ledger::scan::Range;
use crate::ledger::terms::Term;
use crate::{Store, StoreError};

/// Calls that one statement is about.
const CALLS_AT_ONCE: usize = 64;
/// Single lines that are read at once.
const NUMBERS_AT_ONCE: usize = 256;

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

    pub(super) fn has(&self, call: &CallId) -> bool {
        self.0.contains_key(call.as_str())
    }

    pub(super) fn add(&mut self, others: Self) {
        self.0.extend(others.0);
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

    /// The stream and the number of the last event with this policy decision.
    pub(super) fn decided_last(self, decision: DecisionKind) -> Option<(&'a Arc<str>, i64)> {
        let last = self.0.iter().rev().find(|recorded| recorded.event.decision == Some(decision));
        last.map(|recorded| (&recorded.stream, recorded.number))
    }

    pub(super) fn all(self) -> impl Iterator<Item = &'a Event> {
        self.0.iter().map(|recorded| &recorded.event)
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
        let horizon = self.horizon().await?;
        // Few different texts, so that they stay prepared.
        let count = calls.len().next_power_of_two();
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(text(count)));
        statement.push(self.tenant);
        let padded = calls.iter().chain(std::iter::repeat(last)).take(count);
        padded.for_each(|call| statement.push(Term::of_call(call).as_bytes()));
        let rows: Vec<(String, i64, i64, i64, Vec<u8>)> = statement.fetch_all().await?;
        let wanted: HashSet<String> = calls.iter().map(|call| clean::replaced(call.as_str())).collect();
        let mut found = Vec::new();
        for (stream, range) in ranges(rows) {
            self.collect(&stream, range, &wanted, &mut found).await?;
        }
        for head in &horizon {
            if let Some(open) = head.open() {
                self.collect(&head.stream, open, &wanted, &mut found).await?;
            }
        }
        found.sort_by(|one, two| {
            (one.time, &one.stream, one.number).cmp(&(two.time, &two.stream, two.number))
        });
        // A part may have been completed between the two queries.
        found.dedup_by(|one, two| (&one.stream, one.number) == (&two.stream, two.number));
        Ok(found)
    }

    /// The events of these calls in a range.
    async fn collect(
        &self,
        stream: &Arc<str>,
        range: Range,
        wanted: &HashSet<String>,
        to: &mut Vec<RecordedEvent>,
    ) -> Result<(), sqlx::Error> {
        for line in self.lines(stream, &range, LedgerOrder::OldestFirst, BLOCK).await? {
            let call = row::fields(&line.2)?.call;
            if call.is_some_and(|call| wanted.contains(&*call.read())) {
                to.push(row::recorded(stream, &line)?);
            }
        }
        Ok(())
    }
}

/// The lines of some terms, by the days of each stream: single ones, and whole parts where there are many.
fn ranges(rows: Vec<(String, i64, i64, i64, Vec<u8>)>) -> Vec<(Arc<str>, Range)> {
    let mut some: BTreeMap<(String, i64), BTreeSet<i64>> = BTreeMap::new();
    let mut whole: BTreeMap<(String, i64, i64), Range> = BTreeMap::new();
    for (stream, day, first, last, places) in rows {
        if places.is_empty() {
            whole.insert((stream, day, first), Range { first, last, day, only: Vec::new() });
        } else {
            some.entry((stream, day)).or_default().extend(Places::numbers(&places, first));
        }
    }
    let mut ranges = Vec::new();
    for ((stream, day), numbers) in some {
        let stream: Arc<str> = stream.into();
        let numbers: Vec<i64> = numbers.into_iter().collect();
        for only in numbers.chunks(NUMBERS_AT_ONCE) {
            let (first, last) = (only[0], only[only.len() - 1]);
            ranges.push((Arc::clone(&stream), Range { first, last, day, only: only.to_vec() }));
        }
    }
    ranges.extend(whole.into_iter().map(|((stream, ..), range)| (stream.into(), range)));
    ranges
}

/// Parameters: the tenant, and the terms of `count` calls.
fn text(count: usize) -> String {
    let places = (2..2 + count).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
    format!(
        "SELECT part.stream, part.day, part.first, part.last, terms.places FROM ledger_terms terms \
         CROSS JOIN ledger_blocks part WHERE terms.tenant = $1 AND terms.term IN ({places}) \
         AND part.tenant = $1 AND part.stream = terms.stream AND part.block = terms.block AND part.day = terms.day"
    )
}
