//! The gateway's own domains: files, runs, tasks, the substrate, schemas, documents,
//! indexes, knowledge bases, claims, connectors, and its own tools over them; and the engine beside them.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_claims::{Claims, ClaimsSetup};
use toolgate_connectors::{Connectors, ConnectorsSetup};
use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_core::port::Servers;
use toolgate_documents::{Documents, DocumentsSetup};
use toolgate_domain::DomainSet;
use toolgate_edge::{Gateway, GatewaySuppliers, Quotas};
use toolgate_engine::EngineLink;
use toolgate_files::{Files, FilesSettings};
use toolgate_index::{IndexSetup, Indexes};
use toolgate_models::ModelDesk;
use toolgate_pipeline::schema::Schemas;
use toolgate_registry::Registry;
use toolgate_runs::{Runs, WaitLimits};
use toolgate_schema::{SchemaSetup, SchemaVersions};
use toolgate_store::Store;
use toolgate_substrate::{Substrate, SubstrateSetup};
use toolgate_tasks::TaskTools;
use toolgate_work::{WorkDesk, WorkSettings, WorkSetup};

use crate::citations::DocumentSights;
use crate::config::Config;
use crate::connectors::RegisteredServers;
use crate::domains::DomainStates;
use crate::drawn_pages::DrawnPages;
use crate::engine;
use crate::governance::{Governance, SystemClock};
use crate::knowledge::{self, KnowledgeParts};
use crate::outcomes::SchemaOutcomes;
use crate::proving::SignedProofs;
use crate::recording::ServerRecording;
use crate::run_contents::KeptRunContents;

#[derive(Clone)]
pub(crate) struct PlatformDomains {
    pub(crate) files: Arc<Files>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) substrate: Arc<Substrate>,
    /// Started when something is asked of it.
    pub(crate) engine: Arc<EngineLink>,
    /// Work that takes longer than a call.
    pub(crate) work: Arc<WorkDesk>,
    working: TaskTracker,
    /// Passages in their documents, for people.
    pub(crate) citations: Arc<DocumentSights>,
    /// Connected where the gateway runs agents.
    pub(crate) tasks: Arc<TaskTools>,
    pub(crate) indexes: Arc<Indexes>,
    pub(crate) connectors: Arc<Connectors>,
    pub(crate) tools: Arc<DomainSet>,
}

/// The parts of the gateway that domains stand on.
pub(crate) struct DomainGround<'a> {
    pub(crate) config: &'a Config,
    pub(crate) store: &'a Store,
    pub(crate) governance: &'a Governance,
    pub(crate) models: &'a Arc<ModelDesk>,
    pub(crate) servers: Arc<dyn Servers>,
    pub(crate) registry: &'a Arc<Registry>,
}

pub(crate) async fn open(
    ground: DomainGround<'_>,
    listen: SocketAddr,
    record: ServerRecording,
    shutdown: &CancellationToken,
) -> anyhow::Result<PlatformDomains> {
    let DomainGround { config, store, governance, models, servers, registry } = ground;
    let clock = Arc::new(SystemClock::default());
    let files = Files::open(toolgate_files::FilesSetup {
        store: store.clone(),
        books: governance.books.clone(),
        clock: clock.clone(),
        settings: settings(config, listen, record),
        signing_key: store.sealing_key().await?,
        shutdown: shutdown.clone(),
    });
    let files = files.map_err(told)?;
    let engine = engine::link(config, files.blobs(), clock.clone())?;
    let substrate = Substrate::new(SubstrateSetup {
        store: store.clone(),
        books: governance.books.clone(),
        files: files.clone(),
        clock: clock.clone(),
        collection: config.substrate.collection,
    });
    let stream = stream(config, record, &*clock);
    let setup = toolgate_runs::RunsSetup {
        store: store.clone(),
        books: governance.books.clone(),
        contents: Arc::new(KeptRunContents::new(files.clone(), substrate.clone())),
        stream: stream.clone(),
        clock: clock.clone(),
        shutdown: shutdown.clone(),
    };
    let limits = WaitLimits { completing: config.runs.completion_wait, ..WaitLimits::default() };
    let runs = Runs::start_within(setup, limits).await.map_err(told)?;
    runs.check_outcomes_with(Arc::new(SchemaOutcomes::default()));
    let schemas = SchemaVersions::new(SchemaSetup {
        store: store.clone(),
        books: governance.books.clone(),
        files: files.clone(),
        clock: clock.clone(),
        validator: Arc::new(Schemas::default()),
    });
    let work = desk(store, &runs, clock.clone(), stream);
    let documents = Documents::new(DocumentsSetup {
        store: store.clone(),
        files: files.clone(),
        substrate: substrate.clone(),
        engine: engine.clone(),
        work: work.clone(),
        clock: clock.clone(),
    });
    let indexes = toolgate_index::open(IndexSetup {
        store: store.clone(),
        books: governance.books.clone(),
        files: files.clone(),
        clock: clock.clone(),
        substrate: substrate.clone(),
        engine: engine.clone(),
        documents: documents.clone(),
        work: work.clone(),
        settings: config.index.clone(),
    });
    let indexes = indexes.map_err(told)?;
    let knowledge = knowledge::open(KnowledgeParts {
        store,
        books: &governance.books,
        clock: clock.clone(),
        indexes: &indexes,
        documents: &documents,
        models,
        model: config.knowledge.model.as_ref(),
    });
    let claims = Claims::new(ClaimsSetup {
        store: store.clone(),
        books: governance.books.clone(),
        clock: clock.clone(),
        files: files.clone(),
        documents: documents.clone(),
        substrate: substrate.clone(),
        runs: runs.clone(),
        proofs: Arc::new(SignedProofs { config: Arc::new(config.clone()), store: store.clone() }),
    });
    let connectors = toolgate_connectors::open(ConnectorsSetup {
        store: store.clone(),
        clock,
        substrate: substrate.clone(),
        runs: runs.clone(),
        work: work.clone(),
        servers,
        roster: Arc::new(RegisteredServers(registry.clone())),
    });
    let tasks = Arc::new(TaskTools::default());
    let tools = Arc::new(crate::domains::bind(DomainStates {
        files: &files,
        runs: &runs,
        substrate: &substrate,
        schemas: &schemas,
        tasks: &tasks,
        documents: &documents,
        indexes: &indexes,
        knowledge: &knowledge,
        claims: &claims,
        connectors: &connectors,
        input_hold: config.runs.input_hold,
    }));
    let citations = Arc::new(DocumentSights {
        store: store.clone(),
        documents,
        engine: engine.clone(),
        drawn: DrawnPages::default(),
    });
    let working = TaskTracker::new();
    Ok(PlatformDomains {
        files,
        runs,
        substrate,
        engine,
        work,
        working,
        indexes,
        connectors,
        citations,
        tasks,
        tools,
    })
}

fn desk(store: &Store, runs: &Arc<Runs>, clock: Arc<dyn Clock>, stream: String) -> Arc<WorkDesk> {
    let (store, runs, settings) = (store.clone(), runs.clone(), WorkSettings::default());
    WorkDesk::new(WorkSetup { store, clock, runs, settings, stream })
}

impl PlatformDomains {
    /// Files fetch other contents through the gateway, which exists later than the files.
    pub(crate) fn meet(&self, gateway: &Arc<Gateway>, quotas: &Arc<Quotas>) {
        self.files.supply(Arc::new(GatewaySuppliers::of(gateway)));
        let quotas = quotas.clone();
        self.files.limit(Box::new(move |owner| quotas.of(owner).stored_bytes_max));
    }

    /// Takes up long work from now on.
    pub(crate) fn begin_work(&self, shutdown: &CancellationToken) {
        self.working.spawn(self.work.clone().run_until(shutdown.clone()));
    }

    /// Long work has heard of the end; its leases are given back while the store is there.
    pub(crate) async fn close(&self) {
        self.working.close();
        self.working.wait().await;
        self.runs.stop().await;
        self.engine.stop().await;
        self.files.stop().await;
    }
}

/// The name of this process's calls in runs: calls that an earlier process left open under the same name are
/// given up. A process that lives as long as one command has others beside it.
fn stream(config: &Config, record: ServerRecording, clock: &dyn Clock) -> String {
    match record {
        ServerRecording::Yes => config.store.stream.clone(),
        ServerRecording::No => clock.fresh_id("cli_"),
    }
}

/// Addresses lead to the gateway itself, unless a public URL is configured or it does not listen at all.
fn settings(config: &Config, listen: SocketAddr, record: ServerRecording) -> FilesSettings {
    let mut settings = FilesSettings::clone(&config.files);
    if settings.public_url.is_none() && record == ServerRecording::Yes {
        settings.public_url = Some(format!("http://{listen}"));
    }
    settings
}

fn told(refusal: Refusal) -> anyhow::Error {
    match refusal.hint.is_empty() {
        true => anyhow::anyhow!(refusal.message),
        false => anyhow::anyhow!("{}\nhint: {}", refusal.message, refusal.hint),
    }
}
