//! One agent definition or capability at a time, in the settings that contain them all.

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::scope::{AgentDefinition, AgentName, Capability, CapabilityName};
use toolgate_core::{PrincipalId, Refusal, RefusalKind};

use super::{ATTEMPTS_MAX, Records, SettingChange, stale};
use crate::definitions::{DefinitionSettings, DefinitionsInForce};
use crate::known::{CurrentSetting, SettingContext};
use crate::nearest;
use crate::settings::definition::defined_in_file;
use crate::settings::{AGENTS, CAPABILITIES, RegistrySettings};
use crate::source::FileState;

/// The new value of a setting after a change.
struct EditedSetting {
    value: Vec<Value>,
    /// The entry that it is about.
    at: usize,
}

/// The name of a definition, and its position.
#[derive(Clone, Copy)]
struct DefinitionSubject<'a> {
    kind: &'static str,
    key: &'static str,
    name: &'a str,
    in_file: bool,
}

impl Records {
    /// Definitions of file and settings together, as far as the store knows.
    pub async fn definitions(&self, file: &FileState) -> Result<DefinitionsInForce, Refusal> {
        Ok(DefinitionsInForce::merge(file, &self.set().await?))
    }

    /// Adds or replaces an agent definition of the settings. `expected` is the version of the setting `agents`.
    pub async fn put_agent(
        &self,
        by: &PrincipalId,
        definition: AgentDefinition,
        expected: Option<u64>,
        file: &FileState,
    ) -> Result<CurrentSetting, Refusal> {
        let entry = serde_json::to_value(&definition).expect("a definition is text and numbers");
        let subject = agent(&definition.name, file);
        self.edit(by, subject, expected, file, |value| put(subject, value, &entry)).await
    }

    pub async fn remove_agent(
        &self,
        by: &PrincipalId,
        name: &AgentName,
        expected: Option<u64>,
        file: &FileState,
    ) -> Result<CurrentSetting, Refusal> {
        let subject = agent(name, file);
        self.edit(by, subject, expected, file, |value| remove(subject, value)).await
    }

    /// Adds or replaces a capability of the settings. `expected` is the version of the setting `capabilities`.
    pub async fn put_capability(
        &self,
        by: &PrincipalId,
        definition: Capability,
        expected: Option<u64>,
        file: &FileState,
    ) -> Result<CurrentSetting, Refusal> {
        let entry = serde_json::to_value(&definition).expect("a capability is text");
        let subject = capability(&definition.name, file);
        self.edit(by, subject, expected, file, |value| put(subject, value, &entry)).await
    }

    /// Refused while an agent has it.
    pub async fn remove_capability(
        &self,
        by: &PrincipalId,
        name: &CapabilityName,
        expected: Option<u64>,
        file: &FileState,
    ) -> Result<CurrentSetting, Refusal> {
        let subject = capability(name, file);
        self.edit(by, subject, expected, file, |value| remove(subject, value)).await
    }

    /// The current content of the settings.
    pub(super) async fn set(&self) -> Result<DefinitionSettings, Refusal> {
        let mut settings = RegistrySettings::default();
        for key in [AGENTS, CAPABILITIES] {
            let setting = self.setting(key).await?;
            if let Err(refusal) = settings.take(key, &setting.value) {
                tracing::error!(setting = key, version = setting.version, "cannot be read: {refusal}");
            }
        }
        Ok(settings.set)
    }

    /// Changes one entry, regardless of concurrent changes to the same setting.
    async fn edit(
        &self,
        by: &PrincipalId,
        subject: DefinitionSubject<'_>,
        expected: Option<u64>,
        file: &FileState,
        edit: impl Fn(&[Value]) -> Result<EditedSetting, Refusal>,
    ) -> Result<CurrentSetting, Refusal> {
        let context = SettingContext { file: file.clone(), ..SettingContext::default() };
        for _ in 0..ATTEMPTS_MAX {
            let before = self.setting(subject.key).await?;
            let version = before.version;
            if let Some(expected) = expected.filter(|expected| *expected != before.version) {
                return Err(stale(subject.key, expected, before.version));
            }
            let EditedSetting { value, at } =
                edit(before.value.as_array().map(Vec::as_slice).unwrap_or_default())?;
            let value = Value::Array(value);
            if value == before.value {
                return Ok(before);
            }
            let change = SettingChange { before, value, expected: Some(version), reason: None };
            match self.write_setting(by, change, &context, &[]).await {
                Err(refusal) if refusal.kind == RefusalKind::Stale && expected.is_none() => {}
                changed => return changed.map_err(|refusal| within(refusal, at)),
            }
        }
        let message = format!("others keep changing the setting {}", subject.key);
        Err(Refusal::new(&codes::CHANGED_MEANWHILE, message).hint("try again in a moment"))
    }
}

fn agent<'a>(name: &'a AgentName, file: &FileState) -> DefinitionSubject<'a> {
    let in_file = file.agents.iter().any(|one| one.name == *name);
    DefinitionSubject { kind: "agent", key: AGENTS, name: name.as_str(), in_file }
}

fn capability<'a>(name: &'a CapabilityName, file: &FileState) -> DefinitionSubject<'a> {
    let in_file = file.capabilities.iter().any(|one| one.name == *name);
    DefinitionSubject { kind: "capability", key: CAPABILITIES, name: name.as_str(), in_file }
}

fn put(subject: DefinitionSubject<'_>, value: &[Value], entry: &Value) -> Result<EditedSetting, Refusal> {
    if subject.in_file {
        return Err(defined_in_file(subject.kind, subject.name).field("name"));
    }
    let mut value = value.to_vec();
    let at = position(subject, &value).unwrap_or(value.len());
    match value.get_mut(at) {
        Some(known) => *known = entry.clone(),
        None => value.push(entry.clone()),
    }
    Ok(EditedSetting { value, at })
}

/// A definition that the file has too can be removed: it has no effect.
fn remove(subject: DefinitionSubject<'_>, value: &[Value]) -> Result<EditedSetting, Refusal> {
    let Some(at) = position(subject, value) else {
        return Err(if subject.in_file {
            defined_in_file(subject.kind, subject.name)
        } else {
            unknown(subject, value)
        });
    };
    let mut value = value.to_vec();
    value.remove(at);
    Ok(EditedSetting { value, at })
}

fn name_of(entry: &Value) -> Option<&str> {
    entry.get("name")?.as_str()
}

fn position(subject: DefinitionSubject<'_>, value: &[Value]) -> Option<usize> {
    value.iter().position(|entry| name_of(entry) == Some(subject.name))
}

fn unknown(subject: DefinitionSubject<'_>, value: &[Value]) -> Refusal {
    let DefinitionSubject { kind, key, name, .. } = subject;
    let code = if key == AGENTS { &codes::UNKNOWN_AGENT } else { &codes::UNKNOWN_CAPABILITY };
    let hint = nearest::hint(name, value.iter().filter_map(name_of));
    Refusal::new(code, format!("the settings have no {kind} \"{name}\""))
        .hint(hint.unwrap_or_else(|| format!("the setting {key} holds those that can be changed")))
}

/// The sender of one definition does not know its position in the setting.
fn within(mut refusal: Refusal, at: usize) -> Refusal {
    let place = format!("value[{at}]");
    if let Some(inside) = refusal.field.as_ref().and_then(|field| field.strip_prefix(&place)) {
        let inside = inside.trim_start_matches('.').to_owned();
        refusal.field = Some(inside).filter(|inside| !inside.is_empty());
    }
    refusal
}
