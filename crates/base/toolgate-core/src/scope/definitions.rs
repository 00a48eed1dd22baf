//! All agent definitions and capabilities, from every source.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::agent::AgentDefinition;
use super::capability::Capability;
use super::name::{AgentName, CapabilityName};
use super::{Layer, Scope};
use crate::Principal;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Definitions {
    pub agents: BTreeMap<AgentName, Arc<AgentDefinition>>,
    pub capabilities: BTreeMap<CapabilityName, Arc<Capability>>,
}

/// The error in a definition, and its position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadDefinition {
    #[error("agent \"{agent}\" has the capability \"{capability}\", which is not defined")]
    UnknownCapability { agent: AgentName, capability: CapabilityName },
    #[error("the agents \"{one}\" and \"{other}\" are both for the principal {principal:?}")]
    TwoForPrincipal { one: AgentName, other: AgentName, principal: String },
    #[error("the agents \"{one}\" and \"{other}\" are both for the group {group:?}")]
    TwoForGroup { one: AgentName, other: AgentName, group: String },
}

impl Definitions {
    /// Checks that the definitions are consistent.
    pub fn check(&self) -> Result<(), BadDefinition> {
        for definition in self.agents.values() {
            self.layer(definition)?;
        }
        self.check_principals()
    }

    fn check_principals(&self) -> Result<(), BadDefinition> {
        let (mut principals, mut groups) = (BTreeMap::new(), BTreeMap::new());
        for (name, definition) in &self.agents {
            for principal in &definition.principals {
                if let Some(one) = principals.insert(principal, name).filter(|one| *one != name) {
                    let (one, other, principal) = (one.clone(), name.clone(), principal.clone());
                    return Err(BadDefinition::TwoForPrincipal { one, other, principal });
                }
            }
            for group in &definition.groups {
                if let Some(one) = groups.insert(group, name).filter(|one| *one != name) {
                    let (one, other, group) = (one.clone(), name.clone(), group.clone());
                    return Err(BadDefinition::TwoForGroup { one, other, group });
                }
            }
        }
        Ok(())
    }

    /// A definition by its name. `default` always exists.
    pub fn agent(&self, name: &AgentName) -> Option<Arc<AgentDefinition>> {
        let built_in = || Arc::new(AgentDefinition::named(AgentName::default_agent()));
        let written = self.agents.get(name).cloned();
        written.or_else(|| (*name == AgentName::default_agent()).then(built_in))
    }

    /// The definition of an unbound credential: the one for its principal, otherwise for one of its groups,
    /// otherwise `default`.
    pub fn agent_for(&self, principal: &Principal) -> Arc<AgentDefinition> {
        let named = |one: &&Arc<AgentDefinition>| one.principals.iter().any(|id| id == principal.id.as_str());
        let grouped =
            |one: &&Arc<AgentDefinition>| one.groups.iter().any(|group| principal.groups.contains(group));
        let found = self.agents.values().find(named).or_else(|| self.agents.values().find(grouped));
        let default = || self.agent(&AgentName::default_agent()).expect("`default` is always there");
        found.cloned().unwrap_or_else(default)
    }

    /// A definition's rules for tools, with the current capabilities.
    pub fn layer(&self, definition: &AgentDefinition) -> Result<Layer, BadDefinition> {
        let capability = |name: &CapabilityName| match self.capabilities.get(name) {
            Some(capability) => Ok(Capability::clone(capability)),
            None => Err(BadDefinition::UnknownCapability {
                agent: definition.name.clone(),
                capability: name.clone(),
            }),
        };
        let named = definition.capabilities.as_ref();
        Ok(Layer {
            agent: definition.name.clone(),
            version: definition.version(),
            capabilities: named.map(|names| names.iter().map(capability).collect()).transpose()?,
            blocked: definition.blocked.clone(),
        })
    }

    /// The scope that sessions of a definition start with.
    pub fn scope(&self, definition: &AgentDefinition) -> Result<Scope, BadDefinition> {
        Ok(Scope {
            layers: vec![self.layer(definition)?],
            mounts: definition.mounts.clone(),
            template: definition.policy_template,
            servers: None,
            pinned: definition.pinned.clone(),
            token_budget: definition.token_budget,
            schema_diet: definition.schema_diet,
            reveal_found: definition.reveal_found,
        })
    }
}
