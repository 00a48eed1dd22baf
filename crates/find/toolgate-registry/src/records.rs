//! The parts that need no running gateway: settings, tool rows, reviews. The command line uses them too; it
//! writes to the store, and running gateways notice.

mod defining;
mod disabling;
mod versions;

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::event::EventKind;
use toolgate_core::governance::Clock;
use toolgate_core::registry::ToolRow;
use toolgate_core::{CanonicalName, Digest, Principal, PrincipalId, RawJson, Refusal, Role};
use toolgate_store::{
    Books, SecretOrigin, SettingVersion, SettingWrite, Store, StoreError, StoredTool, ToolRowChange,
    ToolRowFilter, ToolRowsWritten, WriteSettingError,
};

use crate::alias;
use crate::diff;
use crate::events::RegistryEvent;
use crate::known::{CurrentSetting, NewSettingValue, PastSetting, SettingContext, ToolDiff};
use crate::nearest;
use crate::pins::{self, PinNews, ReviewError};
use crate::policy_texts::PolicyTexts;
use crate::settings::disabled_servers::REASON_CHARS_MAX;
use crate::settings::{self, RegistrySettings, SETTING_KEYS, SettingConstraints, models, secrets};
use crate::source::{FileState, ReviewVerdict};
use crate::state::RegistryState;
use crate::traits;

/// The number of attempts for a write that others overtook.
const ATTEMPTS_MAX: usize = 5;

/// A setting before and after a change.
struct SettingChange {
    before: CurrentSetting,
    value: Value,
    /// The version that it must still have.
    expected: Option<u64>,
    reason: Option<String>,
}

/// Clones share everything.
#[derive(Clone)]
pub struct Records {
    store: Store,
    books: Arc<Books>,
    clock: Arc<dyn Clock>,
}

impl Records {
    pub fn new(store: Store, books: Arc<Books>, clock: Arc<dyn Clock>) -> Self {
        Self { store, books, clock }
    }

    /// All settings, sorted by key; one that was never set has version 0.
    pub async fn settings(&self) -> Result<Vec<CurrentSetting>, Refusal> {
        let stored = self.store.read_settings().await.map_err(down)?;
        let setting = |key: &'static str| match stored.iter().find(|one| one.key == key) {
            Some(one) => known_setting(key, one),
            None => never_set(key),
        };
        Ok(SETTING_KEYS.into_iter().map(setting).collect())
    }

    pub async fn setting(&self, key: &str) -> Result<CurrentSetting, Refusal> {
        let key = settings::known_key(key)?;
        let stored = self.store.read_setting(key).await.map_err(down)?;
        Ok(stored.as_ref().map_or_else(|| never_set(key), |one| known_setting(key, one)))
    }

    /// The kept versions of a setting, the latest first.
    pub async fn setting_versions(&self, key: &str) -> Result<Vec<PastSetting>, Refusal> {
        let key = settings::known_key(key)?;
        let past = |one: SettingVersion| PastSetting {
            version: one.version,
            value: one.value.decode().unwrap_or_default(),
            reason: one.reason,
            set_at_ms: one.set_at_ms,
            set_by: one.set_by,
        };
        let versions = self.store.read_setting_versions(key).await.map_err(down)?;
        Ok(versions.into_iter().map(past).collect())
    }

    /// Sets a whole value, if it is one and its version is still the expected one. Secrets go where an admin has them
    /// sent, and policies compile and are those of an admin.
    pub async fn change_setting(
        &self,
        by: &Principal,
        key: &str,
        new: NewSettingValue,
        context: &SettingContext,
    ) -> Result<CurrentSetting, Refusal> {
        let before = self.setting(key).await?;
        if before.key == settings::POLICY {
            may_put_policies_in_force(by)?;
        }
        let NewSettingValue { value, expected, reason } = new;
        let reason = told_reason(before.key, reason)?;
        if let (settings::POLICY, Some(policies)) = (before.key, &context.policies) {
            policies.check(PolicyTexts::read(&value)?).await?;
        }
        let change = SettingChange { before, value, expected, reason };
        let allowed = self.secrets_sent(by, &change, context).await?;
        self.write_setting(&by.id, change, context, &allowed).await
    }

    async fn write_setting(
        &self,
        by: &PrincipalId,
        change: SettingChange,
        context: &SettingContext,
        allowed: &[SecretOrigin],
    ) -> Result<CurrentSetting, Refusal> {
        let SettingChange { before, value, expected, reason } = change;
        let key = before.key;
        if let Some(expected) = expected.filter(|expected| *expected != before.version) {
            return Err(stale(key, expected, before.version));
        }
        let set = self.set().await?;
        settings::check(key, &value, &SettingConstraints { context, set: &set, before: &before.value })?;
        let telling = RegistryEvent { at_ms: self.clock.now_ms(), by };
        let aliases = alias_events(&telling, &before, &value, context);
        let summary = settings::summary(key, &before.value, &value);
        let events = |version: u64| {
            let mut events = vec![telling.setting_changed(key, version, reason.as_deref(), &summary)];
            events.extend(aliases);
            events
        };
        let raw = RawJson::from(value);
        let reason = reason.as_deref();
        let write = SettingWrite { key, value: &raw, expected, by, reason, allowed };
        match self.books.write_setting(write, events).await {
            // As stored, with the time of the change.
            Ok(_) => self.setting(key).await,
            Err(WriteSettingError::Stale { current }) => {
                Err(stale(key, expected.unwrap_or_default(), current))
            }
            Err(WriteSettingError::Store(error)) => Err(down(error)),
        }
    }

    /// The addresses to which servers and models of a new value send secrets, unlike those of the old one: an admin
    /// may add them; anyone else needs an earlier permission.
    async fn secrets_sent(
        &self,
        by: &Principal,
        change: &SettingChange,
        context: &SettingContext,
    ) -> Result<Vec<SecretOrigin>, Refusal> {
        let (before, after) = (&change.before.value, &change.value);
        let wanted = match change.before.key {
            settings::MCP_SERVERS => secrets::newly_sent(before, after),
            settings::MODELS => models::newly_sent(before, after),
            _ => return Ok(Vec::new()),
        };
        if wanted.is_empty() || by.role == Role::Admin {
            return Ok(wanted);
        }
        let stored = self.store.list_sealed(None).await.map_err(down)?;
        let origins = self.store.list_secret_origins().await.map_err(down)?;
        secrets::check(&wanted, &secrets::HeldSecrets { stored, origins, outside: &context.file.secrets })?;
        Ok(Vec::new())
    }

    /// The data that a new value of a setting must be consistent with, as far as the store knows.
    pub async fn setting_context(&self, file: FileState) -> Result<SettingContext, Refusal> {
        let mut state = RegistryState { file, ..RegistryState::default() };
        let servers = self.store.read_registered_servers().await.map_err(down)?;
        state.take_registrations(servers, self.store.read_instances().await.map_err(down)?);
        state.take_rows(self.store.read_tool_rows().await.map_err(down)?);
        state.recompute();
        Ok(state.setting_context())
    }

    /// All tools, by name.
    pub async fn tools(&self) -> Result<Vec<ToolRow>, Refusal> {
        let stored = self.store.read_tool_rows().await.map_err(down)?;
        Ok(stored.into_iter().map(|tool| tool.row).collect())
    }

    /// A page of tools, by name, and whether there are more.
    pub async fn tools_page(
        &self,
        filter: &ToolRowFilter,
        limit: usize,
    ) -> Result<(Vec<ToolRow>, bool), Refusal> {
        let page = self.store.read_tool_page(filter, limit).await.map_err(down)?;
        Ok((page.tools.into_iter().map(|tool| tool.row).collect(), page.has_more))
    }

    /// By its canonical name.
    pub async fn tool(&self, name: &str) -> Result<ToolRow, Refusal> {
        self.stored(name).await.map(|tool| tool.row)
    }

    pub async fn diff(&self, name: &str) -> Result<ToolDiff, Refusal> {
        let tool = self.tool(name).await?;
        let (pinned, offered) = diff::sides(&tool);
        let (summary, changes) = diff::words(&tool);
        Ok(ToolDiff { text: diff::unified(&pinned, &offered), tool, pinned, offered, summary, changes })
    }

    /// The decision of a reviewer. `expected` is the version that they saw.
    pub async fn review(
        &self,
        by: &PrincipalId,
        name: &str,
        verdict: ReviewVerdict,
        expected: Option<Digest>,
    ) -> Result<ToolRow, Refusal> {
        for _ in 0..ATTEMPTS_MAX {
            let stored = self.stored(name).await?;
            let change = self.verdict(by, &stored, verdict, expected)?;
            let row = change.row.clone();
            let news = PinNews {
                kind: match verdict {
                    ReviewVerdict::Accept => EventKind::ToolAccepted,
                    ReviewVerdict::Reject => EventKind::ToolRejected,
                },
                from: Some(stored.row.pinned.version),
                to: Some(pins::subject(&stored.row).version),
            };
            let event = RegistryEvent { at_ms: self.clock.now_ms(), by }.tool(&row, news);
            match self.books.write_tool_rows(&[change], vec![event]).await.map_err(down)? {
                ToolRowsWritten::All => return Ok(row),
                ToolRowsWritten::Nothing { .. } => {}
            }
        }
        Err(changed_meanwhile(name).hint("look at it again"))
    }

    fn verdict(
        &self,
        by: &PrincipalId,
        stored: &StoredTool,
        verdict: ReviewVerdict,
        expected: Option<Digest>,
    ) -> Result<ToolRowChange, Refusal> {
        let name = stored.row.name.as_str();
        let row =
            pins::reviewed(&stored.row, verdict, expected, by, self.clock.now_ms()).map_err(
                |why| match why {
                    ReviewError::NothingToReview => {
                        let message = format!(
                            "nothing about {name} waits for a review: it is {}",
                            stored.row.status.as_str()
                        );
                        Refusal::new(&codes::NOTHING_TO_REVIEW, message)
                    }
                    ReviewError::Changed { now } => changed_meanwhile(name)
                        .hint(format!("it offers {now} now; look at `toolgate tools diff {name}` again")),
                },
            )?;
        let traits = traits::of(&row);
        Ok(ToolRowChange { row, traits, after: Some(stored.row_version) })
    }

    async fn stored(&self, name: &str) -> Result<StoredTool, Refusal> {
        let found = self.store.read_tool_row(&CanonicalName::recorded(name)).await.map_err(down)?;
        match found {
            Some(tool) => Ok(tool),
            None => Err(unknown_tool(name, &self.tools().await?)),
        }
    }
}

/// Operators call tools, and do not approve. Whoever takes a gate away approves whatever it would have stopped.
fn may_put_policies_in_force(by: &Principal) -> Result<(), Refusal> {
    if by.role == Role::Admin {
        return Ok(());
    }
    let message = format!("a token of role {} may not put policies in force", by.role.as_str());
    let hint = "use a token of role admin; operators and auditors check and try policies";
    Err(Refusal::new(&codes::WRONG_ROLE, message).hint(hint))
}

/// The reason of a change, without blanks around it.
fn told_reason(key: &'static str, reason: Option<String>) -> Result<Option<String>, Refusal> {
    let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    let bad = |message: String| Refusal::new(&codes::INVALID_SETTING, message).field("reason");
    match &reason {
        Some(reason) if reason.chars().count() > REASON_CHARS_MAX => {
            Err(bad(format!("a reason has at most {REASON_CHARS_MAX} characters")))
        }
        None if settings::needs_reason(key) => {
            let refusal = bad(format!("a change of the setting {key} needs a reason"));
            Err(refusal.hint("say in `reason` why it changes; the ledger keeps it"))
        }
        _ => Ok(reason),
    }
}

fn known_setting(key: &'static str, stored: &toolgate_store::StoredSetting) -> CurrentSetting {
    CurrentSetting {
        key,
        value: stored.value.decode().unwrap_or_default(),
        version: stored.version,
        updated_at_ms: Some(stored.updated_at_ms),
        updated_by: Some(stored.updated_by.clone()),
    }
}

fn never_set(key: &'static str) -> CurrentSetting {
    CurrentSetting {
        key,
        value: settings::default_value(key),
        version: 0,
        updated_at_ms: None,
        updated_by: None,
    }
}

fn alias_events(
    telling: &RegistryEvent<'_>,
    before: &CurrentSetting,
    value: &Value,
    context: &SettingContext,
) -> Vec<toolgate_core::event::Event> {
    if before.key != settings::ALIASES {
        return Vec::new();
    }
    let in_effect = |value: &Value| {
        let mut settings = RegistrySettings::default();
        // An unreadable value from another version of the gateway was not in effect.
        let aliases = settings.take(settings::ALIASES, value).map(|()| settings.aliases).unwrap_or_default();
        let mut all = context.aliases.clone();
        all.extend(alias::of_specs(&aliases, alias::SETTINGS));
        all
    };
    telling.aliases(&in_effect(&before.value), &in_effect(value))
}

fn stale(key: &str, expected: u64, current: u64) -> Refusal {
    let message = format!("the setting {key} is at version {current}, not {expected}");
    Refusal::new(&codes::STALE, message)
}

fn changed_meanwhile(name: &str) -> Refusal {
    let message = format!("what the server offers for {name} is not what was looked at");
    Refusal::new(&codes::CHANGED_MEANWHILE, message)
}

fn unknown_tool(name: &str, tools: &[ToolRow]) -> Refusal {
    let refusal = Refusal::new(&codes::UNKNOWN_TOOL, format!("there is no tool {name:?}"));
    let near = nearest::hint(name, tools.iter().map(|tool| tool.name.as_str()));
    refusal.hint(near.unwrap_or_else(|| "`toolgate tools list` shows all; names are `server:tool`".into()))
}

/// The store is down.
pub(crate) fn down(error: StoreError) -> Refusal {
    Refusal::new(&codes::STORE_DOWN, format!("the store is not available: {error}"))
}
