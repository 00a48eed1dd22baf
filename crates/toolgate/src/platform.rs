//! The gateway's own domains: files, runs, tasks, the substrate, schemas, indexes, and its own tools over them.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_domain::DomainSet;
use toolgate_edge::{Gateway, GatewaySuppliers, Quotas};
use toolgate_files::{Files, FilesSettings};
use toolgate_index::{IndexSetup, Indexes};
use toolgate_pipeline::schema::Schemas;
use toolgate_runs::{Runs, WaitLimits};
use toolgate_schema::{SchemaSetup, SchemaVersions};
use toolgate_store::Store;
use toolgate_substrate::{Substrate, SubstrateSetup};
use toolgate_tasks::TaskTools;

use crate::config::Config;
use crate::domains::DomainStates;
use crate::governance::{Governance, SystemClock};
use crate::recording::ServerRecording;
use crate::run_contents::KeptRunContents;

#[derive(Clone)]
pub(crate) struct PlatformDomains {
    pub(crate) files: Arc<Files>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) substrate: Arc<Substrate>,
    /// Connected where the gateway runs agents.
    pub(crate) tasks: Arc<TaskTools>,
    pub(crate) indexes: Arc<Indexes>,
    pub(crate) tools: Arc<DomainSet>,
}

pub(crate) async fn open(
    config: &Config,
    store: &Store,
    governance: &Governance,
    listen: SocketAddr,
    record: ServerRecording,
    shutdown: &CancellationToken,
) -> anyhow::Result<PlatformDomains> {
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
    let substrate = Substrate::new(SubstrateSetup {
        store: store.clone(),
        books: governance.books.clone(),
        files: files.clone(),
        clock: clock.clone(),
        collection: config.substrate.collection,
    });
    let setup = toolgate_runs::RunsSetup {
        store: store.clone(),
        books: governance.books.clone(),
        contents: Arc::new(KeptRunContents::new(files.clone(), substrate.clone())),
        stream: stream(config, record, &*clock),
        clock: clock.clone(),
        shutdown: shutdown.clone(),
    };
    let limits = WaitLimits { completing: config.runs.completion_wait, ..WaitLimits::default() };
    let runs = Runs::start_within(setup, limits).await.map_err(told)?;
    let schemas = SchemaVersions::new(SchemaSetup {
        store: store.clone(),
        books: governance.books.clone(),
        files: files.clone(),
        clock: clock.clone(),
        validator: Arc::new(Schemas::default()),
    });
    let indexes = toolgate_index::open(IndexSetup {
        store: store.clone(),
        books: governance.books.clone(),
        files: files.clone(),
        clock,
        substrate: substrate.clone(),
        engine: engine.clone(),
        documents: documents.clone(),
        work: work.clone(),
        settings: config.index.clone(),
    });
    let indexes = indexes.map_err(told)?;
    let tasks = Arc::new(TaskTools::default());
    let tools = Arc::new(crate::domains::bind(DomainStates {
        files: &files,
        runs: &runs,
        substrate: &substrate,
        schemas: &schemas,
        tasks: &tasks,
        indexes: &indexes,
        input_hold: config.runs.input_hold,
    }));
    Ok(PlatformDomains { files, runs, substrate, tasks, indexes, tools })
}

impl PlatformDomains {
    /// Files fetch other contents through the gateway, which exists later than the files.
    pub(crate) fn meet(&self, gateway: &Arc<Gateway>, quotas: &Arc<Quotas>) {
        self.files.supply(Arc::new(GatewaySuppliers::of(gateway)));
        let quotas = quotas.clone();
        self.files.limit(Box::new(move |owner| quotas.of(owner).stored_bytes_max));
    }

    pub(crate) async fn close(&self) {
        self.runs.stop().await;
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
