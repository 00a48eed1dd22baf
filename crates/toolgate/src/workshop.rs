//! The gateway's own domains: files, runs, and its own tools over them.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_edge::{Gateway, Quotas, Supply};
use toolgate_files::{Files, Settings};
use toolgate_platform::Tools;
use toolgate_runs::{Limits, Runs};
use toolgate_store::Store;

use crate::config::Config;
use crate::governance::{Governance, SystemClock};
use crate::wiring::Record;

#[derive(Clone)]
pub(crate) struct Workshop {
    pub(crate) files: Arc<Files>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) tools: Arc<Tools>,
}

pub(crate) async fn open(
    config: &Config,
    store: &Store,
    governance: &Governance,
    listen: SocketAddr,
    record: Record,
    shutdown: &CancellationToken,
) -> anyhow::Result<Workshop> {
    let clock = Arc::new(SystemClock::default());
    let files = Files::open(toolgate_files::Setup {
        store: store.clone(),
        books: governance.books.clone(),
        clock: clock.clone(),
        settings: settings(config, listen, record),
        signing_key: store.sealing_key().await?,
        shutdown: shutdown.clone(),
    });
    let setup = toolgate_runs::Setup {
        store: store.clone(),
        books: governance.books.clone(),
        stream: stream(config, record, &*clock),
        clock,
        shutdown: shutdown.clone(),
    };
    let limits = Limits { completing: config.runs.completion_wait, ..Limits::default() };
    let files = files.map_err(told)?;
    let runs = Runs::start_within(setup, limits).await.map_err(told)?;
    let tools = Arc::new(Tools::new(files.clone(), runs.clone(), config.runs.input_hold));
    Ok(Workshop { files, runs, tools })
}

impl Workshop {
    /// Files fetch other contents through the gateway, which exists later than the files.
    pub(crate) fn meet(&self, gateway: &Arc<Gateway>, quotas: &Arc<Quotas>) {
        self.files.supply(Arc::new(Supply::of(gateway)));
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
fn stream(config: &Config, record: Record, clock: &dyn Clock) -> String {
    match record {
        Record::Yes => config.store.stream.clone(),
        Record::No => clock.fresh_id("cli_"),
    }
}

/// Addresses lead to the gateway itself, unless a public URL is configured or it does not listen at all.
fn settings(config: &Config, listen: SocketAddr, record: Record) -> Settings {
    let mut settings = Settings::clone(&config.files);
    if settings.public_url.is_none() && record == Record::Yes {
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
