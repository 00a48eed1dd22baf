//! What the registry needs of others: the machinery that reaches servers, and the shelf that agents see.

use std::time::Duration;

use toolgate_catalog::Update;
use toolgate_core::ServerName;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Confinement, InstanceId, ServerSpec};

/// The servers as they are reached.
pub trait Machinery: Send + Sync {
    /// From now on there are these servers and no others. What did not change is left alone; calls under way at a server
    /// that goes are let finish. Returns at once.
    fn apply(&self, specs: Vec<ServerSpec>);

    /// How a server does at this moment.
    fn vitals(&self, server: &ServerName) -> Option<Vitals>;

    /// How the process of a server is confined; `None` if it is no process of this gateway.
    fn confinement(&self, server: &ServerName) -> Option<Confinement>;
}

/// What agents see.
pub trait Shelf: Send + Sync {
    /// Returns when agents see it; those who listen are told. Names that it returns have to be recorded: what has them is
    /// not seen before an update says that they are.
    fn arrange(&self, update: Update) -> Vec<WireName>;
}

/// How a server does at this moment, as numbers.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct Vitals {
    pub under_way: usize,
    pub waiting: usize,
    pub latency: Latency,
    pub instances: Vec<InstanceVitals>,
    /// Tools that were called, by their own names.
    pub tools: Vec<ToolVitals>,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct InstanceVitals {
    pub id: InstanceId,
    pub under_way: usize,
    /// Set while it is left alone because it failed repeatedly.
    pub resting: Option<Duration>,
    pub latency: Latency,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct ToolVitals {
    pub own: String,
    pub under_way: usize,
    pub resting: Option<Duration>,
    pub latency: Latency,
}

/// How long calls took.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct Latency {
    pub count: u64,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
}
