//! Connectors: servers whose names say which provider they reach, and over which connection.

use std::fmt;

use crate::ServerName;

/// The provider and the connection behind a server called `connector.slack` or `connector.slack.sales`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectorName {
    provider: String,
    connection: Option<String>,
}

/// The namespace of the pointers to what was synced.
pub const CONNECTOR_NAMESPACE: &str = "connector";
/// The connection of a server whose name has none.
const CONNECTION_USUAL: &str = "default";
const PREFIX: &str = "connector.";

impl ConnectorName {
    /// The connector that a server is, if its name says so.
    pub fn of(server: &ServerName) -> Option<Self> {
        let rest = server.as_str().strip_prefix(PREFIX)?;
        let (provider, connection) = match rest.split_once('.') {
            Some((provider, connection)) => (provider, Some(connection)),
            None => (rest, None),
        };
        let is_plain = |part: &str| !part.is_empty() && !part.contains('.');
        let fits = is_plain(provider) && connection.is_none_or(is_plain);
        fits.then(|| Self { provider: provider.to_owned(), connection: connection.map(str::to_owned) })
    }

    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Its name, or `default` where the server's name has none.
    pub fn connection(&self) -> &str {
        self.connection.as_deref().unwrap_or(CONNECTION_USUAL)
    }

    /// The name of the pointer to what was synced: `slack/default`.
    pub fn pointer(&self) -> String {
        format!("{}/{}", self.provider, self.connection())
    }
}

impl fmt::Display for ConnectorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.connection())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Option<(String, String)> {
        let found = ConnectorName::of(&ServerName::new(name).expect("a name"))?;
        Some((found.provider().to_owned(), found.connection().to_owned()))
    }

    #[test]
    fn the_name_of_a_server_says_which_connector_it_is() {
        let pair = |provider: &str, connection: &str| Some((provider.to_owned(), connection.to_owned()));
        assert_eq!(read("connector.slack"), pair("slack", "default"));
        assert_eq!(read("connector.slack.sales"), pair("slack", "sales"));
        for other in
            ["slack", "connector", "connector.", "connector.a.b.c", "connector..b", "connectors.slack"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
