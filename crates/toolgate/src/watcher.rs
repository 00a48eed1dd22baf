//! Notifications of servers, passed on to registry, hub and chronicle.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use toolgate_core::port::{AskKind, BoxFuture, ServerWatcher};
use toolgate_core::server::{ServerHealth, ServerListing, ServerState};
use toolgate_core::{PrincipalId, RawJson, RpcError, ServerName};
use toolgate_edge::Hub;
use toolgate_registry::Registry;

use crate::chronicle::{NoteSender, ServerNote, keep_tail};

pub(crate) struct GatewayWatcher {
    hub: Arc<Hub>,
    /// The servers exist before the registry that judges their listings.
    registry: OnceLock<Arc<Registry>>,
    /// `None` if nothing is recorded.
    notes: Option<NoteSender>,
    states: watch::Sender<BTreeMap<ServerName, ServerState>>,
    tails: Mutex<BTreeMap<ServerName, VecDeque<String>>>,
}

impl GatewayWatcher {
    pub(crate) fn new(hub: Arc<Hub>, notes: Option<NoteSender>) -> Arc<Self> {
        let (registry, states, tails) = (OnceLock::new(), watch::Sender::default(), Mutex::default());
        Arc::new(Self { hub, registry, notes, states, tails })
    }

    pub(crate) fn tell(&self, registry: Arc<Registry>) {
        // It is set once, during assembly.
        drop(self.registry.set(registry));
    }

    /// Waits until a server has been reached or given up, and returns its state.
    pub(crate) async fn settled(&self, server: &ServerName, wait: Duration) -> Option<ServerState> {
        let mut states = self.states.subscribe();
        let settled = |states: &BTreeMap<ServerName, ServerState>| {
            states.get(server).is_some_and(|state| state.health != ServerHealth::Starting)
        };
        // If time runs out, the server's last state counts.
        drop(tokio::time::timeout(wait, states.wait_for(settled)).await);
        states.borrow().get(server).cloned()
    }

    /// The last lines a server wrote to its standard error.
    pub(crate) fn heard(&self, server: &ServerName) -> Vec<String> {
        let tails = self.tails.lock();
        tails.get(server).into_iter().flatten().cloned().collect()
    }

    fn note(&self, note: ServerNote) {
        if let Some(notes) = &self.notes {
            notes.add(note);
        }
    }
}

impl ServerWatcher for GatewayWatcher {
    fn listed(&self, server: &ServerName, listing: ServerListing) {
        self.note(ServerNote::Listing(server.clone(), listing.clone()));
        let registry = self.registry.get().expect("no server is started before the registry stands");
        registry.listed(server, listing);
    }

    fn state_changed(&self, server: &ServerName, state: &ServerState) {
        let mut before = None;
        self.states.send_modify(|states| before = states.insert(server.clone(), state.clone()));
        let said = |state: &ServerState| (state.health, state.reason.clone());
        // Repeated attempts with the same result are logged once.
        if before.as_ref().map(said) != Some(said(state)) {
            let reason = state.reason.as_deref().unwrap_or("");
            tracing::info!(%server, health = ?state.health, reason, "server");
        }
        self.note(ServerNote::State(server.clone(), state.clone()));
        self.hub.state_changed(server, state);
        if let Some(registry) = self.registry.get() {
            registry.health_changed(server, state);
        }
    }

    fn resource_updated(&self, server: &ServerName, uri: &str, params: RawJson) {
        self.hub.resource_updated(server, uri, &params);
    }

    fn logged(&self, server: &ServerName, owner: Option<&PrincipalId>, params: RawJson) {
        self.hub.logged(server, owner, &params);
    }

    fn asked(
        &self,
        server: &ServerName,
        owner: Option<&PrincipalId>,
        kind: AskKind,
        params: RawJson,
    ) -> BoxFuture<'static, Result<RawJson, RpcError>> {
        self.hub.asked(server, owner, kind, params)
    }

    fn stderr_line(&self, server: &ServerName, line: &str) {
        tracing::debug!(%server, line, "stderr");
        keep_tail(&mut self.tails.lock(), server, line);
        self.note(ServerNote::Stderr(server.clone(), line.to_owned()));
    }
}
