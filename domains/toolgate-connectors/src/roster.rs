//! The port to the servers of the gateway.

use std::collections::BTreeMap;

use toolgate_core::ServerName;

/// Knows which servers there are now.
pub trait ConnectorRoster: Send + Sync {
    fn servers(&self) -> Vec<ServerName>;
    /// Those that somebody disabled, each with the reason if one was given.
    fn disabled(&self) -> BTreeMap<ServerName, Option<String>>;
}
