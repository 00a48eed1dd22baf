//! The pause of something that keeps failing, and its way back.
//!
//! The same machine serves an instance and a tool. While all is well a check costs one atomic load: the lock
//! is for the time after a failure.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Failures in a row after which it rests.
const FAILURES_MAX: u32 = 5;
const REST: Duration = Duration::from_secs(5);
const REST_MAX: Duration = Duration::from_secs(60);
/// The wait that callers are told while a probe is in progress: its duration is unknown.
const PROBE_PAUSE: Duration = Duration::from_secs(1);
const REASON_CHARS_MAX: usize = 300;

#[derive(Default)]
pub(crate) struct Breaker {
    /// Failures since the last success. Means nothing while it is open.
    failures: AtomicU32,
    /// True if `rest` is set: the only thing that the usual path checks.
    open: AtomicBool,
    rest: Mutex<Option<Box<BreakerPause>>>,
}

struct BreakerPause {
    reason: String,
    length: Duration,
    until: Instant,
    /// True if an attempt is in progress.
    probing: bool,
}

/// It is paused. Nothing was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BreakerPaused {
    pub(crate) reason: String,
    pub(crate) retry_after: Duration,
}

/// Permission for one attempt. Dropped without an outcome it counts as neither success nor failure.
#[must_use]
pub(crate) struct BreakerAdmission<'a> {
    breaker: &'a Breaker,
    kind: AttemptKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AttemptKind {
    Usual,
    /// The one attempt that decides whether the pause is over.
    Probe,
    /// The outcome has been reported.
    Told,
}

impl Breaker {
    pub(crate) fn admit(&self) -> Result<BreakerAdmission<'_>, BreakerPaused> {
        if !self.open.load(Ordering::Acquire) {
            return Ok(BreakerAdmission { breaker: self, kind: AttemptKind::Usual });
        }
        let kind = match self.rest.lock().as_mut() {
            None => AttemptKind::Usual,
            Some(rest) => {
                rest.refusal()?;
                rest.probing = true;
                AttemptKind::Probe
            }
        };
        Ok(BreakerAdmission { breaker: self, kind })
    }

    /// The answer of [`Breaker::admit`], without taking the place of a probe.
    pub(crate) fn resting(&self) -> Option<BreakerPaused> {
        if !self.open.load(Ordering::Acquire) {
            return None;
        }
        self.rest.lock().as_ref()?.refusal().err()
    }

    /// A call that was sent before the pause began says nothing about now, however it ended.
    fn usual_failed(&self, reason: &str) {
        let mut rest = self.rest.lock();
        if rest.is_none() && self.failures.fetch_add(1, Ordering::AcqRel) + 1 >= FAILURES_MAX {
            *rest = Some(Box::new(BreakerPause::new(reason, REST)));
            self.open.store(true, Ordering::Release);
        }
    }

    fn close(&self) {
        let mut rest = self.rest.lock();
        *rest = None;
        self.failures.store(0, Ordering::Release);
        self.open.store(false, Ordering::Release);
    }

    fn rest_longer(&self, reason: &str) {
        if let Some(rest) = self.rest.lock().as_mut() {
            **rest = BreakerPause::new(reason, (rest.length * 2).min(REST_MAX));
        }
    }

    fn give_probe_back(&self) {
        if let Some(rest) = self.rest.lock().as_mut() {
            rest.probing = false;
        }
    }
}

impl BreakerPause {
    fn new(reason: &str, length: Duration) -> Self {
        let reason = reason.chars().take(REASON_CHARS_MAX).collect();
        Self { reason, length, until: Instant::now() + length, probing: false }
    }

    fn refusal(&self) -> Result<(), BreakerPaused> {
        let left = self.until.saturating_duration_since(Instant::now());
        let retry_after = match left {
            Duration::ZERO if self.probing => PROBE_PAUSE,
            Duration::ZERO => return Ok(()),
            left => left,
        };
        Err(BreakerPaused { reason: self.reason.clone(), retry_after })
    }
}

impl BreakerAdmission<'_> {
    pub(crate) fn succeeded(mut self) {
        match std::mem::replace(&mut self.kind, AttemptKind::Told) {
            AttemptKind::Probe => self.breaker.close(),
            AttemptKind::Usual if self.breaker.failures.load(Ordering::Acquire) != 0 => {
                self.breaker.failures.store(0, Ordering::Release);
            }
            AttemptKind::Usual | AttemptKind::Told => {}
        }
    }

    pub(crate) fn failed(mut self, reason: &str) {
        match std::mem::replace(&mut self.kind, AttemptKind::Told) {
            AttemptKind::Probe => self.breaker.rest_longer(reason),
            AttemptKind::Usual => self.breaker.usual_failed(reason),
            AttemptKind::Told => {}
        }
    }
}

impl Drop for BreakerAdmission<'_> {
    fn drop(&mut self) {
        if self.kind == AttemptKind::Probe {
            self.breaker.give_probe_back();
        }
    }
}

#[cfg(test)]
mod tests;
