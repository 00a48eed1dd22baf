//! A sync that somebody asks for, and how it is written into the row of the work.

use serde::{Deserialize, Serialize};
use toolgate_core::connector::ConnectorName;
use toolgate_core::{Refusal, ServerName, codes};
use toolgate_store::Actor;
use toolgate_work::{StartedWork, WorkOrder};

use crate::connectors::Connectors;
use crate::reach::ConnectorServer;

/// The kind of the work and of its run.
pub(crate) const SYNC_KIND: &str = "connector_sync";

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SyncInput {
    server: ServerName,
    pub(super) streams: Vec<String>,
}

impl SyncInput {
    pub(super) fn connector(&self) -> Result<ConnectorServer, Refusal> {
        let none = || Refusal::new(&codes::UNKNOWN_CONNECTOR, format!("{} is no connector", self.server));
        let connector = ConnectorName::of(&self.server).ok_or_else(none)?;
        Ok(ConnectorServer { connector, server: self.server.clone() })
    }
}

impl Connectors {
    /// Opens the work of a sync, or joins the one that is open: a connector is synced once at a time.
    pub(crate) async fn start_sync(
        &self,
        of: &ConnectorServer,
        streams: Vec<String>,
        actor: Actor,
    ) -> Result<StartedWork, Refusal> {
        let input = SyncInput { server: of.server.clone(), streams };
        let new = WorkOrder {
            kind: SYNC_KIND.to_owned(),
            key: of.server.to_string(),
            input: serde_json::to_value(&input).expect("names are JSON"),
            name: format!("sync {}", of.connector),
            actor,
            input_manifest: None,
        };
        self.work.start(new).await
    }
}
