//! The time by which leases run out and events are dated.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970. Tests have a clock of their own.
#[derive(Clone)]
pub struct JobClock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl JobClock {
    pub fn new(now_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now_ms))
    }

    /// The machine's.
    pub fn wall() -> Self {
        Self::new(wall_ms)
    }

    pub(crate) fn now_ms(&self) -> i64 {
        (self.0)()
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
fn wall_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

/// A moment as people write it, such as `2026-11-17T23:50:00Z`.
pub(crate) fn written(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map(|moment| moment.to_string()).unwrap_or_default()
}
