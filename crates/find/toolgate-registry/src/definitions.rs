//! Agent definitions and capabilities in effect: those of the operator's file, then those of the settings.
//! Pure.
//!
//! A definition that has become inconsistent does not affect others: it is left out and reported. Its
//! principals then see less, never more.

mod claims;
mod reading;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use toolgate_core::scope::{AgentDefinition, AgentName, Capability, CapabilityName, Definitions};

use crate::source::FileState;

pub(crate) use claims::AgentClaims;
pub(crate) use reading::{AGENTS_MAX, CAPABILITIES_MAX, ParsedSetting, read_agents, read_capabilities};

/// The source of a definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DefinitionSource {
    File,
    Settings,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DefinitionKind {
    Agent,
    Capability,
}

/// A part of a definition that has no effect as written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
pub struct DefinitionProblem {
    pub kind: DefinitionKind,
    pub name: String,
    pub source: DefinitionSource,
    /// The effective behaviour instead, and why.
    pub message: String,
}

/// All definitions in effect, the source of each, and the parts without effect.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DefinitionsInForce {
    pub definitions: Arc<Definitions>,
    pub agent_sources: BTreeMap<AgentName, DefinitionSource>,
    pub capability_sources: BTreeMap<CapabilityName, DefinitionSource>,
    pub problems: Vec<DefinitionProblem>,
}

/// The content of the settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinitionSettings {
    pub(crate) agents: ParsedSetting<AgentDefinition>,
    pub(crate) capabilities: ParsedSetting<Capability>,
}

impl DefinitionSource {
    /// The place where an operator finds definitions of a kind.
    pub fn place(self, kind: DefinitionKind) -> &'static str {
        match (self, kind) {
            (DefinitionSource::File, _) => "toolgate.toml",
            (DefinitionSource::Settings, DefinitionKind::Agent) => "the setting agents",
            (DefinitionSource::Settings, DefinitionKind::Capability) => "the setting capabilities",
        }
    }
}

impl DefinitionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            DefinitionKind::Agent => "agent",
            DefinitionKind::Capability => "capability",
        }
    }
}

impl fmt::Display for DefinitionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, place) = (self.kind.as_str(), self.source.place(self.kind));
        write!(f, "{kind} {:?} of {place}: {}", self.name, self.message)
    }
}

impl DefinitionsInForce {
    pub(crate) fn merge(file: &FileState, set: &DefinitionSettings) -> Self {
        let mut merging = DefinitionMerge::default();
        merging.problems.extend(set.capabilities.problems.iter().chain(&set.agents.problems).cloned());
        for capability in &file.capabilities {
            merging.add_capability(capability, DefinitionSource::File);
        }
        for capability in &set.capabilities.definitions {
            merging.add_capability(capability, DefinitionSource::Settings);
        }
        for agent in &file.agents {
            merging.add_agent(agent, DefinitionSource::File);
        }
        for agent in &set.agents.definitions {
            merging.add_agent(agent, DefinitionSource::Settings);
        }
        merging.done()
    }
}

#[derive(Default)]
struct DefinitionMerge {
    definitions: Definitions,
    agent_sources: BTreeMap<AgentName, DefinitionSource>,
    capability_sources: BTreeMap<CapabilityName, DefinitionSource>,
    claims: AgentClaims,
    problems: Vec<DefinitionProblem>,
}

impl DefinitionMerge {
    fn add_capability(&mut self, capability: &Capability, source: DefinitionSource) {
        let name = &capability.name;
        if let Some(first) = self.capability_sources.get(name) {
            let message = taken(*first, source, DefinitionKind::Capability);
            return self.tell(DefinitionKind::Capability, name.as_str(), source, message);
        }
        self.capability_sources.insert(name.clone(), source);
        self.definitions.capabilities.insert(name.clone(), Arc::new(capability.clone()));
    }

    fn add_agent(&mut self, agent: &AgentDefinition, source: DefinitionSource) {
        let name = agent.name.clone();
        if let Some(first) = self.agent_sources.get(&name) {
            let message = taken(*first, source, DefinitionKind::Agent);
            return self.tell(DefinitionKind::Agent, name.as_str(), source, message);
        }
        let mut agent = agent.clone();
        for message in self.without_unknown(&mut agent).into_iter().chain(self.claims.take(&mut agent)) {
            self.tell(DefinitionKind::Agent, name.as_str(), source, message);
        }
        self.agent_sources.insert(name.clone(), source);
        self.definitions.agents.insert(name, Arc::new(agent));
    }

    /// Removes undefined capabilities. The list stays, even if it becomes empty: an agent without a list
    /// would see every tool.
    fn without_unknown(&self, agent: &mut AgentDefinition) -> Vec<String> {
        let Some(names) = &mut agent.capabilities else { return Vec::new() };
        let mut messages = Vec::new();
        names.retain(|name| {
            let known = self.definitions.capabilities.contains_key(name);
            if !known {
                messages.push(format!("the capability \"{name}\" is not defined, and adds nothing"));
            }
            known
        });
        messages
    }

    fn tell(&mut self, kind: DefinitionKind, name: &str, source: DefinitionSource, message: String) {
        self.problems.push(DefinitionProblem { kind, name: name.to_owned(), source, message });
    }

    fn done(mut self) -> DefinitionsInForce {
        self.problems.sort();
        self.problems.dedup();
        DefinitionsInForce {
            definitions: Arc::new(self.definitions),
            agent_sources: self.agent_sources,
            capability_sources: self.capability_sources,
            problems: self.problems,
        }
    }
}

fn taken(first: DefinitionSource, second: DefinitionSource, kind: DefinitionKind) -> String {
    if first == second {
        return "it stands there twice, and the first one counts".to_owned();
    }
    format!("it is not used, because {} defines it too", first.place(kind))
}

#[cfg(test)]
mod tests;
