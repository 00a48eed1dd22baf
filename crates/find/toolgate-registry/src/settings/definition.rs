//! The settings `agents` and `capabilities`. Unchanged entries of the value are accepted as they are, so that
//! an ineffective definition blocks nothing; new or changed entries are checked.

use serde::de::DeserializeOwned;
use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::scope::{AgentDefinition, BadPart, Capability, CapabilityName};
use toolgate_core::{Refusal, RefusalKind};

use super::SettingConstraints;
use super::fields::{JsonFields, elements};
use super::invalid::invalid;
use crate::definitions::{AGENTS_MAX, AgentClaims, CAPABILITIES_MAX, read_agents, read_capabilities};
use crate::nearest;
use crate::source::FileState;

/// An entry that is new or other, and its place.
struct FreshEntry<T> {
    place: String,
    definition: T,
}

pub(super) fn check_agents(value: &Value, around: &SettingConstraints<'_>) -> Result<(), Refusal> {
    let entries = elements(value, "value", AGENTS_MAX)?;
    let fresh: Vec<FreshEntry<AgentDefinition>> = read_fresh(&entries, around, AgentDefinition::KEYS)?;
    refuse_second(&entries)?;
    for FreshEntry { place, definition } in &fresh {
        definition.check().map_err(|bad| bad_part(place, bad))?;
        if around.context.file.agents.iter().any(|one| one.name == definition.name) {
            return Err(defined_in_file("agent", definition.name.as_str()).field(format!("{place}.name")));
        }
        check_capabilities_of(definition, place, around)?;
    }
    refuse_rivals(value, &fresh, &around.context.file)
}

fn check_capabilities_of(
    agent: &AgentDefinition,
    place: &str,
    around: &SettingConstraints<'_>,
) -> Result<(), Refusal> {
    let known: Vec<&str> = names(around).map(CapabilityName::as_str).collect();
    for (at, name) in agent.capabilities.iter().flatten().enumerate() {
        if !known.contains(&name.as_str()) {
            let message =
                format!("agent \"{}\" has the capability \"{name}\", which is not defined", agent.name);
            let hint = nearest::hint(name.as_str(), known.iter().copied())
                .unwrap_or_else(|| "define it first, in toolgate.toml or in the setting capabilities".into());
            return Err(Refusal::new(&codes::UNKNOWN_CAPABILITY, message)
                .kind(RefusalKind::Invalid)
                .field(format!("{place}.capabilities[{at}]"))
                .hint(hint));
        }
    }
    Ok(())
}

fn names<'a>(around: &SettingConstraints<'a>) -> impl Iterator<Item = &'a CapabilityName> {
    let (file, set) = (&around.context.file, around.set);
    file.capabilities.iter().chain(&set.capabilities.definitions).map(|one| &one.name)
}

/// A principal or a group begins with one definition.
fn refuse_rivals(
    value: &Value,
    fresh: &[FreshEntry<AgentDefinition>],
    file: &FileState,
) -> Result<(), Refusal> {
    let mut claims = AgentClaims::default();
    // A definition that the file has too has no effect.
    let counts = |one: &AgentDefinition| {
        let is_fresh = fresh.iter().any(|fresh| fresh.definition.name == one.name);
        !is_fresh && !file.agents.iter().any(|of_file| of_file.name == one.name)
    };
    let old = read_agents(value)?.definitions.into_iter().filter(counts);
    for mut agent in file.agents.iter().cloned().chain(old) {
        claims.take(&mut agent);
    }
    for FreshEntry { place, definition } in fresh {
        if let Some(rival) = claims.rival(definition) {
            let message = format!(
                "the agents \"{}\" and \"{}\" are both for {:?}",
                rival.other, definition.name, rival.whom
            );
            return Err(Refusal::new(&codes::TWO_AGENTS, message).field(format!("{place}.{}", rival.place)));
        }
        claims.take(&mut definition.clone());
    }
    Ok(())
}

pub(super) fn check_capabilities(value: &Value, around: &SettingConstraints<'_>) -> Result<(), Refusal> {
    let entries = elements(value, "value", CAPABILITIES_MAX)?;
    let fresh: Vec<FreshEntry<Capability>> = read_fresh(&entries, around, Capability::KEYS)?;
    refuse_second(&entries)?;
    for FreshEntry { place, definition } in &fresh {
        definition.check().map_err(|bad| bad_part(place, bad))?;
        if around.context.file.capabilities.iter().any(|one| one.name == definition.name) {
            let refusal = defined_in_file("capability", definition.name.as_str());
            return Err(refusal.field(format!("{place}.name")));
        }
    }
    refuse_removal_in_use(value, around)
}

fn refuse_removal_in_use(value: &Value, around: &SettingConstraints<'_>) -> Result<(), Refusal> {
    let left = read_capabilities(value)?.definitions;
    let gone = |name: &&CapabilityName| !left.iter().any(|one| one.name == **name);
    let of_file =
        |name: &&CapabilityName| around.context.file.capabilities.iter().any(|one| one.name == **name);
    let before = around.set.capabilities.definitions.iter().map(|one| &one.name);
    for name in before.filter(|name| gone(name) && !of_file(name)) {
        let users = users_of(name, around);
        if !users.is_empty() {
            let message = format!("the capability \"{name}\" is used by {}", users.join(", "));
            return Err(Refusal::new(&codes::CAPABILITY_IN_USE, message).field("value"));
        }
    }
    Ok(())
}

/// The agents that have a capability.
fn users_of(name: &CapabilityName, around: &SettingConstraints<'_>) -> Vec<String> {
    let of_file =
        |agent: &&AgentDefinition| !around.context.file.agents.iter().any(|one| one.name == agent.name);
    let agents =
        around.context.file.agents.iter().chain(around.set.agents.definitions.iter().filter(of_file));
    let users = agents.filter(|agent| agent.capabilities.iter().flatten().any(|one| one == name));
    users.map(|agent| format!("agent \"{}\"", agent.name)).collect()
}

/// Parses the entries that were not in the value before.
fn read_fresh<T: DeserializeOwned>(
    entries: &[(String, &Value)],
    around: &SettingConstraints<'_>,
    keys: &[&str],
) -> Result<Vec<FreshEntry<T>>, Refusal> {
    let before = around.before.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_fresh = |entry: &&(String, &Value)| !before.contains(entry.1);
    entries.iter().filter(is_fresh).map(|(place, entry)| read_entry(place, entry, keys)).collect()
}

fn read_entry<T: DeserializeOwned>(
    place: &str,
    entry: &Value,
    keys: &[&str],
) -> Result<FreshEntry<T>, Refusal> {
    let fields = JsonFields::of(entry, place)?;
    fields.only(keys)?;
    fields.required_text("name")?;
    match serde_path_to_error::deserialize(entry) {
        Ok(definition) => Ok(FreshEntry { place: place.to_owned(), definition }),
        Err(error) => {
            let inside = error.path().to_string();
            let message = format!("`{inside}` cannot be read: {}", error.inner());
            Err(invalid(format!("{place}.{inside}"), message))
        }
    }
}

fn refuse_second(entries: &[(String, &Value)]) -> Result<(), Refusal> {
    let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
    let names: Vec<Option<String>> = entries.iter().map(|(_, entry)| name(entry)).collect();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| name.is_some()) {
        if let Some(first) = names[..at].iter().position(|one| one == name) {
            let message =
                format!("the name {:?} stands at value[{first}] too", name.as_deref().unwrap_or_default());
            return Err(invalid(format!("value[{at}].name"), message).hint("each name once"));
        }
    }
    Ok(())
}

fn bad_part(place: &str, bad: BadPart) -> Refusal {
    invalid(format!("{place}.{}", bad.field), bad.what)
}

pub(crate) fn defined_in_file(kind: &str, name: &str) -> Refusal {
    let message = format!("the {kind} \"{name}\" is defined in toolgate.toml");
    Refusal::new(&codes::DEFINED_IN_FILE, message)
}

#[cfg(test)]
mod tests;
