//! `metrics.md`, from the answer of `/metrics` with a value in every family.

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate_core::model::{ModelName, ModelUsage};
use toolgate_edge::{MetricSource, metrics_by_example};
use toolgate_engine::EngineState;
use toolgate_models::ModelTally;
use toolgate_store::WaitingCounts;
use toolgate_upstream::{InstanceVitals, LatencySnapshot, ServerVitals, ToolVitals};

use super::markdown::{code, table};
use crate::server_metrics::{write_anchors, write_engine, write_models, write_vitals, write_waiting};

const START: &str = "# Metrics

`GET /metrics` answers in the text format of OpenMetrics, which Prometheus reads. It needs a token of role `admin` or `operator`; requests from this
machine itself need none. Each gateway counts for itself, from its start.

";

const LABELS: [(&str, &str); 12] = [
    ("anchor", "A place where checkpoints of the ledger are kept: a folder, a bucket or an address"),
    ("era", "Which protocol the client speaks: `Legacy` (sessions, up to 2025-11-25) or `Modern`"),
    ("instance", "The id of an instance of a server"),
    (
        "kind",
        "Of `waiting`: `approval`, `question` of a run, or `review` of a tool; of `model_tokens`: `input`, `cached` or `output`",
    ),
    ("le", "The upper bound of a bucket, in seconds"),
    ("method", "The MCP method, such as `tools/call`; `other` for those that the gateway does not know"),
    ("model", "The name of a model"),
    (
        "outcome",
        "Of a request of an agent `Answered`, or `Error` for a JSON-RPC error; of one to a model `answered`, or its fault: `away`, `busy`, `overflow`, `refused`, `nonsense`, `unusable` or `cancelled`",
    ),
    ("server", "The name of a server"),
    ("state", "`not_started`, `running`, `broken`, `missing` or `stopped`"),
    ("status", "How a call ended, as `outcome` of the [ledger](ledger-events.md#outcomes)"),
    (
        "tool",
        "The tool, by the name that its server gives it; of the gateway's own tools for `answer_tokens`",
    ),
];

struct MetricFamily {
    name: String,
    kind: String,
    help: String,
    labels: Vec<String>,
}

pub(super) fn page() -> String {
    let families = families();
    let rows = families.iter().map(|one| {
        let labels: Vec<String> = one.labels.iter().map(|label| code(label)).collect();
        vec![code(&one.name), one.kind.clone(), labels.join(", "), one.help.clone()]
    });
    let labels = LABELS.iter().map(|(name, meaning)| vec![code(name), format!("{meaning}.")]);
    let mut text = START.to_owned();
    text.push_str(&table(&["Metric", "Type", "Labels", "Meaning"], rows));
    text.push_str("\nA histogram `X` has the series `X_bucket`, `X_sum` and `X_count`.\n\n## Labels\n\n");
    text.push_str(&table(&["Label", "Values"], labels));
    text
}

fn families() -> Vec<MetricFamily> {
    let text = metrics_by_example(&ByExample);
    let mut families: Vec<MetricFamily> = Vec::new();
    let mut helps = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
            helps.insert(name.to_owned(), help.to_owned());
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' '))
        {
            let help = helps.remove(name).unwrap_or_default();
            families.push(MetricFamily {
                name: exposed(name, kind),
                kind: kind.to_owned(),
                help,
                labels: Vec::new(),
            });
        } else if let Some(family) = families.last_mut() {
            note_labels(line, &mut family.labels);
        }
    }
    families
}

/// Counters are exposed under a name with a suffix.
fn exposed(name: &str, kind: &str) -> String {
    if kind == "counter" { format!("{name}_total") } else { name.to_owned() }
}

fn note_labels(line: &str, labels: &mut Vec<String>) {
    let Some((_, rest)) = line.split_once('{') else { return };
    for pair in rest.split("\",") {
        let name = pair.split('=').next().unwrap_or_default().to_owned();
        if !labels.contains(&name) {
            labels.push(name);
        }
    }
}

/// The counts of the servers' machinery, for one server.
struct ByExample;

impl MetricSource for ByExample {
    fn write(&self, text: &mut String) {
        let latency = || LatencySnapshot {
            count: 1,
            sum: Duration::from_millis(5),
            buckets: vec![(Duration::from_millis(10), 1); 4],
            p50: Duration::ZERO,
            p95: Duration::ZERO,
            p99: Duration::ZERO,
            max: Duration::ZERO,
        };
        let id = toolgate_core::server::InstanceId::only();
        let instance = InstanceVitals { id, under_way: 0, resting: None, latency: latency() };
        let tool = ToolVitals { own: "read".into(), under_way: 0, resting: None, latency: latency() };
        let vitals = ServerVitals {
            under_way: 0,
            waiting: 0,
            latency: latency(),
            instances: vec![instance],
            tools: vec![tool],
        };
        write_vitals(text, &[("files".to_owned(), vitals)]);
        write_anchors(text, [("/mnt/elsewhere/checkpoints", 0)].into_iter());
        write_engine(text, &EngineState::NotStarted);
        write_waiting(text, WaitingCounts::default());
        write_models(
            text,
            &[ModelTally {
                model: ModelName::new("drafts").expect("a legal name"),
                outcome: "answered",
                calls: 1,
                usage: ModelUsage { input: 900, cached: 500, written: 0, output: 100 },
                cost_micros: 2_000,
                duration: Duration::from_secs(1),
            }],
        );
    }
}

#[test]
fn every_metric_has_a_line_by_example_and_every_label_a_meaning() {
    let known: Vec<&str> = LABELS.iter().map(|(name, _)| *name).collect();
    let mut used: Vec<String> = Vec::new();
    for family in families() {
        assert!(!family.help.is_empty(), "{}", family.name);
        for label in family.labels {
            assert!(
                known.contains(&label.as_str()),
                "{} has the label {label}, which LABELS does not",
                family.name
            );
            used.push(label);
        }
    }
    for label in known {
        assert!(used.iter().any(|one| one == label), "no metric has the label {label}");
    }
}
