//! Waiting until a gateway that has just begun knows its tools.

use std::time::{Duration, Instant};

use toolgate_core::ServerName;
use toolgate_core::server::{ServerHealth, ServerState};
use toolgate_registry::ServerSource;

use crate::wiring::AssembledGateway;

/// The time that a listing may take to reach the catalogue.
const SHELVED_WAIT: Duration = Duration::from_secs(1);
const SHELVED_LOOK: Duration = Duration::from_millis(10);

impl AssembledGateway {
    /// Waits until every server has been reached or given up, as long as a client that lists tools waits.
    pub(crate) async fn settle(&self, wait: Duration) {
        let started = Instant::now();
        for server in self.registry.servers() {
            // Servers that register come by themselves, and not to a gateway that lives as long as a command.
            let registers = matches!(server.source, ServerSource::Expected | ServerSource::Registered);
            let comes_by_itself = registers && server.instances.is_empty();
            if comes_by_itself || server.disabled.is_some() {
                continue;
            }
            let state = self.settled(&server.name, wait.saturating_sub(started.elapsed())).await;
            if let Some(state) = state {
                self.shelved(&server.name, &state).await;
            }
        }
    }

    /// Waits until a server's listing is in the catalogue: the registry checks it first.
    pub(crate) async fn shelved(&self, server: &ServerName, state: &ServerState) {
        let shelved = async {
            while state.health == ServerHealth::Healthy && !self.is_shelved(server) {
                tokio::time::sleep(SHELVED_LOOK).await;
            }
        };
        // A server without any tools never appears.
        drop(tokio::time::timeout(SHELVED_WAIT, shelved).await);
    }

    fn is_shelved(&self, server: &ServerName) -> bool {
        let snapshot = self.catalog.snapshot();
        // An entry that has to be named first is not shown yet.
        if snapshot.unrecorded.iter().any(|one| one.server == *server) {
            return false;
        }
        let sections = [&snapshot.tools, &snapshot.prompts, &snapshot.resources, &snapshot.templates];
        sections.iter().any(|section| section.entries().iter().any(|entry| entry.server == *server))
    }
}
