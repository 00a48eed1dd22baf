//! The metrics of the server, in Prometheus' text format.

use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<CallLabels, Counter>,
    seconds: Family<ToolLabel, Histogram, fn() -> Histogram>,
    busy: Gauge,
    waiting: Gauge,
    ended: Family<ReasonLabel, Counter>,
    ref_bytes: Gauge,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    tool: &'static str,
    /// `ok`, `cancelled`, or the code of the trouble.
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ToolLabel {
    tool: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

/// Values that are measured on request.
pub(crate) struct GaugeLevels {
    pub(crate) waiting: usize,
    pub(crate) ref_bytes: u64,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let buckets: fn() -> Histogram = || Histogram::new(exponential_buckets(0.005, 3.0, 10));
        let mut metrics = Self {
            registry: Registry::with_prefix("capability"),
            calls: Family::default(),
            seconds: Family::new_with_constructor(buckets),
            busy: Gauge::default(),
            waiting: Gauge::default(),
            ended: Family::default(),
            ref_bytes: Gauge::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("calls", "Calls, by tool and outcome", self.calls.clone());
        registry.register(
            "call_seconds",
            "Time from a call's arrival to its answer, by tool",
            self.seconds.clone(),
        );
        registry.register("busy_workers", "Workers that are running a call", self.busy.clone());
        registry.register("waiting_calls", "Calls that are waiting for a worker", self.waiting.clone());
        registry.register("worker_ends", "Workers that died or were stopped, by reason", self.ended.clone());
        registry.register("ref_bytes", "Size of the stored results", self.ref_bytes.clone());
    }

    pub(crate) fn called(&self, tool: &'static str, outcome: &'static str, took: Duration) {
        self.calls.get_or_create(&CallLabels { tool, outcome }).inc();
        self.seconds.get_or_create(&ToolLabel { tool }).observe(took.as_secs_f64());
    }

    /// Until it is dropped, one worker more is busy.
    pub(crate) fn busy(&self) -> BusyGuard<'_> {
        self.busy.inc();
        BusyGuard(&self.busy)
    }

    pub(crate) fn worker_ended(&self, reason: &'static str) {
        self.ended.get_or_create(&ReasonLabel { reason }).inc();
    }

    pub(crate) fn render(&self, levels: &GaugeLevels) -> Result<String, fmt::Error> {
        self.waiting.set(levels.waiting as i64);
        self.ref_bytes.set(i64::try_from(levels.ref_bytes).unwrap_or(i64::MAX));
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

pub(crate) struct BusyGuard<'a>(&'a Gauge);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}
