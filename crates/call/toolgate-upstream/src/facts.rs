//! The knowledge about servers from earlier runs.

use toolgate_core::ServerName;
use toolgate_core::server::Era;

/// The knowledge about servers from earlier runs.
pub trait ServerFacts: Send + Sync {
    /// The era and protocol version a server spoke when it was last reached.
    fn remembered(&self, server: &ServerName) -> Option<(Era, String)>;
    fn remember(&self, server: &ServerName, era: Era, version: &str);
}

/// Remembers nothing: every server is probed each time.
#[derive(Debug, Default)]
pub struct NoFacts;

impl ServerFacts for NoFacts {
    fn remembered(&self, _server: &ServerName) -> Option<(Era, String)> {
        None
    }

    fn remember(&self, _server: &ServerName, _era: Era, _version: &str) {}
}
