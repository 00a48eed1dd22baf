//! The house put together: catalogue, servers, hub and doors, and what the store keeps of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{Catalog, Filter, Hints, ServerSettings, ToolRule};
use toolgate_core::governance::StoreDown;
use toolgate_core::port::{AskKind, BoxFuture, Servers, Watcher};
use toolgate_core::server::{Era, Listing, ServerHealth, ServerSpec, ServerState};
use toolgate_core::{Principal, PrincipalId, RawJson, RpcError, ServerName};
use toolgate_courier::Courier;
use toolgate_edge::{AllowedHosts, Credentials, Gateway, Hub, Rest, Setup};
use toolgate_store::{Counts, Store, StoreError};
use toolgate_upstream::{Facts, Manager};

use crate::config::{self, Config, ServerEntry};
use crate::governance::{COMMAND_STREAM, Governance, LedgerArchive};
use crate::outbound;
use crate::rest::{self, Doorway};

/// A gateway that is wired up and connected to its servers, without any door open yet.
pub(crate) struct House {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) servers: Arc<Manager>,
    pub(crate) catalog: Arc<Catalog>,
    governance: Governance,
    courier: Option<Courier>,
    ears: Arc<Ears>,
    pub(crate) shutdown: CancellationToken,
    recorder: JoinHandle<()>,
    /// Tells the recorder that nothing more will come.
    last_note: CancellationToken,
}

/// Whether what servers do is written to the store. Only the gateway that holds the data folder's lock writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    Yes,
    No,
}

pub(crate) async fn start(
    config: &Config,
    store: &Store,
    listen: SocketAddr,
    record: Record,
) -> anyhow::Result<House> {
    let enabled: Vec<&ServerEntry> = config.servers.iter().filter(|server| server.enabled).collect();
    let specs: Vec<ServerSpec> = enabled.iter().map(|server| server.spec.clone()).collect();
    let names: Vec<ServerName> = specs.iter().map(|spec| spec.name.clone()).collect();
    let catalog = Arc::new(Catalog::new(
        enabled.iter().map(|server| settings(server)).collect(),
        config.tools.iter().map(tool_rule).collect(),
    ));
    let hub = Hub::new(catalog.clone(), names.iter().cloned());
    let shutdown = CancellationToken::new();

    let fingerprints: BTreeMap<ServerName, String> =
        specs.iter().map(|spec| (spec.name.clone(), fingerprint(spec))).collect();
    let mut eras = BTreeMap::new();
    let mut records = Records::default();
    for (name, fingerprint) in &fingerprints {
        if let Some(era) = store.remembered_era(name, fingerprint).await? {
            eras.insert(name.clone(), era);
        }
        // What a server listed last is served until it has listed again.
        if record == Record::Yes
            && let Some(listing) = store.read_listing(name, fingerprint).await?
        {
            records.counts.insert(name.clone(), Counts::of(&listing));
            hub.listed(name, listing);
        }
    }
    if record == Record::Yes {
        store.keep_only_servers(&names).await?;
    }
    let (notes, inbox) = mpsc::channel(NOTES_MAX);
    let last_note = CancellationToken::new();
    let recorder = tokio::spawn(keep_records(store.clone(), fingerprints, records, inbox, last_note.clone()));
    let ears = Arc::new(Ears {
        hub: hub.clone(),
        notes: (record == Record::Yes).then_some(notes.clone()),
        states: watch::Sender::default(),
        tails: Mutex::default(),
    });
    let memory = Arc::new(Memory { eras: Mutex::new(eras), notes });
    let servers = Manager::start(toolgate_upstream::Setup {
        specs,
        watcher: ears.clone(),
        facts: memory,
        limits: config.limits.clone(),
        env: std::env::vars().collect(),
        reaper_command: Some((
            std::env::current_exe().context("could not find the path of this program")?,
            vec!["reap".into()],
        )),
    });
    let stream = match record {
        Record::Yes => &config.store.stream,
        Record::No => COMMAND_STREAM,
    };
    let governance = Governance::start(config, store, &catalog, stream, &shutdown).await?;
    if record == Record::Yes {
        // The lock on the data folder says that nobody else delivers from SQLite. Postgres may have other gateways.
        if config.store.url.is_none() {
            store.release_leases().await?;
        }
        governance.watch(store, &shutdown).await?;
    }
    let doorway = Doorway::default();
    let gateway = Gateway::new(Setup {
        catalog: catalog.clone(),
        servers: servers.clone() as Arc<dyn Servers>,
        pipeline: governance.pipeline.clone(),
        approvals: governance.books.clone(),
        archive: Arc::new(LedgerArchive(store.clone())),
        rest: (record == Record::Yes).then(|| Arc::new(doorway.clone()) as Arc<dyn Rest>),
        hub,
        credentials: Arc::new(Tokens(store.clone())),
        allowed: AllowedHosts::new(listen, &config.allowed_hosts, &config.allowed_origins),
        limits: config.limits.clone(),
        sealing_key: store.sealing_key().await?,
        shutdown: shutdown.clone(),
    });
    doorway.open(rest::api(config, store, &governance, &gateway, &catalog)?);
    let courier = match record {
        Record::Yes => Some(outbound::start(config, store, &shutdown).await?),
        Record::No => None,
    };
    Ok(House { gateway, servers, catalog, governance, courier, ears, shutdown, recorder, last_note })
}

impl House {
    /// Waits until a server has been reached or given up, and says how it does.
    pub(crate) async fn settled(&self, server: &ServerName, wait: Duration) -> Option<ServerState> {
        let mut states = self.ears.states.subscribe();
        let settled = |states: &BTreeMap<ServerName, ServerState>| {
            states.get(server).is_some_and(|state| state.health != ServerHealth::Starting)
        };
        // Where time runs out, the last word of the server counts.
        drop(tokio::time::timeout(wait, states.wait_for(settled)).await);
        states.borrow().get(server).cloned()
    }

    /// The last lines a server wrote to its standard error.
    pub(crate) fn heard(&self, server: &ServerName) -> Vec<String> {
        let tails = self.ears.tails.lock().unwrap_or_else(PoisonError::into_inner);
        tails.get(server).into_iter().flatten().cloned().collect()
    }

    /// Ends calls, then servers, then the record of them.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.gateway.drain().await;
        self.servers.shutdown().await;
        self.governance.stop().await;
        if let Some(courier) = self.courier {
            courier.finish().await;
        }
        self.last_note.cancel();
        if tokio::time::timeout(Duration::from_secs(2), self.recorder).await.is_err() {
            tracing::warn!("the last changes of servers could not be recorded in time");
        }
    }
}

pub(crate) fn settings(server: &ServerEntry) -> ServerSettings {
    ServerSettings {
        name: server.spec.name.clone(),
        prefix: server.prefix,
        filter: Filter::new(
            server.filter.allow.iter().map(String::as_str),
            server.filter.deny.iter().map(String::as_str),
        ),
        hints: if server.trust_annotations { Hints::Believed } else { Hints::Ignored },
    }
}

pub(crate) fn tool_rule(rule: &config::ToolRule) -> ToolRule {
    ToolRule {
        effects: rule.effects,
        audit: rule.audit,
        idempotent: rule.idempotent,
        output_check: rule.output,
        ..ToolRule::new(&rule.name)
    }
}

/// Stands for how a server is reached: another command or URL is another server.
fn fingerprint(spec: &ServerSpec) -> String {
    let digest = Sha256::digest(format!("{:?}", spec.transport));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

struct Tokens(Store);

/// How long a token that was good is still taken for good while the store is away. What may change something is refused
/// then in any case.
const LAST_KNOWN_MAX: Duration = Duration::from_secs(300);

impl Credentials for Tokens {
    fn check_known(&self, secret: &str) -> Option<Option<Principal>> {
        self.0.check_cached(secret)
    }

    fn check(&self, secret: String) -> BoxFuture<'_, Result<Option<Principal>, StoreDown>> {
        Box::pin(async move {
            self.0.verify_or_last_known(&secret, LAST_KNOWN_MAX).await.map_err(|error| {
                tracing::error!(%error, "a token could not be checked and was refused");
                StoreDown(error.to_string())
            })
        })
    }
}

/// Something about a server that is to be kept.
enum Note {
    State(ServerName, ServerState),
    Listing(ServerName, Listing),
    Era(ServerName, Era, String),
    Stderr(ServerName, String),
}

/// Notes that may wait to be written; beyond that the newest are dropped.
const NOTES_MAX: usize = 4_096;
const STDERR_LINES_KEPT: usize = 100;
/// Changes are gathered this long before they are written.
const GATHER: Duration = Duration::from_millis(100);

struct Ears {
    hub: Arc<Hub>,
    notes: Option<mpsc::Sender<Note>>,
    states: watch::Sender<BTreeMap<ServerName, ServerState>>,
    tails: Mutex<BTreeMap<ServerName, VecDeque<String>>>,
}

fn keep_tail(tails: &mut BTreeMap<ServerName, VecDeque<String>>, server: &ServerName, line: &str) {
    let tail = tails.entry(server.clone()).or_default();
    tail.push_back(line.to_owned());
    if tail.len() > STDERR_LINES_KEPT {
        tail.pop_front();
    }
}

impl Ears {
    fn note(&self, note: Note) {
        if let Some(notes) = &self.notes {
            // A writer that cannot keep up loses details of the past, never anything a caller depends on.
            drop(notes.try_send(note));
        }
    }
}

impl Watcher for Ears {
    fn listed(&self, server: &ServerName, listing: Listing) {
        self.note(Note::Listing(server.clone(), listing.clone()));
        self.hub.listed(server, listing);
    }

    fn state_changed(&self, server: &ServerName, state: &ServerState) {
        tracing::info!(%server, health = ?state.health, reason = state.reason.as_deref().unwrap_or(""), "server");
        self.states.send_modify(|states| {
            states.insert(server.clone(), state.clone());
        });
        self.note(Note::State(server.clone(), state.clone()));
        self.hub.state_changed(server, state);
    }

    fn resource_updated(&self, server: &ServerName, uri: &str, params: RawJson) {
        self.hub.resource_updated(server, uri, &params);
    }

    fn logged(&self, _server: &ServerName, owner: Option<&PrincipalId>, params: RawJson) {
        self.hub.logged(owner, &params);
    }

    fn asked(
        &self,
        _server: &ServerName,
        owner: Option<&PrincipalId>,
        kind: AskKind,
        params: RawJson,
    ) -> BoxFuture<'static, Result<RawJson, RpcError>> {
        self.hub.asked(owner, kind, params)
    }

    fn stderr_line(&self, server: &ServerName, line: &str) {
        tracing::debug!(%server, line, "stderr");
        keep_tail(&mut self.tails.lock().unwrap_or_else(PoisonError::into_inner), server, line);
        self.note(Note::Stderr(server.clone(), line.to_owned()));
    }
}

struct Memory {
    eras: Mutex<BTreeMap<ServerName, (Era, String)>>,
    notes: mpsc::Sender<Note>,
}

impl Facts for Memory {
    fn remembered(&self, server: &ServerName) -> Option<(Era, String)> {
        self.eras.lock().unwrap_or_else(PoisonError::into_inner).get(server).cloned()
    }

    fn remember(&self, server: &ServerName, era: Era, protocol_version: &str) {
        let fact = (era, protocol_version.to_owned());
        self.eras.lock().unwrap_or_else(PoisonError::into_inner).insert(server.clone(), fact);
        drop(self.notes.try_send(Note::Era(server.clone(), era, protocol_version.to_owned())));
    }
}

/// What is known of the servers, and which of it has not been written yet.
#[derive(Default)]
struct Records {
    states: BTreeMap<ServerName, ServerState>,
    counts: BTreeMap<ServerName, Counts>,
    tails: BTreeMap<ServerName, VecDeque<String>>,
    changed_states: BTreeSet<ServerName>,
    changed_tails: BTreeSet<ServerName>,
    listings: BTreeMap<ServerName, Listing>,
    eras: BTreeMap<ServerName, (Era, String)>,
}

async fn keep_records(
    store: Store,
    fingerprints: BTreeMap<ServerName, String>,
    mut records: Records,
    mut inbox: mpsc::Receiver<Note>,
    last_note: CancellationToken,
) {
    loop {
        let first = tokio::select! {
            first = inbox.recv() => first,
            // A closed inbox gives out what it still holds, then nothing.
            () = last_note.cancelled(), if !inbox.is_closed() => {
                inbox.close();
                continue;
            }
        };
        let Some(first) = first else { return };
        // The end does not wait for more to gather.
        drop(tokio::time::timeout(GATHER, last_note.cancelled()).await);
        records.add(first);
        while let Ok(note) = inbox.try_recv() {
            records.add(note);
        }
        if let Err(error) = records.write(&store, &fingerprints).await {
            tracing::warn!(%error, "what servers do could not be recorded");
        }
    }
}

impl Records {
    fn add(&mut self, note: Note) {
        match note {
            Note::State(name, state) => {
                self.changed_states.insert(name.clone());
                self.states.insert(name, state);
            }
            Note::Listing(name, listing) => {
                self.changed_states.insert(name.clone());
                self.counts.insert(name.clone(), Counts::of(&listing));
                self.listings.insert(name, listing);
            }
            Note::Era(name, era, version) => {
                self.eras.insert(name, (era, version));
            }
            Note::Stderr(name, line) => {
                keep_tail(&mut self.tails, &name, &line);
                self.changed_tails.insert(name);
            }
        }
    }

    async fn write(
        &mut self,
        store: &Store,
        fingerprints: &BTreeMap<ServerName, String>,
    ) -> Result<(), StoreError> {
        let none = String::new();
        let fingerprint = |name: &ServerName| fingerprints.get(name).unwrap_or(&none);
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        for name in std::mem::take(&mut self.changed_states) {
            if let Some(state) = self.states.get(&name) {
                store
                    .write_status(&name, state, self.counts.get(&name).copied().unwrap_or_default(), at)
                    .await?;
            }
        }
        for (name, listing) in std::mem::take(&mut self.listings) {
            store.write_listing(&name, fingerprint(&name), &listing).await?;
        }
        for (name, (era, version)) in std::mem::take(&mut self.eras) {
            store.remember_era(&name, fingerprint(&name), era, &version).await?;
        }
        for name in std::mem::take(&mut self.changed_tails) {
            let lines: Vec<String> = self.tails.get(&name).into_iter().flatten().cloned().collect();
            store.write_stderr(&name, &lines).await?;
        }
        Ok(())
    }
}
