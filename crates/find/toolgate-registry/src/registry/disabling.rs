//! Servers that are disabled while the gateway runs, and enabled again.

use toolgate_core::codes;
use toolgate_core::{Principal, Refusal, ServerName};

use super::Registry;
use crate::known::{DisabledServer, SettingContext};
use crate::nearest;
use crate::state::RegistryState;

impl Registry {
    /// Disables a server of any source: it ends, and its tools are gone for agents. It is in effect in this process on return;
    /// others notice a moment later.
    pub async fn disable(&self, by: &Principal, server: &str, reason: Option<String>) -> Result<(), Refusal> {
        let (server, context) = self.switchable(server)?;
        self.desk.records.disable_server(by, &server, reason, &context).await?;
        self.taken_up("a setting", self.desk.load_settings().await.map(drop)).await;
        Ok(())
    }

    /// Enables a server again, likewise.
    pub async fn enable(&self, by: &Principal, server: &str, reason: Option<String>) -> Result<(), Refusal> {
        let (server, context) = self.switchable(server)?;
        self.desk.records.enable_server(by, &server, reason, &context).await?;
        self.taken_up("a setting", self.desk.load_settings().await.map(drop)).await;
        Ok(())
    }

    /// A server of the roster, or one that was disabled and then taken out of it.
    fn switchable(&self, server: &str) -> Result<(ServerName, SettingContext), Refusal> {
        let state = self.desk.state();
        let is_known = |name: &ServerName| {
            state.roster.get(name).is_some() || state.settings.disabled.contains_key(name)
        };
        match ServerName::new(server).ok().filter(is_known) {
            Some(name) => Ok((name, state.setting_context())),
            None => Err(unknown(&state, server)),
        }
    }
}

fn unknown(state: &RegistryState, server: &str) -> Refusal {
    let refusal = Refusal::new(&codes::UNKNOWN_SERVER, format!("there is no server {server:?}"));
    let near = nearest::hint(server, state.roster.entries.iter().map(|entry| entry.spec.name.as_str()));
    refusal.hint(near.unwrap_or_else(|| "`toolgate servers list` shows all".to_owned()))
}

/// What is known of a disabled server; `None` for one that is in use.
pub(super) fn of(state: &RegistryState, server: &ServerName) -> Option<DisabledServer> {
    let reason = state.settings.disabled.get(server)?;
    Some(DisabledServer { reason: reason.clone() })
}
