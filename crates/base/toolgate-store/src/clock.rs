//! The wall clock, by which rows and events are dated. Whatever decides by time has a `Clock` instead, so that
//! a test can set it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time since 1970; nothing on a machine whose clock is set to before that.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
pub fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    i64::try_from(since_1970().as_millis()).unwrap_or(i64::MAX)
}
