//! What the lists and the health of one connection want next.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use toolgate_core::server::Era;

use super::CHECK_PAUSE;
use crate::context::Raised;
use crate::link::{Link, Live};

/// Changes that come in a burst are read once.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// How often a server is looked at that cannot tell us of changes.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// When the tools of a new connection are read a second time: a server that lists others each time shows it then.
const READ_AGAIN: Duration = Duration::from_secs(2);

/// What is to be done for a live connection, and when.
#[derive(Default)]
pub(super) struct Todo {
    /// Read the lists: the first time, after a failure, because they changed, or because a change may have been missed.
    pub(super) list: Option<Instant>,
    /// Read the tools of a new connection a second time.
    pub(super) again: Option<Instant>,
    /// Read the lists of a server that cannot tell of changes.
    pub(super) look: Option<Instant>,
    /// See whether the server is still there.
    pub(super) check: Option<Instant>,
    checked_at: Option<Instant>,
}

impl Todo {
    /// For a connection that was just opened.
    pub(super) fn at_first() -> Self {
        let now = Instant::now();
        Self { list: Some(now), again: Some(now + READ_AGAIN), ..Self::default() }
    }

    pub(super) fn note(&mut self, raised: Raised) {
        let now = Instant::now();
        if raised.list_changed || raised.look {
            let soon = now + DEBOUNCE;
            self.list = Some(self.list.map_or(soon, |list| list.min(soon)));
        }
        if raised.suspect {
            let earliest = self.checked_at.map_or(now, |checked| checked + CHECK_PAUSE);
            let check = self.check.map_or(earliest, |check| check.min(earliest));
            self.check = Some(check);
        }
    }

    pub(super) fn checked(&mut self) {
        self.checked_at = Some(Instant::now());
        self.check = self.check.map(|_| Instant::now() + LOOK_AGAIN);
    }

    /// Children tell by ending, and older servers by notifications; the rest is looked at now and then.
    pub(super) fn look_again(&mut self, live: &Live) {
        let next = Instant::now() + LOOK_AGAIN;
        self.look = (live.era() == Era::Modern).then_some(next);
        if matches!(live.link, Link::Sessions(_)) {
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
