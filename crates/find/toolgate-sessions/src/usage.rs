//! The last use of a session, noted on use and written from time to time.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// Finer than any output. A request that follows another more quickly changes nothing, so that requests of
/// one session on several cores do not contend for a cache line.
const RESOLUTION_MS: i64 = 500;

/// Everything is `Relaxed`: no other read depends on it.
pub(crate) struct SessionUsage {
    used_ms: AtomicI64,
    written_ms: AtomicI64,
    /// True if the row of a default session was requested.
    is_kept: AtomicBool,
}

impl SessionUsage {
    /// Used now, and that is to be written.
    pub(crate) fn new(now_ms: i64) -> Self {
        Self {
            used_ms: AtomicI64::new(now_ms),
            written_ms: AtomicI64::new(0),
            is_kept: AtomicBool::new(false),
        }
    }

    /// As stored.
    pub(crate) fn written(at_ms: i64) -> Self {
        Self {
            used_ms: AtomicI64::new(at_ms),
            written_ms: AtomicI64::new(at_ms),
            is_kept: AtomicBool::new(true),
        }
    }

    pub(crate) fn note(&self, now_ms: i64) {
        if now_ms.saturating_sub(self.used_ms.load(Ordering::Relaxed)) >= RESOLUTION_MS {
            self.used_ms.store(now_ms, Ordering::Relaxed);
        }
    }

    pub(crate) fn last_ms(&self) -> i64 {
        self.used_ms.load(Ordering::Relaxed)
    }

    /// The last use, if it was not written yet.
    pub(crate) fn unwritten(&self) -> Option<i64> {
        let used_ms = self.last_ms();
        (used_ms > self.written_ms.load(Ordering::Relaxed)).then_some(used_ms)
    }

    pub(crate) fn set_written(&self, at_ms: i64) {
        self.written_ms.fetch_max(at_ms, Ordering::Relaxed);
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    pub(crate) fn set_kept(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}
