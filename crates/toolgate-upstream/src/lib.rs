#![doc = include_str!("../README.md")]

mod answer;
mod backoff;
mod client;
mod context;
mod deadline;
mod envelope;
mod events;
mod gate;
mod http;
mod instances;
mod lines;
mod link;
mod list;
mod pending;
mod pipe;
mod probe;
mod reaper;
mod routing;
mod stdio;
mod supervisor;
mod watching;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolgate_core::port::{BoxFuture, Caller, Reply, ServerError, ServerRequest, Servers, Watcher};
use toolgate_core::server::{Era, ServerSpec};
use toolgate_core::{Fault, FaultKind, Limits, RawJson, ServerName};

pub use reaper::reaper_main;

use backoff::Backoff;
use context::{Context, House};
use pending::Listener;
use supervisor::Server;

/// The variables a child inherits from the gateway's environment. Everything else it must be given.
pub const INHERITED: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"];

/// How long the parts of a server may take to end after the server itself has.
const LEFTOVERS: Duration = Duration::from_secs(10);

/// What is known about servers from earlier runs.
pub trait Facts: Send + Sync {
    /// The era and protocol version a server spoke when it was last reached.
    fn remembered(&self, server: &ServerName) -> Option<(Era, String)>;
    fn remember(&self, server: &ServerName, era: Era, version: &str);
}

/// Remembers nothing: every server is probed anew.
#[derive(Debug, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn remembered(&self, _server: &ServerName) -> Option<(Era, String)> {
        None
    }

    fn remember(&self, _server: &ServerName, _era: Era, _version: &str) {}
}

/// What the servers need to run.
pub struct Setup {
    pub specs: Vec<ServerSpec>,
    pub watcher: Arc<dyn Watcher>,
    pub facts: Arc<dyn Facts>,
    pub limits: Limits,
    /// The gateway's own environment; children get the part of it that [`INHERITED`] names.
    pub env: BTreeMap<String, String>,
    /// A program and arguments that end in [`reaper_main`]. Without it, children may outlive a killed gateway.
    pub reaper_command: Option<(PathBuf, Vec<String>)>,
}

/// All servers.
pub struct Manager {
    house: Arc<House>,
    servers: RwLock<BTreeMap<ServerName, Arc<Server>>>,
    stop: CancellationToken,
}

impl Manager {
    /// Starts to look after `setup.specs`. Must be called inside a Tokio runtime; returns at once.
    pub fn start(setup: Setup) -> Arc<Self> {
        let base_env = setup.env.into_iter().filter(|(name, _)| INHERITED.contains(&name.as_str())).collect();
        let house = House {
            watcher: setup.watcher,
            facts: setup.facts,
            limits: setup.limits,
            base_env,
            reaper: House::reaper_of(setup.reaper_command),
            tls: client::Tls::default(),
            level: watch::Sender::new(None),
        };
        let manager = Arc::new(Self {
            house: Arc::new(house),
            servers: RwLock::default(),
            stop: CancellationToken::new(),
        });
        let servers = setup.specs.into_iter().map(|spec| (spec.name.clone(), manager.begin(spec))).collect();
        *manager.servers.write().unwrap_or_else(PoisonError::into_inner) = servers;
        manager
    }

    /// Ends every connection and every child, and returns when they are gone.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let all: Vec<Arc<Server>> =
            self.servers.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        futures_util::future::join_all(all.iter().map(|server| end(server))).await;
    }

    fn begin(&self, spec: ServerSpec) -> Arc<Server> {
        Server::start(Context::new(spec, self.house.clone(), self.stop.child_token()))
    }

    fn server(&self, name: &ServerName) -> Option<Arc<Server>> {
        self.servers.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn end(server: &Server) {
    server.ctx.stop.cancel();
    server.ctx.tasks.close();
    if tokio::time::timeout(LEFTOVERS, server.ctx.tasks.wait()).await.is_err() {
        tracing::warn!(server = %server.ctx.name(), "something of a server did not end in time");
    }
}

impl Servers for Manager {
    fn request(
        &self,
        server: &ServerName,
        request: ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> BoxFuture<'static, Result<Reply, ServerError>> {
        match self.server(server) {
            Some(server) => Box::pin(async move { server.request(&request, caller).await }),
            None => {
                let reason = "no server of this name is configured".to_owned();
                let fault = Fault::new(server, FaultKind::Down { reason });
                Box::pin(std::future::ready(Err(fault.into())))
            }
        }
    }

    fn watch_resource(&self, server: &ServerName, uri: &str) -> BoxFuture<'static, bool> {
        let Some(server) = self.server(server) else { return Box::pin(std::future::ready(false)) };
        if !server.wanted.add(uri) {
            return Box::pin(std::future::ready(false));
        }
        let uri = uri.to_owned();
        Box::pin(async move { server.wanted.taken(&uri).await })
    }

    fn unwatch_resource(&self, server: &ServerName, uri: &str) {
        if let Some(server) = self.server(server) {
            server.wanted.remove(uri);
        }
    }

    fn watch_tasks(
        &self,
        server: &ServerName,
        task_ids: Vec<String>,
        on_change: Box<dyn Fn(RawJson) + Send + Sync>,
    ) -> Box<dyn Send + Sync> {
        let Some(server) = self.server(server) else { return Box::new(()) };
        let stop = server.ctx.stop.child_token();
        let guard = stop.clone().drop_guard();
        let tasks = server.ctx.tasks.clone();
        tasks.spawn(async move {
            tokio::select! {
                () = hear_tasks(&server, &task_ids, on_change.into()) => {}
                () = stop.cancelled() => {}
            }
        });
        Box::new(guard)
    }

    fn set_log_level(&self, level: &str) {
        self.house.level.send_if_modified(|current| {
            let changed = current.as_deref() != Some(level);
            *current = Some(level.to_owned());
            changed
        });
    }

    fn roots_changed(&self) {
        for server in self.servers.read().unwrap_or_else(PoisonError::into_inner).values() {
            let server = server.clone();
            let tasks = server.ctx.tasks.clone();
            tasks.spawn(async move { server.roots_changed().await });
        }
    }
}

/// Hears of tasks for as long as somebody wants to; an interrupted subscription is opened again.
async fn hear_tasks(server: &Server, task_ids: &[String], on_change: Arc<dyn Fn(RawJson) + Send + Sync>) {
    let listener: Listener = Arc::new(move |method, params| {
        if method.starts_with("notifications/tasks") {
            on_change(params);
        }
    });
    let mut backoff = Backoff::default();
    loop {
        if let Ok(live) = server.live().await {
            if live.era() == Era::Legacy {
                return;
            }
            if let Err(ServerError::Rpc(error)) =
                watching::hear_tasks(&live, task_ids, listener.clone()).await
            {
                tracing::debug!(server = %server.ctx.name(), %error, "tasks cannot be watched");
                return;
            }
        }
        tokio::time::sleep(backoff.next()).await;
    }
}
