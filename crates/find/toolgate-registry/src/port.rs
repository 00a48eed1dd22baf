//! The registry's dependencies: the code that reaches servers, the catalogue that agents see, and the code that judges calls.

use std::fmt;
use std::time::Duration;

use toolgate_catalog::CatalogUpdate;
use toolgate_core::port::BoxFuture;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Confinement, InstanceId, ServerSpec};
use toolgate_core::{Refusal, ServerName};

use crate::policy_texts::PolicyTexts;

/// The code that reaches servers.
pub trait ServerControl: Send + Sync {
    /// Replaces the set of servers. Unchanged servers are left alone; calls in progress at a removed server
    /// may finish. Returns at once.
    fn apply(&self, specs: Vec<ServerSpec>);

    /// The current vitals of a server.
    fn vitals(&self, server: &ServerName) -> Option<VitalsReport>;

    /// The confinement of a server's process; `None` if it is not a process of this gateway.
    fn confinement(&self, server: &ServerName) -> Option<Confinement>;

    /// Connects a server anew, or starts its process again. `false` if there is none of this name. Returns at once.
    fn restart(&self, server: &ServerName) -> bool;
}

/// The catalogue that agents see.
pub trait AgentCatalog: Send + Sync {
    /// Returns when agents see it; subscribers are notified. The returned names have to be recorded: their
    /// entries stay hidden until an update confirms that.
    fn arrange(&self, update: CatalogUpdate) -> Vec<WireName>;
}

/// The code that judges calls, for the setting `policy`.
pub trait PolicyControl: Send + Sync + fmt::Debug {
    /// Refuses texts that do not compile beside the policies of the files, or fail on current tools.
    fn check(&self, texts: PolicyTexts) -> BoxFuture<'static, Result<(), Refusal>>;

    /// Puts texts in force. Those that are in force already change nothing.
    fn take(&self, texts: PolicyTexts) -> BoxFuture<'static, ()>;
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
