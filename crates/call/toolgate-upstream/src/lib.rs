#![doc = include_str!("../README.md")]

// A server and its instances.
mod context;
mod facts;
mod fleet;
mod member;
mod own;
mod reading;

// Connections, by transport.
mod api;
mod client;
mod events;
mod http;
mod lines;
mod link;
mod pipe;
mod stdio;

// Introductions, lists and changes.
mod list;
mod older;
mod probe;
mod watching;

// A request and its answer.
mod answer;
mod callers;
mod cancel;
mod deadline;
mod envelope;
mod message;
mod pending;
mod routing;

// Credentials.
mod keys;

// Limits, failures and speed.
mod backoff;
mod breaker;
mod cache;
mod gate;
mod latency;
mod pace;
mod rates;

// Processes that outlive the gateway.
mod reaper;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::governance::Clock;
use toolgate_core::port::{
    BoxFuture, Caller, Keyring, ServerError, ServerReply, ServerRequest, ServerWatcher, Servers,
};
use toolgate_core::server::{Confinement, ServerSpec};
use toolgate_core::{Fault, FaultKind, MessageLimits, RawJson, ServerName};
use toolgate_sandbox::Confiner;

pub use api::sign_in::{ApiSignIn, api_sign_in};
pub use callers::EndedCaller;
pub use facts::{NoFacts, ServerFacts};
pub use fleet::{InstanceVitals, ServerPause, ServerVitals, ToolVitals};
pub use keys::{secret_names, with_secrets};
pub use latency::LatencySnapshot;
pub use reaper::reaper_main;

use context::SharedContext;
use fleet::{Fleet, see_off};

/// The variables a child inherits from the gateway's environment. Everything else it must be given.
pub const INHERITED: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"];

/// The dependencies of the servers.
pub struct ManagerSetup {
    pub specs: Vec<ServerSpec>,
    pub watcher: Arc<dyn ServerWatcher>,
    pub facts: Arc<dyn ServerFacts>,
    /// The credentials that the gateway shows to servers.
    pub keyring: Arc<dyn Keyring>,
    /// Dates the requests to APIs that want them signed.
    pub clock: Arc<dyn Clock>,
    pub limits: MessageLimits,
    /// The gateway's own environment; children get the part of it that [`INHERITED`] names.
    pub env: BTreeMap<String, String>,
    /// A program and arguments that end in [`reaper_main`]. Without it, children may outlive a killed gateway.
    pub reaper_command: Option<(PathBuf, Vec<String>)>,
    /// Confines child processes. Without it they may do everything that the gateway may.
    pub confiner: Option<Confiner>,
}

/// All servers.
pub struct ServerManager {
    house: Arc<SharedContext>,
    fleets: RwLock<BTreeMap<ServerName, Arc<Fleet>>>,
    /// Locked while the fleets are updated, so that concurrent updates run one after the other.
    applying: Mutex<()>,
    /// Fleets that are being removed.
    leaving: TaskTracker,
    stop: CancellationToken,
}

impl ServerManager {
    /// Starts to look after `setup.specs`. Must be called inside a Tokio runtime; returns at once.
    pub fn start(setup: ManagerSetup) -> Arc<Self> {
        let base_env = setup.env.into_iter().filter(|(name, _)| INHERITED.contains(&name.as_str())).collect();
        let house = SharedContext {
            watcher: setup.watcher,
            facts: setup.facts,
            keyring: setup.keyring,
            clock: setup.clock,
            limits: setup.limits,
            base_env,
            reaper: SharedContext::reaper_of(setup.reaper_command),
            confiner: setup.confiner,
            level: watch::Sender::new(None),
            cache: cache::ResultCache::default(),
        };
        let manager = Arc::new(Self {
            house: Arc::new(house),
            fleets: RwLock::default(),
            applying: Mutex::default(),
            leaving: TaskTracker::new(),
            stop: CancellationToken::new(),
        });
        manager.apply(setup.specs);
        manager
    }

    /// Makes the servers match `specs`. Unchanged servers are not touched; removed or replaced ones get no
    /// new requests, finish those in progress within their timeout, and end. Of two with one name the first
    /// counts. Must be called inside a Tokio runtime and not by the [`ServerWatcher`] itself, which receives calls
    /// meanwhile; returns at once.
    pub fn apply(&self, specs: Vec<ServerSpec>) {
        let _only = self.applying.lock();
        if self.stop.is_cancelled() {
            return;
        }
        let before = self.fleets.read().clone();
        let mut fleets = BTreeMap::new();
        for spec in specs {
            let name = spec.name.clone();
            if fleets.contains_key(&name) {
                continue;
            }
            let fleet = match before.get(&name).cloned() {
                Some(fleet) => {
                    fleet.apply(spec).into_iter().for_each(|member| self.let_go(member));
                    fleet
                }
                None => Fleet::start(spec, self.house.clone(), self.stop.child_token()),
            };
            fleets.insert(name, fleet);
        }
        let gone = before.into_iter().filter(|(name, _)| !fleets.contains_key(name));
        let gone: Vec<Arc<Fleet>> = gone.map(|(_, fleet)| fleet).collect();
        *self.fleets.write() = fleets;
        gone.into_iter().for_each(|fleet| self.disband(fleet));
    }

    /// The current vitals of a server; `None` if there is none of this name.
    pub fn vitals(&self, server: &ServerName) -> Option<ServerVitals> {
        self.fleet(server).map(|fleet| fleet.vitals())
    }

    /// The confinement of a server's process; `None` if it is not a process of ours.
    pub fn confinement(&self, server: &ServerName) -> Option<Confinement> {
        let transport = self.fleet(server)?.transport();
        self.house.confiner.as_ref()?.confinement(&transport, &self.house.base_env)
    }

    /// Connects a server anew, or starts its process again: each instance that this gateway has. `false` if there is no such
    /// server. Returns at once.
    pub fn restart(&self, server: &ServerName) -> bool {
        let fleet = self.fleet(server);
        if let Some(fleet) = &fleet {
            fleet.members().iter().for_each(|member| member.restart());
        }
        fleet.is_some()
    }

    /// True if some server keeps a state for its callers and wants to hear of their ends.
    pub fn knows_callers(&self) -> bool {
        self.fleets.read().values().any(|fleet| fleet.knows_callers())
    }

    /// A session or a run has ended: every instance that knows its callers is told, when it is connected. Returns at once.
    pub fn caller_ended(&self, ended: &EndedCaller) {
        for fleet in self.fleets.read().values() {
            fleet.caller_ended(ended);
        }
    }

    /// Ends every connection and every child, and returns when they are gone.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let fleets: Vec<Arc<Fleet>> = {
            let _only = self.applying.lock();
            self.fleets.read().values().cloned().collect()
        };
        futures_util::future::join_all(fleets.iter().map(|fleet| fleet.end())).await;
        self.leaving.close();
        self.leaving.wait().await;
    }

    fn let_go(&self, member: Arc<member::FleetMember>) {
        self.leaving.spawn(see_off(member));
    }

    fn disband(&self, fleet: Arc<Fleet>) {
        let members = fleet.disband();
        self.leaving.spawn(async move {
            futures_util::future::join_all(members.into_iter().map(see_off)).await;
            fleet.end().await;
        });
    }

    fn fleet(&self, name: &ServerName) -> Option<Arc<Fleet>> {
        self.fleets.read().get(name).cloned()
    }
}

impl Drop for ServerManager {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Servers for ServerManager {
    fn request(
        &self,
        server: &ServerName,
        request: ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> BoxFuture<'static, Result<ServerReply, ServerError>> {
        match self.fleet(server) {
            Some(fleet) => Box::pin(async move { fleet.request(&request, caller).await }),
            None => {
                let reason = "no server of this name is configured".to_owned();
                let fault = Fault::new(server, FaultKind::Down { reason });
                Box::pin(std::future::ready(Err(fault.into())))
            }
        }
    }

    fn watch_resource(&self, server: &ServerName, uri: &str) -> BoxFuture<'static, bool> {
        let Some(fleet) = self.fleet(server) else { return Box::pin(std::future::ready(false)) };
        if !fleet.wanted.add(uri) {
            return Box::pin(std::future::ready(false));
        }
        let uri = uri.to_owned();
        Box::pin(async move { fleet.wanted.taken(&uri).await })
    }

    fn unwatch_resource(&self, server: &ServerName, uri: &str) {
        if let Some(fleet) = self.fleet(server) {
            fleet.wanted.remove(uri);
        }
    }

    fn watch_tasks(
        &self,
        server: &ServerName,
        task_ids: Vec<String>,
        on_change: Box<dyn Fn(RawJson) + Send + Sync>,
    ) -> Box<dyn Send + Sync> {
        match self.fleet(server) {
            Some(fleet) => Box::new(fleet.watch_tasks(task_ids, on_change.into())),
            None => Box::new(()),
        }
    }

    fn set_log_level(&self, level: &str) {
        self.house.level.send_if_modified(|current| {
            let changed = current.as_deref() != Some(level);
            *current = Some(level.to_owned());
            changed
        });
    }

    fn roots_changed(&self) {
        for fleet in self.fleets.read().values() {
            for member in fleet.members() {
                let tasks = member.ctx.tasks.clone();
                tasks.spawn(async move { member.roots_changed().await });
            }
        }
    }
}
