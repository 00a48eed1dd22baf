//! Servers that are disabled and enabled, one at a time.

use toolgate_core::codes;
use toolgate_core::{Principal, Refusal, RefusalKind, ServerName};

use super::{ATTEMPTS_MAX, Records, told_reason};
use crate::known::{CurrentSetting, NewSettingValue, SettingContext};
use crate::settings::DISABLED_SERVERS;
use crate::settings::disabled_servers::{self, DisabledServers};

/// A change of the servers that are disabled, which may have to be made again.
type DisablingEdit<'a> = &'a (dyn Fn(&mut DisabledServers) + Send + Sync);

impl Records {
    /// Adds a server to those that are disabled. Nothing is written if it is one of them for the same reason.
    pub async fn disable_server(
        &self,
        by: &Principal,
        server: &ServerName,
        reason: Option<String>,
        context: &SettingContext,
    ) -> Result<CurrentSetting, Refusal> {
        let reason = told_reason(DISABLED_SERVERS, reason)?;
        let edit = |disabled: &mut DisabledServers| {
            let known = disabled.entry(server.clone()).or_default();
            if reason.is_some() {
                known.clone_from(&reason);
            }
        };
        self.change_disabled(by, reason.clone(), &edit, context).await
    }

    /// Takes a server out of those that are disabled. Nothing is written if it is none of them.
    pub async fn enable_server(
        &self,
        by: &Principal,
        server: &ServerName,
        reason: Option<String>,
        context: &SettingContext,
    ) -> Result<CurrentSetting, Refusal> {
        let reason = told_reason(DISABLED_SERVERS, reason)?;
        let edit = |disabled: &mut DisabledServers| {
            disabled.remove(server);
        };
        self.change_disabled(by, reason, &edit, context).await
    }

    async fn change_disabled(
        &self,
        by: &Principal,
        reason: Option<String>,
        edit: DisablingEdit<'_>,
        context: &SettingContext,
    ) -> Result<CurrentSetting, Refusal> {
        for _ in 0..ATTEMPTS_MAX {
            let before = self.setting(DISABLED_SERVERS).await?;
            let known = disabled_servers::read(&before.value)?;
            let mut disabled = known.clone();
            edit(&mut disabled);
            if disabled == known {
                return Ok(before);
            }
            let value = disabled_servers::value(&disabled);
            let new = NewSettingValue { value, expected: Some(before.version), reason: reason.clone() };
            match self.change_setting(by, DISABLED_SERVERS, new, context).await {
                Err(refusal) if refusal.kind == RefusalKind::Stale => {}
                settled => return settled,
            }
        }
        let message = "others keep changing which servers are disabled";
        Err(Refusal::new(&codes::STALE, message).hint("try again"))
    }
}
