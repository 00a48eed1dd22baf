//! The port to the servers of the gateway.

use toolgate_core::ServerName;

/// Knows which servers there are now.
pub trait ConnectorRoster: Send + Sync {
    fn servers(&self) -> Vec<ServerName>;
}
