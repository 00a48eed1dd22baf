//! The API's data about servers.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct ServersData {
    pub(super) servers: Vec<ServerData>,
}

#[derive(Deserialize)]
pub(super) struct ServerData {
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
    pub(super) instances: Vec<InstanceData>,
    pub(super) outdated: Option<OutdatedData>,
    pub(super) updated_at: Option<String>,
}

/// What the registry that a server came from has instead.
#[derive(Deserialize)]
pub(super) struct OutdatedData {
    pub(super) says: String,
}

impl ServerData {
    /// True if somebody disabled it.
    pub(super) fn is_disabled(&self) -> bool {
        self.health == "disabled"
    }
}

#[derive(Deserialize)]
pub(super) struct InstanceData {
    pub(super) id: String,
    pub(super) url: Option<String>,
    pub(super) version: Option<String>,
    pub(super) health: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) lease_left: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct ServerDetailData {
    #[serde(flatten)]
    pub(super) server: ServerData,
    pub(super) vitals: Option<VitalsData>,
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
pub(super) struct VitalsData {
    pub(super) under_way: u64,
    pub(super) waiting: u64,
    pub(super) latency: LatencyData,
    #[serde(default)]
    pub(super) instances: Vec<PartVitalsData>,
    #[serde(default)]
    pub(super) tools: Vec<PartVitalsData>,
}

#[derive(Deserialize)]
pub(super) struct PartVitalsData {
    pub(super) name: String,
    pub(super) under_way: u64,
    pub(super) resting_seconds: Option<f64>,
    pub(super) latency: LatencyData,
}

#[derive(Deserialize)]
pub(super) struct LatencyData {
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
