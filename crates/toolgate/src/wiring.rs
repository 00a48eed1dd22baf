//! The assembled program: catalogue, registry, servers, hub and doors, and the store behind them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_api::Api;
use toolgate_catalog::Catalog;
use toolgate_core::ServerName;
use toolgate_core::governance::Clock;
use toolgate_core::port::Servers;
use toolgate_core::server::ServerState;
use toolgate_courier::{Courier, ReceiverBoard};
use toolgate_credentials::{CredentialDesk, HandleFiller};
use toolgate_discovery::Discovery;
use toolgate_edge::{AllowedHosts, Gateway, GatewaySetup, Hub, Quotas, RestService};
use toolgate_pipeline::Pipeline;
use toolgate_registry::Registry;
use toolgate_runs::Runs;
use toolgate_sessions::Sessions;
use toolgate_store::{Store, StreamClaim};
use toolgate_upstream::ServerManager;

use crate::agents::{AgentDoorway, AgentParts, RunningAgents};
use crate::archiving;
use crate::callers::{self, Callers};
use crate::checkpoints::Checkpointer;
use crate::chronicle::{Chronicle, OtherWriters};
use crate::collecting;
use crate::config::Config;
use crate::confining;
use crate::domains;
use crate::ended_callers;
use crate::engine;
use crate::environment;
use crate::finding;
use crate::governance::{
    COMMAND_STREAM, CatalogTools, Governance, PolicyFollower, StoredUsage, SystemClock, books_settings,
};
use crate::keyring::{self, VaultSecrets};
use crate::ledger_keeper::LedgerKeeper;
use crate::machine::{HubCatalog, ManagerControl};
use crate::mail::MailLinks;
use crate::models;
use crate::outbound;
use crate::pages;
use crate::platform::{self, DomainGround, PlatformDomains};
use crate::published::RegistryWatch;
pub(crate) use crate::recording::ServerRecording;
use crate::rest::{self, RestDoorway};
use crate::seating;
use crate::server_metrics::ServerNumbers;
use crate::watcher::GatewayWatcher;

/// An assembled gateway, connected to its servers, without any open door yet.
pub(crate) struct AssembledGateway {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) api: Api,
    pub(crate) servers: Arc<ServerManager>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) quotas: Arc<Quotas>,
    sessions: Arc<Sessions>,
    domains: PlatformDomains,
    governance: Governance,
    /// None in a process that lives as long as one command.
    agents: Option<RunningAgents>,
    courier: Option<Courier>,
    watcher: Arc<GatewayWatcher>,
    pub(crate) shutdown: CancellationToken,
    /// The tasks that follow something for as long as the gateway runs.
    pub(crate) tasks: TaskTracker,
    chronicle: Chronicle,
    shutdown_wait: Duration,
}

pub(crate) async fn start(
    config: &Config,
    store: &Store,
    listen: SocketAddr,
    record: ServerRecording,
) -> anyhow::Result<AssembledGateway> {
    start_under(config, store, listen, record, None).await
}

/// The same for a gateway that has claimed its stream of the ledger.
pub(crate) async fn start_under(
    config: &Config,
    store: &Store,
    listen: SocketAddr,
    record: ServerRecording,
    claim: Option<Arc<StreamClaim>>,
) -> anyhow::Result<AssembledGateway> {
    close_to_others();
    // Boxed, since every command that needs a house would carry all that is needed to build one.
    Box::pin(build(config, store, listen, record, claim)).await
}

/// Protects the memory of this process: otherwise every process of the same user could read its memory, its
/// environment and its open files, and the servers that it starts are such processes.
#[cfg(target_os = "linux")]
fn close_to_others() {
    if let Err(error) = nix::sys::prctl::set_dumpable(false) {
        tracing::warn!(%error, "other processes of this user can look into this one");
    }
}

#[cfg(not(target_os = "linux"))]
fn close_to_others() {}

async fn build(
    config: &Config,
    store: &Store,
    listen: SocketAddr,
    record: ServerRecording,
    claim: Option<Arc<StreamClaim>>,
) -> anyhow::Result<AssembledGateway> {
    let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
    let own = domains::tools();
    let catalog = Arc::new(Catalog::with_recorded_names().with_own(&own));
    let stream = match record {
        ServerRecording::Yes => &config.store.stream,
        ServerRecording::No => COMMAND_STREAM,
    };
    let link = approval_link(config, listen, record);
    let mail_links = MailLinks { console: console_address(config, listen, record), approval: link.clone() };
    let books = Arc::new(store.books_under(books_settings(config, stream), claim).await?);
    let governance =
        Governance::start(config, books, CatalogTools::Served(catalog.clone()), link, &shutdown).await?;
    let discovery = Arc::new(Discovery::with_own(catalog.clone(), governance.policy.clone(), &own));
    let hub = Hub::new(catalog.clone(), discovery.clone(), governance.pipeline.clone());
    let vault = keyring::vault(config, store, &governance.books)?;
    let outside = keyring::outside(config)?;
    let keys = keyring::open(vault.clone(), outside.clone(), &tasks, &shutdown).await?;
    let webhook_keys = keys.clone();
    let credentials = CredentialDesk::new(vault.clone());
    let others = if config.store.url.is_some() { OtherWriters::Replicas } else { OtherWriters::None };
    let mut chronicle = Chronicle::open(store, others).await?;
    let watcher =
        GatewayWatcher::new(hub.clone(), (record == ServerRecording::Yes).then(|| chronicle.notes()));
    let confiner = confining::confiner(config)?;
    if record == ServerRecording::Yes {
        confining::warn(config, &confiner);
        engine::make_folder(config);
    }
    let servers = ServerManager::start(toolgate_upstream::ManagerSetup {
        specs: Vec::new(),
        watcher: watcher.clone(),
        facts: chronicle.memory(),
        keyring: Arc::new(keys.clone()),
        clock: Arc::new(SystemClock::default()),
        limits: config.limits.clone(),
        env: environment::all().collect(),
        reaper_command: Some((
            std::env::current_exe().context("could not find the path of this program")?,
            vec!["reap".into()],
        )),
        confiner: Some(confiner),
    });
    let machine = ManagerControl::new(servers.clone(), chronicle.memory(), hub.clone(), keys.clone());
    let registry = Registry::start(toolgate_registry::RegistrySetup {
        store: store.clone(),
        books: governance.books.clone(),
        clock: Arc::new(SystemClock::default()) as Arc<dyn Clock>,
        file: config.file_state(),
        machinery: machine.clone(),
        shelf: Arc::new(HubCatalog(hub.clone())),
        policies: Some(Arc::new(governance.follower())),
        shutdown: shutdown.clone(),
    })
    .await?;
    watcher.tell(registry.clone());
    let models = models::desk(registry.clone(), keys);
    // A server's last listing is served until it has listed again.
    registry.listed_before(chronicle.take_listings()).await;
    machine.run();
    if record == ServerRecording::Yes {
        // The lock on the data folder guarantees that no other gateway delivers from SQLite. Postgres may
        // have others.
        if config.store.url.is_none() {
            store.release_leases().await?;
        }
        governance.watch(store, &shutdown).await?;
        // Its thread ends by itself, and need not be waited for.
        let following = finding::follow(discovery.clone(), config, shutdown.clone());
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(following));
        let archive = config.ledger.archive.enabled.then(|| archiving::open(config, store)).transpose()?;
        if let Some(archive) = archive.clone() {
            let archiving = archiving::keep_up(archive, config.ledger.archive);
            tasks.spawn(shutdown.clone().run_until_cancelled_owned(archiving));
        }
        let keeper = LedgerKeeper {
            store: store.clone(),
            books: governance.books.clone(),
            keep: config.ledger.keep_events,
            archive,
        };
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(keeper.run()));
        let telling = ended_callers::follow(store.clone(), servers.clone());
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(telling));
    }
    let around = seating::GatewayEnvironment {
        registry: registry.clone(),
        catalog: catalog.clone(),
        policy: governance.policy.clone(),
    };
    let sessions = Sessions::start(toolgate_sessions::SessionsSetup {
        store: store.clone(),
        books: governance.books.clone(),
        clock: Arc::new(SystemClock::default()),
        surroundings: Arc::new(around.clone()),
        shutdown: shutdown.clone(),
    })
    .await?;
    let ground = DomainGround {
        config,
        store,
        governance: &governance,
        models: &models,
        servers: servers.clone(),
        registry: &registry,
    };
    let domains = platform::open(ground, listen, record, &shutdown).await?;
    let doorway = RestDoorway::default();
    let bearer = callers::bearer(config)?;
    let quotas = Quotas::new(config.quotas.clone(), Arc::new(StoredUsage(store.clone())));
    let sealing_key = store.sealing_key().await?;
    let checkpointer = match record {
        ServerRecording::Yes => Checkpointer::new(config, store).await?,
        ServerRecording::No => None,
    };
    let anchors = checkpointer.as_ref().map(Checkpointer::board).unwrap_or_default();
    let gateway = Gateway::new(GatewaySetup {
        discovery: discovery.clone(),
        seats: Arc::new(seating::SessionSeats(sessions.clone())),
        servers: servers.clone() as Arc<dyn Servers>,
        pipeline: governance.pipeline.clone(),
        approvals: governance.books.clone(),
        contents: domains.files.clone(),
        handles: Arc::new(HandleFiller::new(
            credentials.clone(),
            Arc::new(webhook_keys.clone()),
            models::own_server(),
        )),
        runs: domains.runs.clone(),
        quotas: quotas.clone(),
        platform: domains.tools.clone(),
        rest: (record == ServerRecording::Yes).then(|| Arc::new(doorway.clone()) as Arc<dyn RestService>),
        hub,
        protected_resource: callers::protected_resource(config, listen, bearer.as_deref()),
        credentials: Arc::new(Callers { store: store.clone(), bearer }),
        numbers: Arc::new(ServerNumbers {
            registry: registry.clone(),
            servers: servers.clone(),
            anchors: anchors.clone(),
            engine: domains.engine.clone(),
            models: models.clone(),
            store: store.clone(),
            waiting: Mutex::default(),
        }),
        allowed: AllowedHosts::new(listen, &config.allowed_hosts, &config.allowed_origins),
        limits: config.limits.clone(),
        sealing_key,
        shutdown: shutdown.clone(),
    });
    domains.meet(&gateway, &quotas);
    if record == ServerRecording::Yes {
        domains.begin_work(&shutdown);
    }
    let following = seating::follow(around, sessions.clone(), gateway.clone());
    tasks.spawn(shutdown.clone().run_until_cancelled_owned(following));
    if let (ServerRecording::Yes, Some(every)) = (record, config.registry.check_every) {
        let watch = RegistryWatch {
            registry: registry.clone(),
            clock: Arc::new(SystemClock::default()),
            address: config.registry.clone(),
            egress: config.egress.clone(),
        };
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(watch.run(every)));
    }
    if let (ServerRecording::Yes, Some(every)) = (record, config.substrate.collect_every) {
        let collecting = collecting::keep_up(domains.substrate.clone(), every);
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(collecting));
    }
    if record == ServerRecording::Yes {
        let following = toolgate_index::follow(domains.indexes.clone());
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(following));
        let doubting = toolgate_connectors::follow(domains.connectors.clone());
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(doubting));
    }
    if let Some(checkpointer) = checkpointer {
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(checkpointer.run()));
    }
    let board = ReceiverBoard::default();
    let parts = rest::RestParts {
        config,
        store,
        governance: &governance,
        gateway: &gateway,
        quotas: &quotas,
        sessions: &sessions,
        discovery: &discovery,
        domains: &domains,
        board: &board,
        anchors: &anchors,
        models: &models,
        credentials: &credentials,
    };
    let desk = VaultSecrets { vault, outside, registry: registry.clone() };
    let driven = AgentDoorway::default();
    let api = rest::api(&parts, &catalog, &registry, desk, driven.clone(), &shutdown).await?;
    doorway.open(api.clone(), pages::console(config, store, stream, &api, &sealing_key));
    let agents = (record == ServerRecording::Yes).then(|| {
        let parts = AgentParts {
            config,
            store,
            governance: &governance,
            gateway: &gateway,
            quotas: &quotas,
            sessions: &sessions,
            domains: &domains,
            models: &models,
            keys: &webhook_keys,
            api: &api,
        };
        RunningAgents::start(&parts, &driven, &shutdown)
    });
    let courier = match record {
        ServerRecording::Yes => Some(outbound::start(config, store, &mail_links, &board, &shutdown).await?),
        ServerRecording::No => None,
    };
    Ok(AssembledGateway {
        gateway,
        api,
        servers,
        catalog,
        registry,
        quotas,
        sessions,
        domains,
        governance,
        agents,
        courier,
        watcher,
        shutdown,
        tasks,
        chronicle,
        shutdown_wait: config.limits.shutdown_wait,
    })
}

/// The address of an approval for people: the operator's, or the gateway's own page.
fn approval_link(config: &Config, listen: SocketAddr, record: ServerRecording) -> Option<String> {
    let own = || {
        let here = console_address(config, listen, record)?;
        Some(format!("{here}/console/inbox/approvals/{{id}}"))
    };
    config.approvals.link.clone().or_else(own)
}

/// The address of the gateway for people, if it shows them a console; without a slash at its end.
fn console_address(config: &Config, listen: SocketAddr, record: ServerRecording) -> Option<String> {
    let is_there = config.console.enabled && record == ServerRecording::Yes;
    let here = config.files.public_url.clone().unwrap_or_else(|| format!("http://{listen}"));
    is_there.then(|| here.trim_end_matches('/').to_owned())
}

impl AssembledGateway {
    /// Keeps the policies in force in step with the configuration.
    pub(crate) fn follower(&self) -> PolicyFollower {
        self.governance.follower()
    }

    /// The runs of this gateway.
    pub(crate) fn runs(&self) -> Arc<Runs> {
        self.domains.runs.clone()
    }

    /// Waits until a server has been reached or given up, and returns its state.
    pub(crate) async fn settled(&self, server: &ServerName, wait: Duration) -> Option<ServerState> {
        self.watcher.settled(server, wait).await
    }

    /// The pipeline, for configuration changes while calls are in progress.
    pub(crate) fn pipeline(&self) -> Arc<Pipeline> {
        self.governance.pipeline.clone()
    }

    /// The last lines a server wrote to its standard error.
    pub(crate) fn heard(&self, server: &ServerName) -> Vec<String> {
        self.watcher.heard(server)
    }

    /// Ends agents, then calls, then servers, then the record of them.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        if let Some(agents) = &self.agents {
            // Their leases are given back while the store is there.
            drop(tokio::time::timeout(self.shutdown_wait, agents.stop()).await);
        }
        // A started batch finishes, within the available time.
        drop(tokio::time::timeout(self.shutdown_wait, self.api.finish()).await);
        self.gateway.drain().await;
        self.servers.shutdown().await;
        self.registry.stop().await;
        self.sessions.stop().await;
        self.domains.close().await;
        self.governance.stop().await;
        if let Some(courier) = self.courier {
            courier.finish().await;
        }
        self.chronicle.close().await;
        self.tasks.close();
        // All of them heard of the end above.
        drop(tokio::time::timeout(self.shutdown_wait, self.tasks.wait()).await);
    }
}
