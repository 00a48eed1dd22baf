//! The tools and data that an agent may see and use: capabilities, agent definitions, mounts, and the scope
//! of a session.

mod agent;
mod capability;
mod definitions;
mod limit;
mod mount;
pub(crate) mod name;
mod pattern;
mod reach;
mod seat;

use std::collections::BTreeSet;

use crate::decision::PolicyTemplate;
use crate::name::OWN_SERVER;
use crate::{Digest, Role, ServerName, Tool};

pub use agent::{AgentDefinition, AgentLimits, TokenBudget};
pub use capability::{Capability, CapabilityRule};
pub use definitions::{BadDefinition, Definitions};
pub use limit::BadPart;
pub use mount::{BadNeed, MountNeed, Mounts};
pub use name::{AgentName, CapabilityName};
pub use pattern::{BadPattern, NamePattern};
pub use reach::{PointerReach, is_within};
pub use seat::{Credential, Seat, SessionRoute};

/// The scope of a session, frozen when it starts. The catalogue and policy may change meanwhile; the scope
/// does not.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Scope {
    /// All of them must admit a tool: the definition that the credential is bound to, and the requested one.
    pub layers: Vec<Layer>,
    /// The mounts of all layers and of the session itself, combined.
    pub mounts: Mounts,
    /// The strictest of all that were named.
    pub template: Option<PolicyTemplate>,
    /// The servers at the start of the session; `None` if later ones belong to it too.
    pub servers: Option<Vec<ServerName>>,
    pub pinned: Vec<NamePattern>,
    pub token_budget: TokenBudget,
    pub schema_diet: bool,
    pub reveal_found: bool,
}

/// The rules of one agent definition for tools.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Layer {
    pub agent: AgentName,
    pub version: Digest,
    /// `None` if every tool is admitted.
    pub capabilities: Option<Vec<Capability>>,
    pub blocked: Vec<NamePattern>,
}

/// The reason why a tool is in or out, as far as the scope decides.
#[derive(Clone, PartialEq, Debug)]
pub enum ScopeReason<'a> {
    /// The rules that let it in, one for each layer that has any.
    In(Vec<CapabilityMatch<'a>>),
    NoCapability {
        agent: &'a AgentName,
    },
    Blocked {
        agent: &'a AgentName,
        pattern: &'a NamePattern,
    },
    NotMounted,
    Needs(&'a MountNeed),
    /// Its server was added after the session had started.
    LaterServer,
}

/// The rule of a capability that a tool fits.
#[derive(Clone, PartialEq, Debug)]
pub struct CapabilityMatch<'a> {
    pub agent: &'a AgentName,
    pub capability: &'a CapabilityName,
    pub rule: CapabilityRule<'a>,
}

impl Scope {
    /// A digest of the whole scope.
    pub fn id(&self) -> Digest {
        Digest::of(serde_json::to_vec(self).expect("a scope is text and numbers"))
    }

    /// Decides whether a tool is in the scope of a principal of this role, before policy.
    pub fn judge<'a>(&'a self, tool: &'a Tool, role: Role) -> ScopeReason<'a> {
        for layer in &self.layers {
            if let Some(pattern) = layer.blocked.iter().find(|one| one.matches(tool.name.as_str())) {
                return ScopeReason::Blocked { agent: &layer.agent, pattern };
            }
        }
        let mut admissions = Vec::new();
        for layer in &self.layers {
            let Some(capabilities) = &layer.capabilities else { continue };
            let fits = |one: &'a Capability| Some((&one.name, one.rule_for(tool)?));
            let Some((capability, rule)) = capabilities.iter().find_map(fits) else {
                return ScopeReason::NoCapability { agent: &layer.agent };
            };
            admissions.push(CapabilityMatch { agent: &layer.agent, capability, rule });
        }
        match self.judge_server(&tool.server) {
            Some(reason) => reason,
            None => match tool.handling.needs.iter().find(|need| !self.satisfies(need, role)) {
                Some(need) => ScopeReason::Needs(need),
                None => ScopeReason::In(admissions),
            },
        }
    }

    /// The pointers that a principal of this role may use. Those who run the gateway need no mounts, but keep to those
    /// that there are.
    pub fn pointer_reach(&self, role: Role) -> PointerReach<'_> {
        match self.mounts.pointers.is_empty() && runs_gateway(role) {
            true => PointerReach::All,
            false => PointerReach::Mounted(&self.mounts.pointers),
        }
    }

    /// True if a capability is about this tool of a domain, and does not merely cover it with everything else. An agent that
    /// has every tool should not pay for the gateway's domains in its lists.
    pub fn names(&self, tool: &Tool) -> bool {
        self.layers.iter().flat_map(|layer| layer.capabilities.iter().flatten()).any(|one| one.names(tool))
    }

    fn satisfies(&self, need: &MountNeed, role: Role) -> bool {
        match need {
            MountNeed::Pointer => self.pointer_reach(role).is_something(),
            MountNeed::Operator => runs_gateway(role),
            need => self.mounts.satisfy(need),
        }
    }

    fn judge_server(&self, server: &ServerName) -> Option<ScopeReason<'_>> {
        // The gateway itself is always there, and no mount leads to it.
        if server.as_str() == OWN_SERVER {
            return None;
        }
        if self.servers.as_ref().is_some_and(|there| !there.contains(server)) {
            return Some(ScopeReason::LaterServer);
        }
        (!self.mounts.servers.is_empty() && !self.mounts.servers.contains(server))
            .then_some(ScopeReason::NotMounted)
    }

    /// True if a server as a whole is in the scope: its prompts and resources are visible then, or if one of
    /// its tools is.
    pub fn reaches(&self, server: &ServerName) -> bool {
        let admits = |layer: &Layer| {
            let blocked = layer.blocked.iter().any(|pattern| pattern.covers(server));
            let capabilities = layer.capabilities.as_ref();
            !blocked && capabilities.is_none_or(|all| all.iter().any(|one| one.reaches(server)))
        };
        self.judge_server(server).is_none() && self.layers.iter().all(admits)
    }

    /// True if a tool of a server could be in the scope: otherwise the session need not know that the server
    /// exists.
    pub fn could_hold(&self, server: &ServerName) -> bool {
        let admits = |layer: &Layer| {
            let capabilities = layer.capabilities.as_ref();
            capabilities.is_none_or(|all| all.iter().any(|one| one.could_hold(server)))
        };
        self.judge_server(server).is_none() && self.layers.iter().all(admits)
    }

    /// The scope that remains when this one is requested within another: allowed tools intersect, mounts and
    /// blocked tools add up, strictness never relaxes. The presentation of tools follows the inner one.
    #[must_use]
    pub fn within(self, outer: Scope) -> Scope {
        let mut layers = outer.layers;
        layers.extend(self.layers.into_iter().filter(|layer| !layers.contains(layer)).collect::<Vec<_>>());
        let mut servers = match (self.servers, outer.servers) {
            (Some(inner), Some(outer)) => Some(common(inner, &outer)),
            (inner, outer) => inner.or(outer),
        };
        // A list of servers excludes all others, so the two lists are not merged: that would expose servers
        // that the outer one excludes.
        let mounted = match (self.mounts.servers.is_empty(), outer.mounts.servers.is_empty()) {
            (false, false) => common(self.mounts.servers.clone(), &outer.mounts.servers),
            _ => self.mounts.servers.union(&outer.mounts.servers).cloned().collect(),
        };
        if mounted.is_empty() && !self.mounts.servers.is_empty() {
            servers = Some(Vec::new());
        }
        let pointers = pointers(&self.mounts.pointers, &outer.mounts.pointers);
        let mut mounts = outer.mounts;
        mounts.add(self.mounts);
        (mounts.servers, mounts.pointers) = (mounted, pointers);
        Scope { layers, mounts, servers, template: self.template.max(outer.template), ..self }
    }
}

/// True for the roles that run the gateway.
fn runs_gateway(role: Role) -> bool {
    matches!(role, Role::Admin | Role::Operator)
}

/// Patterns exclude all other pointers, so of the inner ones those remain that the outer ones contain.
fn pointers(inner: &BTreeSet<String>, outer: &BTreeSet<String>) -> BTreeSet<String> {
    match (inner.is_empty(), outer.is_empty()) {
        (false, false) => {
            let common: BTreeSet<String> =
                inner.iter().filter(|one| is_within(one, outer)).cloned().collect();
            // Nothing in common is not the same as no mounts: no namespace has an empty name.
            if common.is_empty() { [String::new()].into() } else { common }
        }
        _ => inner.union(outer).cloned().collect(),
    }
}

fn common<'a, C, D>(inner: C, outer: &'a D) -> C
where
    C: IntoIterator<Item = ServerName> + FromIterator<ServerName>,
    &'a D: IntoIterator<Item = &'a ServerName>,
{
    inner.into_iter().filter(|server| outer.into_iter().any(|one| one == server)).collect()
}

#[cfg(test)]
mod tests;
