//! The settings that operators change while the gateway runs: the keys, and the valid values of each. A value
//! is checked as a whole before anything changes; the first problem is reported with its position.

pub(crate) mod address;
mod aliases;
pub(crate) mod definition;
pub(crate) mod disabled_servers;
pub(crate) mod fields;
mod invalid;
mod mcp_servers;
pub(crate) mod models;
mod review;
pub(crate) mod secrets;

use serde_json::{Value, json};
use toolgate_core::address::AddressRules;
use toolgate_core::model::ModelDefinition;
use toolgate_core::{Refusal, codes};

use crate::definitions::{DefinitionSettings, read_agents, read_capabilities};
use crate::known::SettingContext;
use crate::policy_texts::PolicyTexts;
use crate::source::{AliasSpec, ReviewRules, ServerEntry};

pub(crate) use disabled_servers::DisabledServers;
pub(crate) use review::ReviewSetting;

/// All keys.
pub const SETTING_KEYS: [&str; 8] =
    [MCP_SERVERS, DISABLED_SERVERS, ALIASES, REGISTRY, AGENTS, CAPABILITIES, MODELS, POLICY];

pub(crate) const MCP_SERVERS: &str = "mcp_servers";
pub(crate) const DISABLED_SERVERS: &str = "disabled_servers";
pub(crate) const ALIASES: &str = "aliases";
pub(crate) const REGISTRY: &str = "registry";
pub(crate) const AGENTS: &str = "agents";
pub(crate) const CAPABILITIES: &str = "capabilities";
pub(crate) const MODELS: &str = "models";
pub(crate) const POLICY: &str = "policy";

/// The parsed settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegistrySettings {
    pub(crate) servers: Vec<ServerEntry>,
    pub(crate) disabled: DisabledServers,
    pub(crate) aliases: Vec<AliasSpec>,
    pub(crate) review: ReviewSetting,
    pub(crate) set: DefinitionSettings,
    pub(crate) models: Vec<ModelDefinition>,
    pub(crate) policy: PolicyTexts,
}

/// The data that a new value must be consistent with.
pub(crate) struct SettingConstraints<'a> {
    pub(crate) context: &'a SettingContext,
    /// The current definitions of the settings.
    pub(crate) set: &'a DefinitionSettings,
    /// The value that is replaced.
    pub(crate) before: &'a Value,
}

impl RegistrySettings {
    /// Takes a stored value. It was checked when it was written; addresses are checked again when they are
    /// dialled.
    pub(crate) fn take(&mut self, key: &str, value: &Value) -> Result<(), Refusal> {
        const ANY: AddressRules = AddressRules { allow_loopback: true, allow_private: true };
        match key {
            MCP_SERVERS => self.servers = mcp_servers::read(value, ANY)?,
            DISABLED_SERVERS => self.disabled = disabled_servers::read(value)?,
            ALIASES => self.aliases = aliases::read(value)?,
            REGISTRY => self.review = review::read(value)?,
            AGENTS => self.set.agents = read_agents(value)?,
            CAPABILITIES => self.set.capabilities = read_capabilities(value)?,
            MODELS => self.models = models::read(value, ANY)?,
            POLICY => self.policy = PolicyTexts::read(value)?,
            // A key of a newer version of the gateway.
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn review(&self, file: ReviewRules) -> ReviewRules {
        self.review.over(file)
    }
}

/// The permanent key.
pub(crate) fn known_key(key: &str) -> Result<&'static str, Refusal> {
    let unknown = || {
        Refusal::new(&codes::UNKNOWN_SETTING, format!("there is no setting {key:?}"))
            .hint(format!("the settings are {}", SETTING_KEYS.join(", ")))
    };
    SETTING_KEYS.into_iter().find(|known| *known == key).ok_or_else(unknown)
}

pub(crate) fn default_value(key: &'static str) -> Value {
    if [REGISTRY, POLICY].contains(&key) { json!({}) } else { json!([]) }
}

/// Checks that a value may be set.
pub(crate) fn check(
    key: &'static str,
    value: &Value,
    around: &SettingConstraints<'_>,
) -> Result<(), Refusal> {
    match key {
        MCP_SERVERS => mcp_servers::check(value, around.context),
        DISABLED_SERVERS => disabled_servers::read(value).map(|_| ()),
        ALIASES => aliases::check(value, around.context),
        AGENTS => definition::check_agents(value, around),
        CAPABILITIES => definition::check_capabilities(value, around),
        MODELS => models::check(value, around.context),
        // Whoever judges calls has compiled it.
        POLICY => PolicyTexts::read(value).map(|_| ()),
        _ => review::read(value).map(|_| ()),
    }
}

/// True if a change needs a reason: what decides on everybody's calls does not change without one.
pub(crate) fn needs_reason(key: &str) -> bool {
    key == POLICY
}

/// The differences, by names only: values may be confidential.
pub(crate) fn summary(key: &'static str, before: &Value, after: &Value) -> Value {
    if key == REGISTRY {
        return json!({ "from": before, "to": after });
    }
    if key == POLICY {
        // An unreadable value from another version of the gateway had no effect.
        let texts = |value: &Value| PolicyTexts::read(value).unwrap_or_default();
        return json!({ "changed": texts(before).differing(&texts(after)) });
    }
    let (old, new) = (named(before), named(after));
    let find = |list: &[(String, Value)], name: &str| {
        list.iter().find(|(one, _)| one == name).map(|(_, v)| v.clone())
    };
    let names = |list: &[(String, Value)], keep: &dyn Fn(&str, &Value) -> bool| -> Vec<String> {
        list.iter().filter(|(name, value)| keep(name, value)).map(|(name, _)| name.clone()).collect()
    };
    json!({
        "added": names(&new, &|name, _| find(&old, name).is_none()),
        "removed": names(&old, &|name, _| find(&new, name).is_none()),
        "changed": names(&new, &|name, value| find(&old, name).is_some_and(|old| old != *value)),
    })
}

fn named(list: &Value) -> Vec<(String, Value)> {
    let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| Some((entry.get("name")?.as_str()?.to_owned(), entry.clone())))
        .collect()
}

#[cfg(test)]
mod tests;
