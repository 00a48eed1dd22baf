//! The servers as the registry drives them, and their numbers as others read them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use toolgate_catalog::CatalogUpdate;
use toolgate_core::ServerName;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Confinement, ServerSpec, TransportSpec};
use toolgate_credentials::Keys;
use toolgate_edge::Hub;
use toolgate_outbound::OutboundSettings;
use toolgate_registry::{
    AgentCatalog, InstanceVitals, LatencyReport, ServerControl, ToolVitals, VitalsReport,
};
use toolgate_upstream::{LatencySnapshot, ServerManager};

use crate::chronicle::EraMemory;

pub(crate) struct ManagerControl {
    manager: Arc<ServerManager>,
    memory: Arc<EraMemory>,
    hub: Arc<Hub>,
    keys: Keys,
    /// The registry's specs while nothing listens to servers yet.
    first: Mutex<Option<Vec<ServerSpec>>>,
    /// The servers of the last specs that were applied.
    reached: Mutex<BTreeSet<ServerName>>,
    running: AtomicBool,
}

impl ManagerControl {
    pub(crate) fn new(
        manager: Arc<ServerManager>,
        memory: Arc<EraMemory>,
        hub: Arc<Hub>,
        keys: Keys,
    ) -> Arc<Self> {
        Arc::new(Self {
            manager,
            memory,
            hub,
            keys,
            first: Mutex::default(),
            reached: Mutex::default(),
            running: AtomicBool::new(false),
        })
    }

    /// Starts the requested servers so far. From now on requests are applied at once.
    pub(crate) fn run(&self) {
        let mut first = self.first.lock();
        self.running.store(true, Ordering::Release);
        let specs = first.take().unwrap_or_default();
        self.hub.expect(specs.iter().filter(|spec| can_be_reached(spec)).map(|spec| spec.name.clone()));
        self.apply_now(specs);
    }

    /// Servers that are not among them any more are neither up nor down.
    fn apply_now(&self, specs: Vec<ServerSpec>) {
        let now: BTreeSet<ServerName> = specs.iter().map(|spec| spec.name.clone()).collect();
        self.manager.apply(specs);
        let before = std::mem::replace(&mut *self.reached.lock(), now.clone());
        before.difference(&now).for_each(|server| self.hub.server_left(server));
    }
}

fn can_be_reached(spec: &ServerSpec) -> bool {
    !matches!(&spec.transport, TransportSpec::Http { instances, .. } if instances.is_empty())
}

/// The way to a server, and to its authorization server if it has one. Of a process it tells that the file names it.
fn way(spec: &ServerSpec) -> (ServerName, OutboundSettings) {
    (spec.name.clone(), OutboundSettings { reach: spec.reach, egress: spec.egress.clone() })
}

impl ServerControl for ManagerControl {
    fn apply(&self, specs: Vec<ServerSpec>) {
        let mut first = self.first.lock();
        self.memory.know(&specs);
        self.keys.know(specs.iter().map(way).collect());
        if self.running.load(Ordering::Acquire) {
            self.apply_now(specs);
        } else {
            *first = Some(specs);
        }
    }

    fn vitals(&self, server: &ServerName) -> Option<VitalsReport> {
        self.manager.vitals(server).map(vitals)
    }

    fn restart(&self, server: &ServerName) -> bool {
        self.manager.restart(server)
    }

    fn confinement(&self, server: &ServerName) -> Option<Confinement> {
        self.manager.confinement(server)
    }
}

fn vitals(found: toolgate_upstream::ServerVitals) -> VitalsReport {
    let instances = found.instances.into_iter().map(|one| InstanceVitals {
        id: one.id,
        under_way: one.under_way,
        resting: one.resting.map(|rest| rest.retry_after),
        latency: latency(&one.latency),
    });
    let tools = found.tools.into_iter().map(|one| ToolVitals {
        own: one.own.to_string(),
        under_way: one.under_way,
        resting: one.resting.map(|rest| rest.retry_after),
        latency: latency(&one.latency),
    });
    VitalsReport {
        under_way: found.under_way,
        waiting: found.waiting,
        latency: latency(&found.latency),
        instances: instances.collect(),
        tools: tools.collect(),
    }
}

fn latency(snapshot: &LatencySnapshot) -> LatencyReport {
    const MS: f64 = 1000.0;
    LatencyReport {
        count: snapshot.count,
        p50_ms: snapshot.p50.as_secs_f64() * MS,
        p95_ms: snapshot.p95.as_secs_f64() * MS,
        p99_ms: snapshot.p99.as_secs_f64() * MS,
        max_ms: snapshot.max.as_secs_f64() * MS,
    }
}

/// The agents' view, through the hub that notifies them of changes.
pub(crate) struct HubCatalog(pub(crate) Arc<Hub>);

impl AgentCatalog for HubCatalog {
    fn arrange(&self, update: CatalogUpdate) -> Vec<WireName> {
        self.0.arrange(update)
    }
}
