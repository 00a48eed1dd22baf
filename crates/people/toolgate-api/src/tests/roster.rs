//! A registry without connections, with one server and one agent in its file, and a drawer for secrets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::CatalogUpdate;
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_core::registry::WireName;
use toolgate_core::server::{
    Affinity, Confinement, ConfinementLevel, EraChoice, InstanceSpec, Isolation, ServerSpec, TransportSpec,
};
use toolgate_core::{Principal, ServerName};
use toolgate_registry::{
    AgentCatalog, FileState, LatencyReport, Registry, RegistrySetup, ServerControl, ServerEntry,
    ServerSource, ToolVitals, VitalsReport,
};
use toolgate_store::{Books, Store};

use super::parts::{server, settings};
use crate::{InstanceToken, SecretIdentity, SecretKeeper, SecretSource, StoredSecret};

/// Has no connections, and reports the same about every server.
struct Still;

impl ServerControl for Still {
    fn apply(&self, _: Vec<ServerSpec>) {}

    fn vitals(&self, _: &ServerName) -> Option<VitalsReport> {
        let latency = LatencyReport { count: 3, p50_ms: 1.0, p95_ms: 2.0, p99_ms: 3.0, max_ms: 4.0 };
        let tool = ToolVitals {
            own: "transfer".to_owned(),
            under_way: 1,
            resting: Some(Duration::from_millis(1500)),
            latency: latency.clone(),
        };
        Some(VitalsReport { under_way: 1, waiting: 0, latency, instances: Vec::new(), tools: vec![tool] })
    }

    fn restart(&self, server: &ServerName) -> bool {
        server.as_str() == "bank"
    }

    fn confinement(&self, _: &ServerName) -> Option<Confinement> {
        let says = vec!["writes only in /tmp".to_owned()];
        Some(Confinement { level: ConfinementLevel::Confined, says })
    }
}

struct Empty;

impl AgentCatalog for Empty {
    fn arrange(&self, _: CatalogUpdate) -> Vec<WireName> {
        Vec::new()
    }
}

pub(super) async fn start(
    store: &Store,
    books: &Arc<Books>,
    clock: &Arc<dyn Clock>,
    shutdown: &CancellationToken,
) -> Arc<Registry> {
    let addresses = AddressRules { allow_loopback: true, allow_private: false };
    let agents = json!([{ "name": "teller", "capabilities": ["money"] }]);
    let capabilities = json!([{ "name": "money", "servers": ["bank"] }]);
    let file = FileState {
        servers: vec![bank()],
        agents: serde_json::from_value(agents).expect("agents"),
        capabilities: serde_json::from_value(capabilities).expect("capabilities"),
        addresses,
        ..FileState::default()
    };
    let setup = RegistrySetup {
        store: store.clone(),
        books: books.clone(),
        clock: clock.clone(),
        file,
        machinery: Arc::new(Still),
        shelf: Arc::new(Empty),
        policies: None,
        shutdown: shutdown.clone(),
    };
    Registry::start(setup).await.expect("a registry")
}

fn bank() -> ServerEntry {
    let spec = ServerSpec {
        name: server(),
        transport: TransportSpec::http("http://bank.example/mcp", BTreeMap::new()),
        timeout: Duration::from_secs(1),
        connect_timeout: Duration::from_secs(1),
        concurrency_max: 4,
        rate: None,
        isolation: Isolation::Shared,
        affinity: Affinity::default(),
        era: EraChoice::default(),
        reach: Reach::Anywhere,
        egress: Arc::default(),
    };
    ServerEntry {
        spec,
        settings: settings(),
        drift: None,
        new_tools: None,
        source: ServerSource::File,
        published: None,
    }
}

/// Keeps secrets unencrypted, with their authors.
#[derive(Default)]
pub(super) struct Drawer(Mutex<BTreeMap<SecretIdentity, (String, String)>>);

impl Drawer {
    /// The value, and who stored it.
    pub(super) fn look(&self, place: &SecretIdentity) -> Option<(String, String)> {
        self.held(|secrets| secrets.get(place).cloned())
    }

    fn held<T>(&self, act: impl FnOnce(&mut BTreeMap<SecretIdentity, (String, String)>) -> T) -> T {
        act(&mut self.0.lock())
    }
}

impl SecretKeeper for Drawer {
    fn list(
        &self,
        server: &ServerName,
    ) -> BoxFuture<'static, Result<Vec<StoredSecret>, toolgate_core::Refusal>> {
        let stored = self.held(|secrets| {
            let places = secrets.keys().filter(|place| place.server == *server).cloned();
            places
                .map(|place| {
                    let source = SecretSource::Vault { updated_at_ms: 0 };
                    StoredSecret { place, source, origins: Vec::new() }
                })
                .collect()
        });
        Box::pin(async { Ok(stored) })
    }

    fn store(
        &self,
        by: &Principal,
        place: SecretIdentity,
        value: String,
    ) -> BoxFuture<'static, Result<(), toolgate_core::Refusal>> {
        self.held(|secrets| secrets.insert(place, (value, by.id.to_string())));
        Box::pin(async { Ok(()) })
    }

    fn keep_token(
        &self,
        _: &Principal,
        token: InstanceToken,
    ) -> BoxFuture<'static, Result<(), toolgate_core::Refusal>> {
        let InstanceToken { server, instance, url, token } = token;
        let place = SecretIdentity { server, principal: None, name: InstanceSpec::token_name(&instance) };
        self.held(|secrets| secrets.insert(place, (token, url)));
        Box::pin(async { Ok(()) })
    }

    fn allow(
        &self,
        _: &Principal,
        _: ServerName,
        _: String,
        origins: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<String>, toolgate_core::Refusal>> {
        Box::pin(async { Ok(origins) })
    }

    fn remove(
        &self,
        _: &Principal,
        place: SecretIdentity,
    ) -> BoxFuture<'static, Result<bool, toolgate_core::Refusal>> {
        let removed = self.held(|secrets| secrets.remove(&place).is_some());
        Box::pin(async move { Ok(removed) })
    }
}
