//! The connectors that somebody sees: those of mounted providers. Whoever runs the gateway needs no mounts, but keeps to those that there
//! are.

use toolgate_core::connector::ConnectorName;
use toolgate_core::{Refusal, Role, ServerName};
use toolgate_domain::ToolContext;

use crate::connectors::Connectors;
use crate::refusal::unknown_connector;

/// A connector and its server.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ConnectorServer {
    pub(crate) connector: ConnectorName,
    pub(crate) server: ServerName,
}

impl Connectors {
    /// All connectors, in order of their names.
    pub(crate) fn all(&self) -> Vec<ConnectorServer> {
        let servers = self.roster.servers().into_iter();
        let mut all: Vec<ConnectorServer> = servers
            .filter_map(|server| {
                let connector = ConnectorName::of(&server)?;
                Some(ConnectorServer { connector, server })
            })
            .collect();
        all.sort();
        all
    }

    /// Those that a session sees.
    pub(crate) fn seen(&self, context: &ToolContext) -> Vec<ConnectorServer> {
        let mut all = self.all();
        all.retain(|one| sees(context, one.connector.provider()));
        all
    }

    /// The one of a provider and a connection. Without a connection, the provider has only one, or a `default`.
    pub(crate) fn named(
        &self,
        context: &ToolContext,
        provider: &str,
        connection: Option<&str>,
    ) -> Result<ConnectorServer, Refusal> {
        let mut of_provider = self.seen(context);
        of_provider.retain(|one| one.connector.provider() == provider);
        let wanted = connection.unwrap_or(USUAL);
        let found = of_provider.iter().position(|one| one.connector.connection() == wanted);
        let at = match (found, connection, of_provider.len()) {
            (Some(at), ..) => at,
            (None, None, 1) => 0,
            (None, None, 2..) => {
                let names: Vec<&str> = of_provider.iter().map(|one| one.connector.connection()).collect();
                let hint = format!("give `connection`: {}", names.join(", "));
                return Err(unknown_connector(provider, None).hint(hint));
            }
            _ => return Err(unknown_connector(provider, connection)),
        };
        Ok(of_provider.swap_remove(at))
    }
}

/// The connection of a server whose name has none.
const USUAL: &str = "default";

fn sees(context: &ToolContext, provider: &str) -> bool {
    let mounted = &context.scope().mounts.providers;
    let runs_gateway = matches!(context.principal().role, Role::Admin | Role::Operator);
    mounted.contains(provider) || (mounted.is_empty() && runs_gateway)
}
