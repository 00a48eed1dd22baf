//! The calls that a writer has opened. If another gateway takes over the stream, it closes them as unknown, and
//! their ends are not written a second time.

use std::collections::HashSet;

use toolgate_core::event::{EventKind, LedgerEntry};
use toolgate_core::id::CallId;

#[derive(Default)]
pub(super) struct OwnCalls {
    open: HashSet<CallId>,
    /// Closed by another gateway: at most as many as were under way when the stream was lost.
    closed_elsewhere: HashSet<CallId>,
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

    /// The stream was lost, and is held again: everything that was open has been closed meanwhile.
    pub(super) fn lose(&mut self) {
        self.closed_elsewhere.extend(self.open.drain());
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
}
