//! The counts of servers, models and what waits for people, as lines of OpenMetrics.

use std::fmt::{Display, Write};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use toolgate_core::port::BoxFuture;
use toolgate_edge::MetricSource;
use toolgate_engine::{EngineLink, EngineState};
use toolgate_models::{ModelDesk, ModelTally};
use toolgate_registry::Registry;
use toolgate_store::{Store, WaitingCounts};
use toolgate_upstream::{LatencySnapshot, ServerManager, ServerVitals};

use crate::checkpoints::AnchorBoard;

/// The time to count what waits. The other metrics do not wait longer for a store that is away.
const COUNT: Duration = Duration::from_secs(2);
const MICROS: f64 = 1_000_000.0;

pub(crate) struct ServerNumbers {
    pub(crate) registry: Arc<Registry>,
    pub(crate) servers: Arc<ServerManager>,
    pub(crate) anchors: Arc<AnchorBoard>,
    pub(crate) engine: Arc<EngineLink>,
    pub(crate) models: Arc<ModelDesk>,
    pub(crate) store: Store,
    /// What waited for people when that was last read; `None` if it could not be read.
    pub(crate) waiting: Mutex<Option<WaitingCounts>>,
}

impl MetricSource for ServerNumbers {
    fn refresh(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let counted = tokio::time::timeout(COUNT, self.store.count_waiting()).await;
            *self.waiting.lock() = counted.ok().and_then(Result::ok);
        })
    }

    fn write(&self, text: &mut String) {
        let known = self.registry.servers().into_iter();
        let all: Vec<(String, ServerVitals)> =
            known.filter_map(|one| Some((one.name.to_string(), self.servers.vitals(&one.name)?))).collect();
        write_vitals(text, &all);
        write_anchors(text, self.anchors.read());
        write_engine(text, &self.engine.state());
        let waiting = *self.waiting.lock();
        waiting.iter().for_each(|waiting| write_waiting(text, *waiting));
        write_models(text, &self.models.tallies());
    }
}

/// What waits for people now, on all gateways of a store.
pub(crate) fn write_waiting(text: &mut String, waiting: WaitingCounts) {
    let WaitingCounts { approvals, inputs, reviews } = waiting;
    let kinds = [("approval", approvals), ("question", inputs), ("review", reviews)];
    let values = kinds.into_iter().map(|(kind, count)| (label(&[("kind", kind)]), count));
    gauge(text, "toolgate_waiting", "What waits for people now, the same at each gateway of a store", values);
}

/// What models were asked.
pub(crate) fn write_models(text: &mut String, tallies: &[ModelTally]) {
    let ended = |one: &ModelTally| label(&[("model", one.model.as_str()), ("outcome", one.outcome)]);
    let calls = tallies.iter().map(|one| (ended(one), one.calls));
    counter(text, "toolgate_model_calls", "Requests to models, by how they ended", calls);
    let seconds = tallies.iter().map(|one| (ended(one), one.duration.as_secs_f64()));
    counter(text, "toolgate_model_seconds", "Time of requests to models, in seconds", seconds);
    let tokens = tallies.iter().filter(|one| one.usage.tokens() > 0).flat_map(|one| {
        let kinds = [("input", one.usage.input), ("cached", one.usage.cached), ("output", one.usage.output)];
        kinds.map(|(kind, count)| (label(&[("model", one.model.as_str()), ("kind", kind)]), count))
    });
    counter(
        text,
        "toolgate_model_tokens",
        "Tokens of models; those read from a cache are a part of the input",
        tokens,
    );
    let cost = tallies.iter().filter(|one| one.usage.tokens() > 0);
    let cost = cost.map(|one| (label(&[("model", one.model.as_str())]), one.cost_micros as f64 / MICROS));
    counter(text, "toolgate_model_cost", "Cost of models, in the currency of their prices", cost);
}

/// The checkpoints of the ledger that wait for a place to be kept.
pub(crate) fn write_anchors<'a>(text: &mut String, anchors: impl Iterator<Item = (&'a str, usize)>) {
    let values = anchors.map(|(name, waiting)| (label(&[("anchor", name)]), waiting));
    gauge(text, "toolgate_checkpoints_waiting", "Signed checkpoints that could not be kept yet", values);
}

/// The state of the engine: 1 for the one that it has.
pub(crate) fn write_engine(text: &mut String, state: &EngineState) {
    let now = match state {
        EngineState::NotStarted => "not_started",
        EngineState::Running { .. } => "running",
        EngineState::Broken { .. } => "broken",
        EngineState::Missing { .. } => "missing",
        EngineState::Stopped => "stopped",
    };
    let states = ["not_started", "running", "broken", "missing", "stopped"];
    let values = states.into_iter().map(|one| (label(&[("state", one)]), usize::from(one == now)));
    gauge(text, "toolgate_engine", "1 for the state that the engine is in", values);
}

/// The families, of these servers.
pub(crate) fn write_vitals(text: &mut String, all: &[(String, ServerVitals)]) {
    let under_way = all.iter().map(|(name, vitals)| (label(&[("server", name)]), vitals.under_way));
    gauge(text, "toolgate_server_calls_under_way", "Requests at a server", under_way);
    let resting = all.iter().flat_map(|(name, vitals)| {
        vitals.instances.iter().map(move |one| {
            (label(&[("server", name), ("instance", one.id.as_str())]), usize::from(one.resting.is_some()))
        })
    });
    let help = "1 for an instance that is left alone because it failed repeatedly";
    gauge(text, "toolgate_instance_resting", help, resting);
    let servers = all.iter().map(|(name, vitals)| (vec![("server", name.as_str())], &vitals.latency));
    histogram(text, "toolgate_server_seconds", "Time a server took to answer", servers);
    let tools = all.iter().flat_map(|(name, vitals)| {
        let labels = move |own| vec![("server", name.as_str()), ("tool", own)];
        vitals.tools.iter().map(move |tool| (labels(&*tool.own), &tool.latency))
    });
    histogram(text, "toolgate_tool_seconds", "Time a tool took to answer", tools);
}

fn gauge<T: Display>(text: &mut String, name: &str, help: &str, values: impl Iterator<Item = (String, T)>) {
    head(text, name, help, "gauge");
    for (labels, value) in values {
        line(text, format_args!("{name}{{{labels}}} {value}"));
    }
}

fn counter<T: Display>(text: &mut String, name: &str, help: &str, values: impl Iterator<Item = (String, T)>) {
    head(text, name, help, "counter");
    for (labels, value) in values {
        line(text, format_args!("{name}_total{{{labels}}} {value}"));
    }
}

/// Of the fine buckets, every fourth bound is exported, and always the same ones.
const BOUNDS_TOLD: usize = 4;

fn histogram<'a>(
    text: &mut String,
    name: &str,
    help: &str,
    values: impl Iterator<Item = (Vec<(&'static str, &'a str)>, &'a LatencySnapshot)>,
) {
    head(text, name, help, "histogram");
    for (labels, latency) in values.filter(|(_, latency)| latency.count > 0) {
        let labels = label(&labels);
        let mut below = 0;
        let bounded = latency.buckets.iter().filter(|(bound, _)| *bound != Duration::MAX);
        for (at, (bound, count)) in bounded.enumerate() {
            below += count;
            if at % BOUNDS_TOLD == BOUNDS_TOLD - 1 {
                line(text, format_args!("{name}_bucket{{{labels},le=\"{}\"}} {below}", bound.as_secs_f64()));
            }
        }
        line(text, format_args!("{name}_bucket{{{labels},le=\"+Inf\"}} {}", latency.count));
        line(text, format_args!("{name}_sum{{{labels}}} {}", latency.sum.as_secs_f64()));
        line(text, format_args!("{name}_count{{{labels}}} {}", latency.count));
    }
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    line(text, format_args!("# HELP {name} {help}."));
    line(text, format_args!("# TYPE {name} {kind}"));
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a String takes everything that is written to it");
}

/// Tool names are the servers' own and may contain anything.
fn label(labels: &[(&str, &str)]) -> String {
    let quoted = labels.iter().map(|(key, value)| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("{key}=\"{value}\"")
    });
    quoted.collect::<Vec<_>>().join(",")
}
