//! The calls that a writer has opened. If another gateway takes over the stream, it closes them as unknown, and
//! their ends are not written a second time.
//!
//! Where the answer to a commit was lost, a start may be stored although its caller was told that it is not. Such a call
//! is perhaps open: it is withdrawn when the database is back, or another gateway closes it, and the refusal that its
//! caller heard is its end only where neither happened.

use std::collections::{HashMap, HashSet, VecDeque};

use toolgate_core::event::{EventKind, LedgerEntry};
use toolgate_core::id::CallId;

use super::append::has;
use super::head::BatchTail;

/// The calls of each kind that are remembered after they are over. Their ends may never come, however often a database goes away.
const REMEMBERED_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct OwnCalls {
    open: HashSet<CallId>,
    /// Calls whose start may be stored, with the end of the batch that it is in.
    perhaps_open: HashMap<CallId, BatchTail>,
    /// Closed by another gateway.
    closed_elsewhere: RememberedCalls<()>,
    /// Closed by another gateway if their start is stored.
    perhaps_closed: RememberedCalls<BatchTail>,
    /// Ended here as refused, while their callers' own end of them may still come.
    withdrawn: RememberedCalls<()>,
}

/// Calls that are over, and what is known of each. Where there are too many, the oldest are forgotten.
struct RememberedCalls<T> {
    known: HashMap<CallId, T>,
    /// Each of them once, the oldest first.
    order: VecDeque<CallId>,
}

impl<T> Default for RememberedCalls<T> {
    fn default() -> Self {
        Self { known: HashMap::new(), order: VecDeque::new() }
    }
}

impl<T> RememberedCalls<T> {
    fn extend(&mut self, calls: impl IntoIterator<Item = (CallId, T)>) {
        for (call, what) in calls {
            if self.known.insert(call.clone(), what).is_none() {
                self.order.push_back(call);
            }
            if self.order.len() > REMEMBERED_MAX
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
    }

    fn get(&self, call: &CallId) -> Option<&T> {
        self.known.get(call)
    }

    /// True if it was there.
    fn remove(&mut self, call: &CallId) -> bool {
        let was_there = self.known.remove(call).is_some();
        if was_there {
            self.order.retain(|one| one != call);
        }
        was_there
    }
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

    /// The ends of these calls are lost and do not come again, so there is nothing to turn away.
    pub(super) fn forget_open(&mut self, calls: &[CallId]) {
        for call in calls {
            self.open.remove(call);
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
        self.withdrawn.extend(withdrawn.into_iter().map(|call| (call, ())));
    }

    /// The stream was lost, and is held again: everything that was open has been closed meanwhile.
    pub(super) fn lose(&mut self) {
        self.closed_elsewhere.extend(self.open.drain().map(|call| (call, ())));
        self.perhaps_closed.extend(self.perhaps_open.drain());
    }

    /// True if an entry continues or ends a call that another gateway has closed.
    pub(super) fn is_about_closed(&self, entry: &LedgerEntry) -> bool {
        entry.events.iter().any(|event| {
            let goes_on = matches!(
                event.kind,
                EventKind::CallStarted | EventKind::CallPaused | EventKind::CallCompleted
            );
            goes_on && event.about.call.as_ref().is_some_and(|call| self.closed_elsewhere.get(call).is_some())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolgate_core::PrincipalId;
    use toolgate_core::event::{Event, EventSubject};

    use super::*;

    fn entry(kind: EventKind, call: &str) -> LedgerEntry {
        let about = EventSubject { call: Some(CallId::new(call)), ..EventSubject::default() };
        let event = Event::new(kind, 1, PrincipalId::new("agent"), Arc::new(about));
        LedgerEntry { events: vec![event], ..LedgerEntry::default() }
    }

    fn end(call: &str) -> LedgerEntry {
        entry(EventKind::CallCompleted, call)
    }

    #[test]
    fn a_call_whose_end_is_lost_is_not_remembered_as_open() {
        let mut own = OwnCalls::default();
        for call in ["tc_1", "tc_2"] {
            own.note(&entry(EventKind::CallStarted, call));
        }
        own.forget_open(&[CallId::new("tc_1")]);
        assert_eq!(own.open.iter().map(CallId::as_str).collect::<Vec<_>>(), ["tc_2"]);
        own.lose();
        assert!(own.is_about_closed(&end("tc_2")) && !own.is_about_closed(&end("tc_1")));
    }

    #[test]
    fn calls_whose_ends_never_come_are_forgotten_in_the_end() {
        let mut own = OwnCalls::default();
        for outage in 0..30 {
            own.settle((0..512).map(|at| CallId::new(format!("tc_{outage}_{at}"))).collect());
        }
        assert_eq!((own.withdrawn.known.len(), own.withdrawn.order.len()), (REMEMBERED_MAX, REMEMBERED_MAX));
        assert!(!own.forget_withdrawn(&end("tc_0_0")), "the oldest went");
        assert!(own.forget_withdrawn(&end("tc_29_511")));
        assert!(!own.forget_withdrawn(&end("tc_29_511")), "there is one such entry");
        assert_eq!(own.withdrawn.order.len(), REMEMBERED_MAX - 1);
    }
}
