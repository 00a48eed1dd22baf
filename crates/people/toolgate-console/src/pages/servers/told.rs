//! The API's data about servers.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Servers {
    pub(super) servers: Vec<Server>,
}

#[derive(Deserialize)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) health: String,
    pub(super) reason: Option<String>,
    pub(super) since: Option<String>,
    pub(super) era: Option<String>,
    pub(super) protocol_version: Option<String>,
    pub(super) transport: Option<String>,
    #[serde(default)]
    pub(super) restarts: u64,
    #[serde(default)]
    pub(super) tools: u64,
    #[serde(default)]
    pub(super) prompts: u64,
    #[serde(default)]
    pub(super) resources: u64,
    #[serde(default)]
    pub(super) instances: Vec<Instance>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Instance {
    pub(super) id: String,
    pub(super) url: Option<String>,
    pub(super) version: Option<String>,
    pub(super) health: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) lease_left: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Detail {
    #[serde(flatten)]
    pub(super) server: Server,
    pub(super) vitals: Option<Vitals>,
    #[serde(default)]
    pub(super) left_out: Vec<LeftOut>,
    #[serde(default)]
    pub(super) misfits: Vec<LeftOut>,
    #[serde(default)]
    pub(super) stderr: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct LeftOut {
    pub(super) name: String,
    pub(super) reason: String,
}

#[derive(Deserialize)]
pub(super) struct Vitals {
    pub(super) under_way: u64,
    pub(super) waiting: u64,
    pub(super) latency: Latency,
    #[serde(default)]
    pub(super) instances: Vec<Part>,
    #[serde(default)]
    pub(super) tools: Vec<Part>,
}

#[derive(Deserialize)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) under_way: u64,
    pub(super) resting_seconds: Option<f64>,
    pub(super) latency: Latency,
}

#[derive(Deserialize)]
pub(super) struct Latency {
    pub(super) count: u64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
}

/// The source of a server, in words.
pub(super) fn source(word: &str) -> &str {
    match word {
        "file" => "configuration file",
        "expected" => "configuration file, waits for instances",
        "registered" => "its own registration",
        other => other,
    }
}
