//! The registry's dependencies: the code that reaches servers, and the catalogue that agents see.

use std::time::Duration;

use toolgate_catalog::CatalogUpdate;
use toolgate_core::ServerName;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Confinement, InstanceId, ServerSpec};

/// The code that reaches servers.
pub trait ServerControl: Send + Sync {
    /// Replaces the set of servers. Unchanged servers are left alone; calls in progress at a removed server
    /// may finish. Returns at once.
    fn apply(&self, specs: Vec<ServerSpec>);

    /// The current vitals of a server.
    fn vitals(&self, server: &ServerName) -> Option<VitalsReport>;

    /// The confinement of a server's process; `None` if it is not a process of this gateway.
    fn confinement(&self, server: &ServerName) -> Option<Confinement>;
}

/// The catalogue that agents see.
pub trait AgentCatalog: Send + Sync {
    /// Returns when agents see it; subscribers are notified. The returned names have to be recorded: their
    /// entries stay hidden until an update confirms that.
    fn arrange(&self, update: CatalogUpdate) -> Vec<WireName>;
}

/// The current state of a server, as numbers.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct VitalsReport {
    pub under_way: usize,
    pub waiting: usize,
    pub latency: LatencyReport,
    pub instances: Vec<InstanceVitals>,
    /// Tools that were called, by their own names.
    pub tools: Vec<ToolVitals>,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct InstanceVitals {
    pub id: InstanceId,
    pub under_way: usize,
    /// Set while it is paused because of repeated failures.
    pub resting: Option<Duration>,
    pub latency: LatencyReport,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct ToolVitals {
    pub own: String,
    pub under_way: usize,
    pub resting: Option<Duration>,
    pub latency: LatencyReport,
}

/// The duration of calls.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct LatencyReport {
    pub count: u64,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
}
