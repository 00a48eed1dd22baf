//! A bounded log of messages to one client. Readers come and go; each continues where it, or the one before it,
//! stopped. Without a reader, the oldest messages give way.

use std::collections::VecDeque;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

pub(crate) struct EventLog {
    state: Mutex<EventLogState>,
    changed: Notify,
    entries_max: usize,
}

/// The most bytes that wait in one log; a single message may be larger.
const BYTES_MAX: usize = 1 << 20;

#[derive(Default)]
struct EventLogState {
    entries: VecDeque<Bytes>,
    bytes: usize,
    /// The number of `entries[0]`; numbers start at 1.
    first: u64,
    /// The next number that no reader has taken yet.
    unread: u64,
    readers: usize,
    /// True once a reader has come.
    opened: bool,
    closed: bool,
}

/// A reader's place in a log. While it lives, the log counts as read.
pub(crate) struct LogCursor<'a> {
    log: &'a EventLog,
    next: u64,
}

impl EventLog {
    pub(crate) fn new(entries_max: usize) -> Self {
        let state = EventLogState { first: 1, unread: 1, ..EventLogState::default() };
        Self { state: Mutex::new(state), changed: Notify::new(), entries_max }
    }

    pub(crate) fn push(&self, message: Bytes) {
        let mut state = self.lock();
        while !state.entries.is_empty()
            && (state.entries.len() >= self.entries_max || state.bytes + message.len() > BYTES_MAX)
        {
            state.bytes -= state.entries.pop_front().map_or(0, |oldest| oldest.len());
            state.first += 1;
        }
        state.bytes += message.len();
        state.entries.push_back(message);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Nothing follows any more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_waiters();
    }

    pub(crate) fn is_read(&self) -> bool {
        self.lock().readers > 0
    }

    /// True if a reader is there or expected: the first one is on its way from the start.
    pub(crate) fn is_attended(&self) -> bool {
        let state = self.lock();
        state.readers > 0 || !state.opened
    }

    /// Reads on after the message `last_seen`, or after what earlier readers took.
    pub(crate) fn read(&self, last_seen: Option<u64>) -> LogCursor<'_> {
        let mut state = self.lock();
        state.readers += 1;
        state.opened = true;
        LogCursor { log: self, next: last_seen.map_or(state.unread, |seen| seen.saturating_add(1)) }
    }

    fn lock(&self) -> MutexGuard<'_, EventLogState> {
        self.state.lock()
    }
}

impl LogCursor<'_> {
    /// The next message and its number; `None` when the log is closed and read to its end.
    pub(crate) async fn next(&mut self) -> Option<(u64, Bytes)> {
        loop {
            let changed = self.log.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = self.take() {
                return found;
            }
            changed.await;
        }
    }

    fn take(&mut self) -> Option<Option<(u64, Bytes)>> {
        let mut state = self.log.lock();
        let number = self.next.max(state.first);
        let at = usize::try_from(number - state.first).unwrap_or(usize::MAX);
        match state.entries.get(at).cloned() {
            Some(message) => {
                self.next = number + 1;
                state.unread = state.unread.max(self.next);
                Some(Some((number, message)))
            }
            None if state.closed => Some(None),
            None => None,
        }
    }
}

impl Drop for LogCursor<'_> {
    fn drop(&mut self) {
        self.log.lock().readers -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_reader_goes_on_where_the_first_stopped() {
        let log = EventLog::new(10);
        for n in 1..=3u8 {
            log.push(vec![n].into());
        }
        assert_eq!(log.read(None).next().await.expect("open").0, 1);
        assert_eq!(log.read(None).next().await.expect("open").0, 2);
        assert_eq!(log.read(Some(0)).next().await.expect("open").0, 1);
        assert_eq!(log.read(Some(2)).next().await.expect("open").0, 3);
        log.close();
        assert!(log.read(Some(3)).next().await.is_none());
    }

    #[tokio::test]
    async fn the_oldest_gives_way_when_nobody_reads() {
        let log = EventLog::new(2);
        for n in 1..=5u8 {
            log.push(vec![n].into());
        }
        assert_eq!(log.read(None).next().await.expect("open").0, 4);
    }
}
