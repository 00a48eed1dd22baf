//! The API's data about connectors.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct ConnectorsData {
    pub(super) connectors: Vec<ConnectorData>,
}

#[derive(Deserialize)]
pub(super) struct ConnectorData {
    pub(super) provider: String,
    pub(super) connection: String,
    pub(super) server: String,
    pub(super) health: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    pub(super) pointer: String,
    #[serde(default)]
    pub(super) last_sync: Option<ConnectorSyncData>,
    #[serde(default)]
    pub(super) rate_remaining: Option<u64>,
    #[serde(default)]
    pub(super) rate_resets_at: Option<String>,
    #[serde(default)]
    pub(super) next_step: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ConnectorSyncData {
    pub(super) state: String,
    pub(super) run: String,
    pub(super) at: String,
    pub(super) records: u64,
    #[serde(default)]
    pub(super) problems: Vec<String>,
    #[serde(default)]
    pub(super) error: Option<String>,
}

impl ConnectorData {
    /// True if somebody disabled its server.
    pub(super) fn is_disabled(&self) -> bool {
        self.health == "disabled"
    }

    /// `slack`, or `slack/sales` where it has a name of its own.
    pub(super) fn name(&self) -> String {
        match self.connection.as_str() {
            "default" => self.provider.clone(),
            connection => format!("{}/{connection}", self.provider),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_connector_is_called_by_its_provider_and_its_connection() {
        let named = |connection: &str| {
            let data = json!({ "provider": "slack", "connection": connection, "server": "connector.slack",
                "health": "healthy", "pointer": "connector:slack/default" });
            serde_json::from_value::<ConnectorData>(data).expect("a connector").name()
        };
        assert_eq!((named("default"), named("sales")), ("slack".to_owned(), "slack/sales".to_owned()));
    }
}
