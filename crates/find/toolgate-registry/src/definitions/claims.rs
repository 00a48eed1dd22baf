//! The definition that a principal or a group starts with: each has one, the first that claims it.

use std::collections::BTreeMap;

use toolgate_core::scope::{AgentDefinition, AgentName};

#[derive(Default)]
pub(crate) struct AgentClaims {
    principals: BTreeMap<String, AgentName>,
    groups: BTreeMap<String, AgentName>,
}

impl AgentClaims {
    /// Notes the claims of a definition. Claims of an earlier definition are removed from it, and reported.
    pub(crate) fn take(&mut self, agent: &mut AgentDefinition) -> Vec<String> {
        let name = agent.name.clone();
        let mut messages = Vec::new();
        let mut keep = |claimed: &mut BTreeMap<String, AgentName>, kind: &str, one: &String| {
            let first = claimed.entry(one.clone()).or_insert_with(|| name.clone());
            if *first != name {
                messages.push(format!("it is not for the {kind} {one:?}: the agent \"{first}\" is"));
            }
            *first == name
        };
        agent.principals.retain(|one| keep(&mut self.principals, "principal", one));
        agent.groups.retain(|one| keep(&mut self.groups, "group", one));
        messages
    }

    /// The owner of a principal or a group that a definition claims, and the position of the claim.
    pub(crate) fn rival(&self, agent: &AgentDefinition) -> Option<RivalClaim> {
        let find = |claimed: &BTreeMap<String, AgentName>, list: &[String], key: &'static str| {
            list.iter().enumerate().find_map(|(at, one)| {
                let other = claimed.get(one).filter(|other| **other != agent.name)?.clone();
                Some(RivalClaim { place: format!("{key}[{at}]"), whom: one.clone(), other })
            })
        };
        let of_groups = || find(&self.groups, &agent.groups, "groups");
        find(&self.principals, &agent.principals, "principals").or_else(of_groups)
    }
}

/// Another definition for the same principal or group.
pub(crate) struct RivalClaim {
    pub(crate) place: String,
    pub(crate) whom: String,
    pub(crate) other: AgentName,
}
