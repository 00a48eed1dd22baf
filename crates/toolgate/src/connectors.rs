//! Connectors between the parts of the gateway: which servers there are, and how the API shows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_api::{ConnectorPort, ConnectorSyncView, ConnectorView};
use toolgate_connectors::{ConnectorRoster, ConnectorState, Connectors, LastSync};
use toolgate_core::connector::CONNECTOR_NAMESPACE;
use toolgate_core::moment::rfc3339;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, ServerName};
use toolgate_registry::Registry;

/// The servers that the registry has now.
pub(crate) struct RegisteredServers(pub(crate) Arc<Registry>);

impl ConnectorRoster for RegisteredServers {
    fn servers(&self) -> Vec<ServerName> {
        self.0.servers().into_iter().map(|known| known.name).collect()
    }

    fn disabled(&self) -> BTreeMap<ServerName, Option<String>> {
        let known = self.0.servers().into_iter();
        known.filter_map(|known| Some((known.name, known.disabled?.reason))).collect()
    }
}

/// The domain, from the view of the API.
pub(crate) struct ShownConnectors(pub(crate) Arc<Connectors>);

impl ConnectorPort for ShownConnectors {
    fn connectors(&self) -> BoxFuture<'_, Result<Vec<ConnectorView>, Refusal>> {
        Box::pin(async {
            let states = self.0.states().await?;
            Ok(states.into_iter().map(view).collect())
        })
    }
}

fn view(state: ConnectorState) -> ConnectorView {
    let rate = state.rate;
    ConnectorView {
        provider: state.provider,
        connection: state.connection,
        server: state.server,
        health: state.health,
        reason: state.reason,
        pointer: format!("{CONNECTOR_NAMESPACE}:{}", state.pointer),
        manifest: state.manifest.map(|manifest| manifest.to_string()),
        last_sync: state.last_sync.map(sync_view),
        rate_remaining: rate.and_then(|rate| rate.remaining),
        rate_resets_at: rate.and_then(|rate| rate.resets_at_ms).map(rfc3339),
        doubts: state.doubts,
        next_step: state.next_step,
    }
}

fn sync_view(sync: LastSync) -> ConnectorSyncView {
    ConnectorSyncView {
        state: sync.state,
        run: sync.run.to_string(),
        at: rfc3339(sync.at_ms),
        records: sync.records,
        problems: sync.problems,
        problem_count: sync.problem_count,
        error: sync.error.map(|error| error.message),
    }
}
