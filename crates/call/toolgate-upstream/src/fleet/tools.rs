//! The state of each called tool of a server: its limits, its breaker, its durations.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::RwLock;
use tokio::sync::SemaphorePermit;
use tokio::time::Instant;
use toolgate_core::port::ServerError;
use toolgate_core::tool::CallRate;
use toolgate_core::{FaultKind, Tool};

use super::Incidents;
use super::failure::{FailedRequest, is_failure};
use super::size::FleetSize;
use crate::breaker::{Breaker, BreakerAdmission, BreakerPaused};
use crate::deadline::Deadline;
use crate::gate::ConcurrencyGate;
use crate::latency::LatencyHistogram;
use crate::rates::RateLimiter;

/// The maximum number of remembered tools of one server. Beyond it, those without limits are forgotten.
const TOOLS_MAX: usize = 16_384;

#[derive(Default)]
pub(super) struct ToolTable(RwLock<HashMap<Arc<str>, Arc<TendedTool>>>);

/// One tool that was called.
pub(super) struct TendedTool {
    rule: ToolLimitRule,
    gate: Option<ConcurrencyGate>,
    limiter: Option<RateLimiter>,
    pub(super) pulse: Arc<ToolPulse>,
}

/// The limits of the operator, or of the server itself.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ToolLimitRule {
    concurrency_max: Option<usize>,
    rate: Option<CallRate>,
}

/// Its health: survives a change of limits.
#[derive(Default)]
pub(super) struct ToolPulse {
    pub(super) breaker: Breaker,
    pub(super) latency: LatencyHistogram,
    under_way: AtomicUsize,
    incidents: Incidents,
    /// One more than the number of the member where it failed last, with no answer since.
    failed_at: AtomicU64,
}

impl ToolTable {
    pub(super) fn of(&self, tool: &Tool) -> Arc<TendedTool> {
        let rule = ToolLimitRule { concurrency_max: tool.handling.concurrency_max, rate: tool.handling.rate };
        let known = self.0.read();
        if let Some(tended) = known.get(&tool.own).filter(|tended| tended.rule == rule) {
            return tended.clone();
        }
        drop(known);
        self.tend(tool, rule)
    }

    fn tend(&self, tool: &Tool, rule: ToolLimitRule) -> Arc<TendedTool> {
        let mut known = self.0.write();
        let pulse = match known.get(&tool.own) {
            Some(tended) if tended.rule == rule => return tended.clone(),
            Some(tended) => tended.pulse.clone(),
            None => Arc::default(),
        };
        let tended = Arc::new(TendedTool::new(rule, pulse));
        if known.len() >= TOOLS_MAX {
            known.retain(|_, tended| tended.is_limited());
        }
        if known.len() < TOOLS_MAX {
            known.insert(tool.own.clone(), tended.clone());
        }
        tended
    }

    /// Every tool that was called, by name.
    pub(super) fn all(&self) -> Vec<(Arc<str>, Arc<TendedTool>)> {
        let known = self.0.read();
        let mut all: Vec<_> = known.iter().map(|(own, tended)| (own.clone(), tended.clone())).collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }
}

impl TendedTool {
    fn new(rule: ToolLimitRule, pulse: Arc<ToolPulse>) -> Self {
        Self {
            rule,
            gate: rule.concurrency_max.map(ConcurrencyGate::new),
            limiter: rule.rate.map(RateLimiter::new),
            pulse,
        }
    }

    fn is_limited(&self) -> bool {
        self.gate.is_some() || self.limiter.is_some()
    }

    /// Leave to call the tool now, as far as the tool is concerned.
    pub(super) async fn admit(&self, deadline: &Deadline) -> Result<AdmittedCall<'_>, FaultKind> {
        let admission = self.pulse.breaker.admit().map_err(resting)?;
        if let Some(limiter) = &self.limiter {
            limiter.check().map_err(|retry_after| FaultKind::RateLimited { retry_after })?;
        }
        let place = match &self.gate {
            Some(gate) => Some(gate.enter(deadline).await?),
            None => None,
        };
        Ok(AdmittedCall { admission, _counted: self.pulse.count(), _place: place })
    }
}

pub(super) fn resting(resting: BreakerPaused) -> FaultKind {
    FaultKind::Resting { reason: resting.reason, retry_after: resting.retry_after }
}

impl ToolPulse {
    pub(super) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    /// Notes how a call ended that began then.
    pub(super) fn tell(
        &self,
        admitted: AdmittedCall<'_>,
        company: FleetSize,
        began: Instant,
        outcome: Result<(), &FailedRequest>,
    ) {
        match outcome {
            Err(FailedRequest { error: ServerError::Fault(fault), at }) => {
                let counts = is_failure(&fault.kind)
                    && self.incidents.counts(&fault.kind, began)
                    && self.is_another_failure(company, *at);
                if counts {
                    admitted.admission.failed(&fault.to_string());
                }
            }
            Ok(()) | Err(FailedRequest { error: ServerError::Rpc(_), .. }) => {
                if self.failed_at.load(Ordering::Relaxed) != 0 {
                    self.failed_at.store(0, Ordering::Relaxed);
                }
                admitted.admission.succeeded();
            }
        }
    }

    /// True if a failure at a member says something about the tool. One instance that dies or hangs takes
    /// many calls with it, and if there are others that is one failure of the tool and not many.
    fn is_another_failure(&self, company: FleetSize, at: Option<u64>) -> bool {
        let Some(at) = at else { return false };
        let before = self.failed_at.swap(at + 1, Ordering::Relaxed);
        company == FleetSize::Alone || before != at + 1
    }

    fn count(&self) -> CountGuard<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        CountGuard(&self.under_way)
    }
}

/// A call that may proceed. Dropping it releases its places.
pub(super) struct AdmittedCall<'a> {
    admission: BreakerAdmission<'a>,
    _counted: CountGuard<'a>,
    _place: Option<SemaphorePermit<'a>>,
}

struct CountGuard<'a>(&'a AtomicUsize);

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
