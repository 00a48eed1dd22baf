//! A gateway with only the registry being real.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{Catalog, CatalogUpdate};
use toolgate_core::address::AddressRules;
use toolgate_core::event::EventFilter;
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Confinement, ServerListing, ServerSpec, TransportSpec};
use toolgate_core::{Principal, PrincipalId, RawJson, Role, ServerName, codes};
use toolgate_store::{Books, BooksSettings, LedgerOrder, Store};

use crate::{
    AgentCatalog, FileState, NewSettingValue, PolicyControl, PolicyTexts, Refusal, Registration, Registry,
    RegistrySetup, ServerControl, VitalsReport,
};

/// Longer than anything takes, shorter than a person would wait.
const PATIENCE: Duration = Duration::from_secs(20);

/// Time advances only when a test lets it; waiting is short.
#[derive(Default)]
pub(super) struct RegistryClock(AtomicI64);

impl RegistryClock {
    pub(super) fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_micros()).expect("short"), Ordering::SeqCst);
    }
}

impl Clock for RegistryClock {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.0.load(Ordering::SeqCst) / 1000
    }

    fn monotonic_us(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration.min(Duration::from_millis(5))))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}fresh")
    }
}

#[derive(Default)]
pub(super) struct FakeMachinery(Mutex<Vec<ServerSpec>>);

impl ServerControl for FakeMachinery {
    fn apply(&self, specs: Vec<ServerSpec>) {
        *self.0.lock() = specs;
    }

    fn vitals(&self, _server: &ServerName) -> Option<VitalsReport> {
        None
    }

    fn confinement(&self, _server: &ServerName) -> Option<Confinement> {
        None
    }

    fn restart(&self, server: &ServerName) -> bool {
        self.0.lock().iter().any(|spec| spec.name == *server)
    }
}

/// Takes every policy that is not `wrong`.
#[derive(Default, Debug)]
pub(super) struct FakePolicies(Mutex<PolicyTexts>);

impl FakePolicies {
    pub(super) fn gates(&self) -> Option<String> {
        self.0.lock().gates.clone()
    }
}

impl PolicyControl for FakePolicies {
    fn check(&self, texts: PolicyTexts) -> BoxFuture<'static, Result<(), Refusal>> {
        let checked = match texts.texts().find(|(_, text)| *text == "wrong") {
            Some((key, _)) => Err(Refusal::new(&codes::INVALID_SETTING, "it is wrong").field(key)),
            None => Ok(()),
        };
        Box::pin(async { checked })
    }

    fn take(&self, texts: PolicyTexts) -> BoxFuture<'static, ()> {
        *self.0.lock() = texts;
        Box::pin(async {})
    }
}

pub(super) struct FakeShelf {
    pub(super) catalog: Catalog,
    pub(super) arranged: AtomicI64,
}

impl AgentCatalog for FakeShelf {
    fn arrange(&self, update: CatalogUpdate) -> Vec<WireName> {
        self.catalog.update(update);
        self.arranged.fetch_add(1, Ordering::SeqCst);
        self.catalog.snapshot().unrecorded.clone()
    }
}

/// The data folder of the gateways.
pub(super) struct RegistryFixture {
    pub(super) store: Store,
    pub(super) clock: Arc<RegistryClock>,
    _folder: TempDir,
}

impl RegistryFixture {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("a store");
        Self { store, clock: Arc::default(), _folder: folder }
    }

    pub(super) async fn books(&self, stream: &str) -> Arc<Books> {
        let settings = BooksSettings {
            stream: stream.into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        Arc::new(self.store.books(settings).await.expect("books"))
    }

    pub(super) async fn gateway(&self, stream: &str, file: FileState) -> RegistryGateway {
        let machinery = Arc::new(FakeMachinery::default());
        let shelf =
            Arc::new(FakeShelf { catalog: Catalog::with_recorded_names(), arranged: AtomicI64::new(0) });
        let policies = Arc::new(FakePolicies::default());
        let setup = RegistrySetup {
            store: self.store.clone(),
            books: self.books(stream).await,
            clock: self.clock.clone(),
            file,
            machinery: machinery.clone(),
            shelf: shelf.clone(),
            policies: Some(policies.clone()),
            shutdown: CancellationToken::new(),
        };
        let registry = Registry::start(setup).await.expect("started");
        RegistryGateway { registry, machinery, shelf, policies }
    }

    /// All events as `kind` and detail, the oldest first.
    pub(super) async fn ledger(&self) -> Vec<(String, Value)> {
        let all = EventFilter::default();
        let page = self.store.ledger_page(&all, None, 1000, LedgerOrder::OldestFirst);
        let events = page.await.expect("events");
        events
            .into_iter()
            .map(|one| {
                let detail =
                    one.event.detail.map(|detail| detail.decode().expect("JSON")).unwrap_or_default();
                (one.event.kind.as_str().to_owned(), detail)
            })
            .collect()
    }

    pub(super) async fn kinds(&self) -> Vec<String> {
        self.ledger().await.into_iter().map(|(kind, _)| kind).collect()
    }
}

pub(super) struct RegistryGateway {
    pub(super) registry: Arc<Registry>,
    pub(super) machinery: Arc<FakeMachinery>,
    pub(super) shelf: Arc<FakeShelf>,
    pub(super) policies: Arc<FakePolicies>,
}

impl RegistryGateway {
    /// `server url,url` for each server that is reached.
    pub(super) fn reached(&self) -> Vec<String> {
        let specs = self.machinery.0.lock();
        specs
            .iter()
            .map(|spec| match &spec.transport {
                TransportSpec::Http { instances, .. } => {
                    let urls: Vec<&str> = instances.iter().map(|instance| instance.url.as_str()).collect();
                    format!("{} {}", spec.name, urls.join(","))
                }
                TransportSpec::Stdio { .. } | TransportSpec::Api(_) => format!("{} -", spec.name),
            })
            .collect()
    }

    /// Wire names that agents see.
    pub(super) fn seen(&self) -> Vec<String> {
        let snapshot = self.shelf.catalog.snapshot();
        snapshot.tools.entries().iter().map(|entry| entry.wire.clone()).collect()
    }

    pub(super) fn description(&self, wire: &str) -> Option<String> {
        let snapshot = self.shelf.catalog.snapshot();
        let entry = snapshot.tools.find(wire)?;
        let value: Value = entry.offered().decode().expect("JSON");
        value["description"].as_str().map(str::to_owned)
    }
}

/// Waits until a condition holds.
pub(super) async fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub(super) fn name(text: &str) -> ServerName {
    ServerName::new(text).expect("a name")
}

pub(super) fn operator() -> Principal {
    Principal::new(PrincipalId::new("ada"), Role::Operator)
}

pub(super) fn admin() -> Principal {
    Principal::new(PrincipalId::new("root"), Role::Admin)
}

/// A value for this version of a setting.
pub(super) fn at(value: Value, expected: u64) -> NewSettingValue {
    NewSettingValue { expected: Some(expected), ..NewSettingValue::plain(value) }
}

pub(super) fn server(id: &str) -> Principal {
    Principal::new(PrincipalId::new(id), Role::Server)
}

pub(super) fn registration(server: &str, instance: &str) -> Registration {
    Registration {
        name: server.into(),
        url: format!("https://{instance}.example.com/mcp"),
        instance_id: instance.into(),
        lease_seconds: Some(6.0),
        ..Registration::default()
    }
}

pub(super) fn listing(tools: &[(&str, &str)]) -> ServerListing {
    let definition = |(own, text): &(&str, &str)| {
        RawJson::from(json!({ "name": own, "description": text, "inputSchema": { "type": "object" } }))
    };
    ServerListing { tools: tools.iter().map(definition).collect(), ..ServerListing::default() }
}

/// A file that allows everything and has these servers.
pub(super) fn file(servers: &[&str]) -> FileState {
    let mut settings = crate::settings::RegistrySettings::default();
    let value: Vec<Value> =
        servers.iter().map(|name| json!({ "name": name, "url": "https://example.com/mcp" })).collect();
    settings.take(crate::settings::MCP_SERVERS, &json!(value)).expect("good servers");
    let of_file = |entry: crate::ServerEntry| {
        let mut entry = crate::ServerEntry { source: crate::ServerSource::File, ..entry };
        entry.spec.reach = toolgate_core::address::Reach::Anywhere;
        entry
    };
    FileState {
        servers: settings.servers.into_iter().map(of_file).collect(),
        addresses: AddressRules { allow_loopback: true, allow_private: true },
        ..FileState::default()
    }
}
