//! The gateway's metrics, in Prometheus' text format.

use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use toolgate_core::ServerName;
use toolgate_core::codes;
use toolgate_core::id::CallId;
use toolgate_core::port::BoxFuture;
use toolgate_core::server::{Era, ServerHealth, ServerState};
use toolgate_discovery::CostTally;
use toolgate_pipeline::Envelope;

use crate::messages::parts::METHODS;

/// The last line of the format.
const END: &str = "# EOF\n";

/// Metrics of other crates.
pub trait MetricSource: Send + Sync {
    /// Reads what is not at hand, before `write`.
    fn refresh(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// Appends whole families in the text format of OpenMetrics.
    fn write(&self, text: &mut String);
}

/// Every family that there is, each with a line by example, for the reference.
pub fn metrics_by_example(more: &dyn MetricSource) -> String {
    Metrics::of_everything().render(0, more)
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    era: EraLabel,
    outcome: RequestOutcome,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, EncodeLabelValue)]
enum EraLabel {
    Legacy,
    Modern,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, EncodeLabelValue)]
pub(crate) enum RequestOutcome {
    Answered,
    Error,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct MethodLabel {
    method: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ServerLabel {
    server: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct StatusLabel {
    status: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ToolLabel {
    tool: &'static str,
}

pub(crate) struct Metrics {
    registry: Registry,
    servers_up: Family<ServerLabel, Gauge>,
    server_restarts: Family<ServerLabel, Gauge>,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<MethodLabel, Histogram, fn() -> Histogram>,
    sessions: Gauge,
    refused: Counter,
    tool_calls: Family<StatusLabel, Counter>,
    broken_outputs: Counter,
    list_tokens: Counter,
    saved_tokens: Counter,
    answer_tokens: Family<ToolLabel, Counter>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("toolgate");
        let requests = Family::default();
        let buckets: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 4.0, 9));
        let seconds = Family::new_with_constructor(buckets);
        let servers_up = Family::<ServerLabel, Gauge>::default();
        let server_restarts = Family::<ServerLabel, Gauge>::default();
        registry.register("server_up", "1 for a healthy server, 0 for one that is not", servers_up.clone());
        registry.register("server_restarts", "How often a server was started again", server_restarts.clone());
        let sessions = Gauge::default();
        let refused = Counter::default();
        registry.register("requests", "Requests of agents, by method, era and outcome", requests.clone());
        registry.register("request_seconds", "Time from a request's arrival to its answer", seconds.clone());
        registry.register("sessions", "Open sessions of the older era", sessions.clone());
        registry.register("refused", "Requests turned away for their host, origin or token", refused.clone());
        let (list_tokens, saved_tokens) = (Counter::default(), Counter::default());
        let answer_tokens = Family::<ToolLabel, Counter>::default();
        registry.register("list_tokens", "Tokens of tool lists that agents were given", list_tokens.clone());
        let saved = "Tokens that lists did not cost because tools are searched";
        registry.register("list_tokens_saved", saved, saved_tokens.clone());
        registry.register("answer_tokens", "Tokens of answers about tools, by tool", answer_tokens.clone());
        let tool_calls = Family::<StatusLabel, Counter>::default();
        registry.register("tool_calls", "Tool calls, by how they ended", tool_calls.clone());
        let broken_outputs = Counter::default();
        let help = "Results that broke their tool's own output schema";
        registry.register("output_schema_violations", help, broken_outputs.clone());
        Self {
            registry,
            servers_up,
            server_restarts,
            requests,
            seconds,
            sessions,
            refused,
            tool_calls,
            broken_outputs,
            list_tokens,
            saved_tokens,
            answer_tokens,
        }
    }

    /// With something in every family, which would be left out otherwise.
    fn of_everything() -> Self {
        let metrics = Self::new();
        metrics.request("tools/call", Era::Modern, RequestOutcome::Answered, Duration::from_millis(5));
        metrics.server(&ServerName::new("files").expect("a legal name"), &ServerState::starting());
        metrics.answer_tokens("search_tools", 1);
        metrics.tool_call(&Envelope {
            status: toolgate_core::event::Outcome::Succeeded,
            refs: Vec::new(),
            warnings: Vec::new(),
            tool_call_id: CallId::new("tc_1"),
            approval_id: None,
        });
        metrics
    }

    pub(crate) fn request(&self, method: &str, era: Era, outcome: RequestOutcome, took: Duration) {
        // Only methods we know are counted by name; a caller must not be able to make up series.
        let method = METHODS.iter().copied().find(|one| *one == method).unwrap_or("other");
        let era = match era {
            Era::Legacy => EraLabel::Legacy,
            Era::Modern => EraLabel::Modern,
        };
        self.requests.get_or_create(&RequestLabels { method, era, outcome }).inc();
        self.seconds.get_or_create(&MethodLabel { method }).observe(took.as_secs_f64());
    }

    pub(crate) fn server(&self, server: &ServerName, state: &ServerState) {
        let label = ServerLabel { server: server.to_string() };
        self.servers_up.get_or_create(&label).set(i64::from(state.health == ServerHealth::Healthy));
        self.server_restarts.get_or_create(&label).set(i64::from(state.restarts));
    }

    /// A server that nobody reaches any more is neither up nor down.
    pub(crate) fn forget_server(&self, server: &ServerName) {
        let label = ServerLabel { server: server.to_string() };
        self.servers_up.remove(&label);
        self.server_restarts.remove(&label);
    }

    pub(crate) fn refused(&self) {
        self.refused.inc();
    }

    /// A list was given out.
    pub(crate) fn listed(&self, tally: CostTally) {
        self.list_tokens.inc_by(tally.listed as u64);
        self.saved_tokens.inc_by(tally.full.saturating_sub(tally.listed) as u64);
    }

    /// A question about tools was answered.
    pub(crate) fn answer_tokens(&self, tool: &'static str, tokens: usize) {
        self.answer_tokens.get_or_create(&ToolLabel { tool }).inc_by(tokens as u64);
    }

    pub(crate) fn tool_call(&self, envelope: &Envelope) {
        self.tool_calls.get_or_create(&StatusLabel { status: envelope.status.as_str() }).inc();
        if envelope.warnings.iter().any(|warning| warning.code == &codes::OUTPUT_SCHEMA) {
            self.broken_outputs.inc();
        }
    }

    pub(crate) fn render(&self, sessions: usize, more: &dyn MetricSource) -> String {
        self.sessions.set(i64::try_from(sessions).unwrap_or(i64::MAX));
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a String takes everything that is written to it");
        text.truncate(text.trim_end_matches(END).len());
        more.write(&mut text);
        text.push_str(END);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoMetrics;

    impl MetricSource for NoMetrics {
        fn write(&self, _: &mut String) {}
    }

    #[test]
    fn every_family_that_is_registered_is_there_by_example() {
        let registered = include_str!("metrics.rs").matches("        registry.register(\"").count();
        let told = metrics_by_example(&NoMetrics).matches("# TYPE ").count();
        assert_eq!(told, registered, "`of_everything` leaves a family empty");
    }
}
