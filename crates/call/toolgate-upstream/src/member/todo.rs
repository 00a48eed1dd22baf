//! The next tasks for the lists and the health of one connection.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::CHECK_PAUSE;
use crate::context::RaisedSignals;
use crate::link::{LiveLink, ServerLink};

/// A burst of changes is read once.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// The interval for checking a server whose changes are not reported by subscription.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// The delay of the second reading of a new connection's tools: a server that lists others each time is
/// detected then.
const READ_AGAIN: Duration = Duration::from_secs(2);

/// The tasks for a live connection, with their times.
#[derive(Default)]
pub(super) struct ConnectionTasks {
    /// Read the lists: the first time, after a failure, because they changed, or because a change may have been missed.
    pub(super) list: Option<Instant>,
    /// Read the tools of a new connection a second time.
    pub(super) again: Option<Instant>,
    /// Read the lists of a server that may have changed silently.
    pub(super) look: Option<Instant>,
    /// Check that the server is still there.
    pub(super) check: Option<Instant>,
    checked_at: Option<Instant>,
    read_at: Option<Instant>,
}

impl ConnectionTasks {
    /// For a connection that was just opened.
    pub(super) fn at_first() -> Self {
        let now = Instant::now();
        Self { list: Some(now), again: Some(now + READ_AGAIN), ..Self::default() }
    }

    pub(super) fn note(&mut self, raised: RaisedSignals) {
        let now = Instant::now();
        if raised.list_changed {
            self.list_by(now + DEBOUNCE);
        }
        if raised.look {
            // A server that fails at each call is not asked for its lists at each call.
            let earliest = self.read_at.map_or(now, |read| read + CHECK_PAUSE);
            self.list_by(earliest.max(now + DEBOUNCE));
        }
        if raised.suspect {
            let earliest = self.checked_at.map_or(now, |checked| checked + CHECK_PAUSE);
            let check = self.check.map_or(earliest, |check| check.min(earliest));
            self.check = Some(check);
        }
    }

    fn list_by(&mut self, due: Instant) {
        self.list = Some(self.list.map_or(due, |list| list.min(due)));
    }

    /// The lists are about to be read.
    pub(super) fn reads(&mut self) {
        self.read_at = Some(Instant::now());
    }

    pub(super) fn checked(&mut self) {
        self.checked_at = Some(Instant::now());
        self.check = self.check.map(|_| Instant::now() + LOOK_AGAIN);
    }

    /// Not every server reports changes, and some that declare it do not: all are checked now and then.
    pub(super) fn look_again(&mut self, live: &LiveLink) {
        let next = Instant::now() + LOOK_AGAIN;
        self.look = Some(next);
        if matches!(live.link, ServerLink::Sessions(_)) {
            self.check.get_or_insert(next);
        }
    }
}

pub(super) async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
