//! Definitions as they are stored. Each was checked when it was written; one that another version of the
//! gateway wrote and that can no longer be read does not affect the others.

use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::scope::{AgentDefinition, AgentName, Capability};

use super::{DefinitionKind, DefinitionProblem, DefinitionSource};
use crate::settings::fields::elements;

pub(crate) const AGENTS_MAX: usize = 1000;
pub(crate) const CAPABILITIES_MAX: usize = 1000;

/// The readable part of a setting, and the errors in the rest.
#[derive(Clone, Debug)]
pub(crate) struct ParsedSetting<T> {
    pub(crate) definitions: Vec<T>,
    pub(crate) problems: Vec<DefinitionProblem>,
}

impl<T> Default for ParsedSetting<T> {
    fn default() -> Self {
        Self { definitions: Vec::new(), problems: Vec::new() }
    }
}

pub(crate) fn read_agents(value: &Value) -> Result<ParsedSetting<AgentDefinition>, Refusal> {
    let mut written = ParsedSetting::default();
    for (place, entry) in elements(value, "value", AGENTS_MAX)? {
        match serde_json::from_value(entry.clone()) {
            Ok(agent) => written.definitions.push(agent),
            Err(error) => {
                written.definitions.extend(closed(entry));
                let message = format!("it cannot be read, and sees nothing: {error}");
                written.problems.push(unreadable(DefinitionKind::Agent, entry, &place, message));
            }
        }
    }
    Ok(written)
}

pub(crate) fn read_capabilities(value: &Value) -> Result<ParsedSetting<Capability>, Refusal> {
    let mut written = ParsedSetting::default();
    for (place, entry) in elements(value, "value", CAPABILITIES_MAX)? {
        match serde_json::from_value(entry.clone()) {
            Ok(capability) => written.definitions.push(capability),
            Err(error) => {
                let message = format!("it cannot be read, and is left out: {error}");
                written.problems.push(unreadable(DefinitionKind::Capability, entry, &place, message));
            }
        }
    }
    Ok(written)
}

/// The replacement for an unreadable definition: without it, its principals would have the default agent,
/// which may see everything.
fn closed(entry: &Value) -> Option<AgentDefinition> {
    let name = AgentName::new(entry.get("name")?.as_str()?).ok()?;
    let texts = |key: &str| -> Vec<String> {
        let list = entry.get(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|one| Some(one.as_str()?.to_owned())).collect()
    };
    Some(AgentDefinition {
        capabilities: Some(Vec::new()),
        principals: texts("principals"),
        groups: texts("groups"),
        ..AgentDefinition::named(name)
    })
}

fn unreadable(kind: DefinitionKind, entry: &Value, place: &str, message: String) -> DefinitionProblem {
    let name = entry.get("name").and_then(Value::as_str).unwrap_or(place).to_owned();
    DefinitionProblem { kind, name, source: DefinitionSource::Settings, message }
}
