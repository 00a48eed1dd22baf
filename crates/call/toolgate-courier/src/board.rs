//! The state of deliveries to each receiver, as seen by this process. It starts empty.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_store::clock::now_ms;

/// Clones share everything.
#[derive(Clone, Debug, Default)]
pub struct ReceiverBoard(Arc<Mutex<BTreeMap<String, ReceiverStatus>>>);

/// The state of one receiver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReceiverStatus {
    /// The number of accepted events.
    pub delivered: u64,
    pub delivered_at_ms: Option<i64>,
    /// The number of failed attempts since the last success.
    pub failures: u64,
    /// Events that it would never have, and that were passed over.
    pub passed_over: u64,
    /// The reason of the last failed attempt. It stays when deliveries resume.
    pub last_error: Option<String>,
    pub failed_at_ms: Option<i64>,
}

impl ReceiverBoard {
    /// By the name of its place in the ledger.
    pub fn standing(&self, sink: &str) -> ReceiverStatus {
        self.0.lock().get(sink).cloned().unwrap_or_default()
    }

    pub(crate) fn took(&self, sink: &str, events: usize) {
        self.note(sink, |standing| {
            standing.delivered += u64::try_from(events).unwrap_or(u64::MAX);
            standing.delivered_at_ms = Some(now_ms());
            standing.failures = 0;
        });
    }

    pub(crate) fn failed(&self, sink: &str, why: &str) {
        self.note(sink, |standing| {
            standing.failures += 1;
            standing.last_error = Some(why.to_owned());
            standing.failed_at_ms = Some(now_ms());
        });
    }

    pub(crate) fn passed_over(&self, sink: &str, events: usize) {
        self.note(sink, |standing| {
            standing.passed_over += u64::try_from(events).unwrap_or(u64::MAX);
            standing.failures = 0;
        });
    }

    fn note(&self, sink: &str, change: impl FnOnce(&mut ReceiverStatus)) {
        let mut standings = self.0.lock();
        change(standings.entry(sink.to_owned()).or_default());
    }
}
