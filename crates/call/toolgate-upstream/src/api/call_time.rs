//! The time that a call has, for waits until an API may be asked again.

use std::time::Duration;

use tokio::time::Instant;

/// The part of the time that stays for the request after a wait.
const REST: u32 = 4;

pub(super) struct CallTime {
    began: Instant,
    patience: Duration,
}

impl CallTime {
    pub(super) fn begin(patience: Duration) -> Self {
        Self { began: Instant::now(), patience }
    }

    /// True if the wait and the request after it end in time. A longer wait would end as a call that was too slow, which
    /// tells nobody how long the API wants to be left alone.
    pub(super) fn has_room_for(&self, wait: Duration) -> bool {
        self.began.elapsed() + wait + self.patience / REST < self.patience
    }
}
