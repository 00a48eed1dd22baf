//! The beat in which those of a process who follow changes look, and the reading that they share.

use std::time::Duration;

use tokio::time::Instant;

/// How often they look. They look at the same time, so that one query serves all of them.
const EVERY: Duration = Duration::from_millis(250);

/// The number of changes of each topic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Revisions {
    pub settings: u64,
    pub registrations: u64,
    pub tools: u64,
    pub vault: u64,
    pub sessions: u64,
}

pub(crate) struct RevisionBeat {
    began: Instant,
    /// The last reading, with the number of its beat.
    pub(crate) last: tokio::sync::Mutex<Option<(u128, Revisions)>>,
}

impl Default for RevisionBeat {
    fn default() -> Self {
        Self { began: Instant::now(), last: tokio::sync::Mutex::default() }
    }
}

impl RevisionBeat {
    /// The number of the beat that it is.
    pub(crate) fn number(&self) -> u128 {
        self.began.elapsed().as_nanos() / EVERY.as_nanos()
    }

    pub(crate) fn until_next(&self) -> Duration {
        let into = self.began.elapsed().as_nanos() % EVERY.as_nanos();
        EVERY.saturating_sub(Duration::from_nanos(u64::try_from(into).unwrap_or_default()))
    }
}
