//! The entries that wait in memory while the database is down: the ends of calls that have run, which nothing
//! can undo.

use std::sync::Arc;

use toolgate_core::PrincipalId;
use toolgate_core::event::{Durability, Event, EventKind, EventSubject, LedgerEntry, Outcome};

use super::append::has;
use super::head::BatchTail;
use super::own_calls::OwnCalls;
use crate::clock::now_ms;

/// The maximum number of waiting entries. Further ones are lost, and the log says so; a sweep then finds the
/// call open.
const KEPT_MAX: usize = 10_000;
/// The maximum total size of their bodies. Events beyond it are kept without bodies.
const KEPT_BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(super) struct UnwrittenEntries {
    entries: Vec<UnwrittenEntry>,
    body_bytes: usize,
}

pub(super) struct UnwrittenEntry {
    pub(super) late: LateEntry,
    /// The rows to look for, if the answer to its commit was lost.
    pub(super) unsure: Option<BatchTail>,
    /// The same for the last batch that was to write it late.
    pub(super) tried: Option<BatchTail>,
}

/// The entries to write when the database is back.
pub(super) enum LateEntry {
    /// An event that happened, unless it is stored already.
    Unless(LedgerEntry),
    /// The withdrawal of a call, if its start is stored: its caller was told that the store was down.
    If(LedgerEntry),
}

impl UnwrittenEntry {
    pub(super) fn entry(&self) -> &LedgerEntry {
        let (LateEntry::Unless(entry) | LateEntry::If(entry)) = &self.late;
        entry
    }
}

impl UnwrittenEntries {
    pub(super) fn all(&self) -> &[UnwrittenEntry] {
        &self.entries
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn clear(&mut self) {
        *self = UnwrittenEntries::default();
    }

    /// Drops what another gateway has recorded instead: withdrawals, and the ends of calls that it closed. The end of a call
    /// that it closed if its start is stored is written unless it is.
    pub(super) fn drop_closed(&mut self, own: &OwnCalls) {
        self.entries.retain_mut(|kept| match &kept.late {
            LateEntry::If(_) => false,
            LateEntry::Unless(entry) => {
                kept.unsure = kept.unsure.or_else(|| own.perhaps_closed(entry));
                !own.is_about_closed(entry)
            }
        });
    }

    /// Keeps the end of a call that is over if `start` is stored.
    pub(super) fn keep_unless(&mut self, end: LedgerEntry, start: BatchTail) {
        self.push(UnwrittenEntry { late: LateEntry::Unless(end), unsure: Some(start), tried: None });
    }

    /// All entries were to be written in a batch, and the answer to its commit was lost.
    pub(super) fn note_tried(&mut self, tail: BatchTail) {
        self.entries.iter_mut().for_each(|kept| kept.tried = Some(tail));
    }

    /// Keeps the essential part of an entry that was not written, or not for certain. False if it is lost.
    pub(super) fn keep(&mut self, entry: LedgerEntry, unsure: Option<BatchTail>) -> bool {
        let late = if entry.events.iter().any(|event| event.kind == EventKind::CallCompleted) {
            self.forget_withdrawal(&entry);
            LateEntry::Unless(entry)
        } else if let (Some(entry), Some(_)) = (taken_back(&entry), unsure) {
            LateEntry::If(entry)
        } else {
            return true;
        };
        self.push(UnwrittenEntry { late, unsure, tried: None })
    }

    /// Forgets the withdrawal of a call that an entry ends itself: a call has one end, whether its start is stored or not.
    fn forget_withdrawal(&mut self, end: &LedgerEntry) {
        let ends = |event: &Event| {
            event.about.call.as_ref().is_some_and(|call| has(end, EventKind::CallCompleted, call))
        };
        self.entries.retain(|kept| match &kept.late {
            LateEntry::If(withdrawal) => !withdrawal.events.iter().any(ends),
            LateEntry::Unless(_) => true,
        });
    }

    /// False if there are too many.
    fn push(&mut self, mut kept: UnwrittenEntry) -> bool {
        let (LateEntry::Unless(entry) | LateEntry::If(entry)) = &mut kept.late;
        if self.entries.len() >= KEPT_MAX {
            let call = entry.events.iter().find_map(|event| event.about.call.as_ref());
            tracing::error!(?call, "the end of a call is lost: too much waits for the database");
            return false;
        }
        let bytes: usize = entry.bodies.iter().map(|body| body.json.as_bytes().len()).sum();
        if self.body_bytes + bytes > KEPT_BODY_BYTES_MAX {
            entry.bodies.clear();
        } else {
            self.body_bytes += bytes;
        }
        self.entries.push(kept);
        true
    }
}

/// The end of a call that was refused although its start or its continuation may have been written.
fn taken_back(entry: &LedgerEntry) -> Option<LedgerEntry> {
    let started = entry.events.iter().find(|event| {
        matches!(event.kind, EventKind::CallStarted | EventKind::CallResumed)
            && event.about.call.as_ref().is_some_and(|call| !has(entry, EventKind::CallCompleted, call))
    })?;
    let end = refused(&started.about);
    Some(LedgerEntry { events: vec![end], bodies: Vec::new(), durability: Durability::OnDisk })
}

fn refused(about: &Arc<EventSubject>) -> Event {
    let mut event = Event::new(EventKind::CallCompleted, now_ms(), PrincipalId::gateway(), Arc::clone(about));
    event.outcome = Some(Outcome::Refused);
    event
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;
    use toolgate_core::event::HybridTime;
    use toolgate_core::id::CallId;

    use super::*;

    fn entry(kind: EventKind, call: &str) -> LedgerEntry {
        let about = EventSubject { call: Some(CallId::new(call)), ..EventSubject::default() };
        let event = Event::new(kind, 1, PrincipalId::new("agent"), Arc::new(about));
        LedgerEntry { events: vec![event], ..LedgerEntry::default() }
    }

    #[test]
    fn a_start_that_may_be_stored_is_taken_back_unless_its_call_ends_itself() {
        let tail = BatchTail { number: 1, time: HybridTime::START, hash: Digest::of("tail") };
        let mut kept = UnwrittenEntries::default();
        kept.keep(entry(EventKind::CallStarted, "tc_1"), Some(tail));
        kept.keep(entry(EventKind::CallStarted, "tc_2"), Some(tail));
        kept.keep(entry(EventKind::CallCompleted, "tc_1"), None);
        let ends = kept.all().iter().map(|one| {
            let call = one.entry().events[0].about.call.as_ref().expect("a call");
            (call.to_string(), matches!(one.late, LateEntry::If(_)))
        });
        assert_eq!(ends.collect::<Vec<_>>(), [("tc_2".to_owned(), true), ("tc_1".to_owned(), false)]);
    }

    #[test]
    fn an_end_beyond_the_limit_is_said_to_be_lost() {
        let mut kept = UnwrittenEntries::default();
        for at in 1..KEPT_MAX {
            let late = LateEntry::Unless(entry(EventKind::CallCompleted, &format!("tc_{at}")));
            kept.push(UnwrittenEntry { late, unsure: None, tried: None });
        }
        assert!(kept.keep(entry(EventKind::CallCompleted, "tc_last"), None));
        assert!(!kept.keep(entry(EventKind::CallCompleted, "tc_lost"), None));
        assert!(kept.keep(entry(EventKind::PolicyDecided, "tc_lost"), None), "nothing of it had to be kept");
        assert_eq!(kept.len(), KEPT_MAX);
    }
}
