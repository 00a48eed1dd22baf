//! The servers as the registry drives them, and their numbers as others read them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use toolgate_catalog::Update;
use toolgate_core::ServerName;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Confinement, ServerSpec, TransportSpec};
use toolgate_credentials::Keys;
use toolgate_edge::Hub;
use toolgate_outbound::Way;
use toolgate_registry::{InstanceVitals, Latency, Machinery, Shelf, ToolVitals, Vitals};
use toolgate_upstream::{LatencySnapshot, Manager};

use crate::chronicle::Memory;

pub(crate) struct Machine {
    manager: Arc<Manager>,
    memory: Arc<Memory>,
    hub: Arc<Hub>,
    keys: Keys,
    /// The registry's specs while nothing listens to servers yet.
    first: Mutex<Option<Vec<ServerSpec>>>,
    running: AtomicBool,
}

impl Machine {
    pub(crate) fn new(manager: Arc<Manager>, memory: Arc<Memory>, hub: Arc<Hub>, keys: Keys) -> Arc<Self> {
        Arc::new(Self {
            manager,
            memory,
            hub,
            keys,
            first: Mutex::default(),
            running: AtomicBool::new(false),
        })
    }

    /// Starts the requested servers so far. From now on requests are applied at once.
    pub(crate) fn run(&self) {
        let mut first = self.first.lock();
        self.running.store(true, Ordering::Release);
        let specs = first.take().unwrap_or_default();
        self.hub.expect(specs.iter().filter(|spec| can_be_reached(spec)).map(|spec| spec.name.clone()));
        self.manager.apply(specs);
    }
}

fn can_be_reached(spec: &ServerSpec) -> bool {
    !matches!(&spec.transport, TransportSpec::Http { instances, .. } if instances.is_empty())
}

/// The way to the authorization server of a server. A process has none.
fn way(spec: &ServerSpec) -> Option<(ServerName, Way)> {
    let TransportSpec::Http { .. } = &spec.transport else { return None };
    Some((spec.name.clone(), Way { reach: spec.reach, egress: spec.egress.clone() }))
}

impl Machinery for Machine {
    fn apply(&self, specs: Vec<ServerSpec>) {
        let mut first = self.first.lock();
        self.memory.know(&specs);
        self.keys.know(specs.iter().filter_map(way).collect());
        if self.running.load(Ordering::Acquire) {
            self.manager.apply(specs);
        } else {
            *first = Some(specs);
        }
    }

    fn vitals(&self, server: &ServerName) -> Option<Vitals> {
        self.manager.vitals(server).map(vitals)
    }

    fn confinement(&self, server: &ServerName) -> Option<Confinement> {
        self.manager.confinement(server)
    }
}

fn vitals(found: toolgate_upstream::Vitals) -> Vitals {
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
    Vitals {
        under_way: found.under_way,
        waiting: found.waiting,
        latency: latency(&found.latency),
        instances: instances.collect(),
        tools: tools.collect(),
    }
}

fn latency(snapshot: &LatencySnapshot) -> Latency {
    const MS: f64 = 1000.0;
    Latency {
        count: snapshot.count,
        p50_ms: snapshot.p50.as_secs_f64() * MS,
        p95_ms: snapshot.p95.as_secs_f64() * MS,
        p99_ms: snapshot.p99.as_secs_f64() * MS,
        max_ms: snapshot.max.as_secs_f64() * MS,
    }
}

/// The agents' view, through the hub that notifies them of changes.
pub(crate) struct Display(pub(crate) Arc<Hub>);

impl Shelf for Display {
    fn arrange(&self, update: Update) -> Vec<WireName> {
        self.0.arrange(update)
    }
}
