//! The calls that a writer has opened. If another gateway takes over the stream, it closes them as unknown, and
//! their ends are not written a second time.
//!
//! Where the answer to a commit was lost, a start may be stored although its caller was told that it is not. Such a call
//! is perhaps open: it is withdrawn when the database is back, or another gateway closes it, and the refusal that its
//! caller heard is its end only where neither happened.

use std::collections::{HashMap, HashSet};

use toolgate_core::event::{EventKind, LedgerEntry};
use toolgate_core::id::CallId;

use super::append::has;
use super::head::BatchTail;

#[derive(Default)]
pub(super) struct OwnCalls {
    open: HashSet<CallId>,
    /// Calls whose start may be stored, with the end of the batch that it is in.
    perhaps_open: HashMap<CallId, BatchTail>,
    /// Closed by another gateway: at most as many as were under way when the stream was lost.
    closed_elsewhere: HashSet<CallId>,
    /// Closed by another gateway if their start is stored.
    perhaps_closed: HashMap<CallId, BatchTail>,
    /// Ended here as refused, while their callers' own end of them may still come.
    withdrawn: HashSet<CallId>,
}

impl OwnCalls {
    /// Notes an entry that was written.
    pub(super) fn note(&mut self, entry: &LedgerEntry) {
        for event in &entry.events {
            let Some(call) = &event.about.call else { continue };
            match event.kind {
                EventKind::CallStarted => {
                    self.open.insert(call.clone());
                }
                // A call that waited for its client was not closed.
                EventKind::CallResumed => {
                    self.closed_elsewhere.remove(call);
                    self.open.insert(call.clone());
                }
                EventKind::CallPaused | EventKind::CallCompleted => {
                    self.open.remove(call);
                }
                _ => {}
            }
        }
    }

    /// Notes an entry that was refused, and that is stored if the end of its batch is.
    pub(super) fn note_unsure(&mut self, entry: &LedgerEntry, tail: BatchTail) {
        for event in &entry.events {
            let Some(call) = &event.about.call else { continue };
            let opens = matches!(event.kind, EventKind::CallStarted | EventKind::CallResumed);
            if opens && !has(entry, EventKind::CallCompleted, call) {
                self.perhaps_open.insert(call.clone(), tail);
            }
        }
    }

    /// A batch was written in the tenure in which calls became perhaps open: the starts that were stored are withdrawn.
    pub(super) fn settle(&mut self, withdrawn: Vec<CallId>) {
        self.perhaps_open.clear();
        self.withdrawn.extend(withdrawn);
    }

    /// The stream was lost, and is held again: everything that was open has been closed meanwhile.
    pub(super) fn lose(&mut self) {
        self.closed_elsewhere.extend(self.open.drain());
        self.perhaps_closed.extend(self.perhaps_open.drain());
    }

    /// True if an entry continues or ends a call that another gateway has closed.
    pub(super) fn is_about_closed(&self, entry: &LedgerEntry) -> bool {
        entry.events.iter().any(|event| {
            let goes_on = matches!(
                event.kind,
                EventKind::CallStarted | EventKind::CallPaused | EventKind::CallCompleted
            );
            goes_on && event.about.call.as_ref().is_some_and(|call| self.closed_elsewhere.contains(call))
        })
    }

    /// The end of the batch in which the start of a call may be that an entry ends: if it is stored, another gateway has
    /// closed the call.
    pub(super) fn perhaps_closed(&self, entry: &LedgerEntry) -> Option<BatchTail> {
        ended(entry).find_map(|call| self.perhaps_closed.get(call).copied())
    }

    /// True if an entry ends a call that was withdrawn. There is one such entry.
    pub(super) fn forget_withdrawn(&mut self, entry: &LedgerEntry) -> bool {
        ended(entry).any(|call| self.withdrawn.remove(call))
    }
}

/// The calls that an entry ends.
pub(super) fn ended(entry: &LedgerEntry) -> impl Iterator<Item = &CallId> {
    let ends = entry.events.iter().filter(|event| event.kind == EventKind::CallCompleted);
    ends.filter_map(|event| event.about.call.as_ref())
}
