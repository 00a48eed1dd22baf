//! The agents that this gateway runs itself: their loops, their tasks and automations. A process that lives as long as one command
//! runs none.

use std::sync::{Arc, OnceLock};

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tokio_util::sync::CancellationToken;
use toolgate_agents::{Agents, AgentsSetup, LoopPiece};
use toolgate_api::{Api, DrivenRuns, RunPiece};
use toolgate_core::id::RunId;
use toolgate_core::port::{BoxFuture, Keyring as _, SecretViewer};
use toolgate_core::run::NewLoop;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_credentials::Keys;
use toolgate_edge::{Gateway, Quotas};
use toolgate_models::ModelDesk;
use toolgate_runs::next_watched;
use toolgate_sessions::Sessions;
use toolgate_store::Store;
use toolgate_tasks::{Tasks, TasksSetup, WebhookKeys};

use crate::config::Config;
use crate::governance::{Governance, SystemClock};
use crate::models::own_server;
use crate::platform::PlatformDomains;
use crate::spending::DaySpendLimits;
use crate::task_ports::TaskPorts;

/// The agents from the view of the API, which exists before them: they play through it.
#[derive(Clone, Default)]
pub(crate) struct AgentDoorway(Arc<OnceLock<Arc<Agents>>>);

impl AgentDoorway {
    fn agents(&self) -> Result<&Arc<Agents>, Refusal> {
        let none = || Refusal::new(&codes::NOT_DRIVEN_HERE, "this process does not run agents");
        self.0.get().ok_or_else(none)
    }
}

impl DrivenRuns for AgentDoorway {
    fn check(&self) -> Result<(), Refusal> {
        self.agents().map(|_| ())
    }

    fn begin<'a>(&'a self, new: NewLoop, by: &'a PrincipalId) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move { self.agents()?.begin(new, by).await })
    }

    fn retry<'a>(
        &'a self,
        from: &'a RunId,
        turn: u64,
        new: NewLoop,
        by: &'a PrincipalId,
    ) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move { self.agents()?.retry(from, turn, new, by).await.map(drop) })
    }

    fn interrupt<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Ok(agents) = self.agents() {
                agents.interrupt(run).await;
            }
        })
    }

    fn watch(&self, run: &RunId) -> Option<BoxStream<'static, RunPiece>> {
        let agents = self.agents().ok()?;
        let pieces = stream::unfold(agents.watch(run), next_watched);
        Some(pieces.map(|LoopPiece { turn, piece }| RunPiece { turn, piece }).boxed())
    }
}

/// The existing parts that agents need.
pub(crate) struct AgentParts<'a> {
    pub(crate) config: &'a Config,
    pub(crate) store: &'a Store,
    pub(crate) governance: &'a Governance,
    pub(crate) gateway: &'a Arc<Gateway>,
    pub(crate) quotas: &'a Arc<Quotas>,
    pub(crate) sessions: &'a Arc<Sessions>,
    pub(crate) domains: &'a PlatformDomains,
    pub(crate) models: &'a Arc<ModelDesk>,
    pub(crate) keys: &'a Keys,
    pub(crate) api: &'a Api,
}

/// The agents and automations of a gateway that serves.
pub(crate) struct RunningAgents {
    agents: Arc<Agents>,
    tasks: Arc<Tasks>,
}

impl RunningAgents {
    /// From now on this gateway drives runs and fires automations.
    pub(crate) fn start(
        parts: &AgentParts<'_>,
        doorway: &AgentDoorway,
        shutdown: &CancellationToken,
    ) -> Self {
        let AgentParts { config, store, governance, domains, api, .. } = *parts;
        let clock = Arc::new(SystemClock::default());
        let agents = Agents::start(AgentsSetup {
            store: store.clone(),
            books: governance.books.clone(),
            clock: clock.clone(),
            runs: domains.runs.clone(),
            models: parts.models.clone(),
            player: api.player(),
            spend: Some(Arc::new(DaySpendLimits {
                quotas: parts.quotas.clone(),
                models: parts.models.clone(),
                total_micros: config.agent_loop.spend_per_day_micros,
                store: store.clone(),
                clock: clock.clone(),
            })),
            settings: config.agent_loop,
            stream: config.store.stream.clone(),
            shutdown: shutdown.clone(),
        });
        // It is set once, during assembly.
        drop(doorway.0.set(agents.clone()));
        let tasks = Tasks::start(TasksSetup {
            store: store.clone(),
            books: governance.books.clone(),
            clock,
            runs: domains.runs.clone(),
            starter: api.starter(),
            keys: Arc::new(VaultWebhookKeys(parts.keys.clone())),
            stream: config.store.stream.clone(),
            shutdown: shutdown.clone(),
        });
        let ports = TaskPorts {
            gateway: Arc::downgrade(parts.gateway),
            sessions: parts.sessions.clone(),
            runs: domains.runs.clone(),
            files: domains.files.clone(),
            desk: governance.desk.clone(),
        };
        domains.tasks.connect(ports.parts(tasks.clone(), api.starter(), store.clone()));
        Self { agents, tasks }
    }

    /// Nothing new starts, and the loops are given back, so that other gateways go on with them at once.
    pub(crate) async fn stop(&self) {
        self.tasks.stop().await;
        self.agents.stop().await;
    }
}

/// The secrets of webhooks that start tasks: the gateway's own, in the vault.
struct VaultWebhookKeys(Keys);

impl WebhookKeys for VaultWebhookKeys {
    fn secret<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String, Refusal>> {
        let found = self.0.secret(&own_server(), None, name, SecretViewer::Program);
        Box::pin(async move {
            found.await.map_err(|why| {
                Refusal::new(&codes::SECRET_INVALID, why.0)
                    .hint(format!("`toolgate secrets set toolgate {name}` stores it"))
            })
        })
    }
}
