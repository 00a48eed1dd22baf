//! What an agent may see and touch: capabilities, agent definitions, mounts, and the scope that a session is made of.

mod agent;
mod capability;
mod definitions;
mod limit;
mod mount;
mod pattern;
mod seat;

use crate::decision::Template;
use crate::{Digest, ServerName, Tool};

pub use agent::{AgentDefinition, AgentLimits, AgentName, TokenBudget};
pub use capability::{Capability, CapabilityName};
pub use definitions::{BadDefinition, Definitions};
pub use limit::BadPart;
pub use mount::{BadNeed, Mounts, Need};
pub use pattern::{BadPattern, Pattern};
pub use seat::{Credential, Route, Seat};

/// What a session is made of, frozen when it begins. The catalogue and policy may change meanwhile; this does not.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Scope {
    /// All of them must admit a tool: the definition that the credential is bound to, and the one that was asked for.
    pub layers: Vec<Layer>,
    /// Those of all layers and of the session itself, added up.
    pub mounts: Mounts,
    /// The strictest of all that were named.
    pub template: Option<Template>,
    /// The servers there were when the session began; nothing where those that come later belong to it too.
    pub servers: Option<Vec<ServerName>>,
    pub pinned: Vec<Pattern>,
    pub token_budget: TokenBudget,
    pub schema_diet: bool,
    pub reveal_found: bool,
}

/// What one agent definition says about tools.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Layer {
    pub agent: AgentName,
    pub version: Digest,
    /// Nothing where every tool is admitted.
    pub capabilities: Option<Vec<Capability>>,
    pub blocked: Vec<Pattern>,
}

/// Why a tool is in or out, as far as the scope decides it.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason<'a> {
    /// The rules that let it in, one for each layer that has any.
    In(Vec<Admission<'a>>),
    NoCapability {
        agent: &'a AgentName,
    },
    Blocked {
        agent: &'a AgentName,
        pattern: &'a Pattern,
    },
    NotMounted,
    Needs(&'a Need),
    /// Its server came after the session had begun.
    LaterServer,
}

/// The rule of a capability that a tool fits.
#[derive(Clone, PartialEq, Debug)]
pub struct Admission<'a> {
    pub agent: &'a AgentName,
    pub capability: &'a CapabilityName,
    pub rule: Rule<'a>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule<'a> {
    Tool(&'a Pattern),
    Tag(&'a str),
    Server(&'a Pattern),
}

impl Scope {
    /// Stands for everything that this scope says.
    pub fn id(&self) -> Digest {
        Digest::of(serde_json::to_vec(self).expect("a scope is text and numbers"))
    }

    /// Whether a tool is in, policy aside.
    pub fn judge<'a>(&'a self, tool: &'a Tool) -> Reason<'a> {
        for layer in &self.layers {
            if let Some(pattern) = layer.blocked.iter().find(|one| one.matches(tool.name.as_str())) {
                return Reason::Blocked { agent: &layer.agent, pattern };
            }
        }
        let mut admissions = Vec::new();
        for layer in &self.layers {
            let Some(capabilities) = &layer.capabilities else { continue };
            let fits = |one: &'a Capability| Some((&one.name, one.rule_for(tool)?));
            let Some((capability, rule)) = capabilities.iter().find_map(fits) else {
                return Reason::NoCapability { agent: &layer.agent };
            };
            admissions.push(Admission { agent: &layer.agent, capability, rule });
        }
        match self.judge_server(&tool.server) {
            Some(reason) => reason,
            None => match tool.handling.needs.iter().find(|need| !self.mounts.satisfy(need)) {
                Some(need) => Reason::Needs(need),
                None => Reason::In(admissions),
            },
        }
    }

    fn judge_server(&self, server: &ServerName) -> Option<Reason<'_>> {
        if self.servers.as_ref().is_some_and(|there| !there.contains(server)) {
            return Some(Reason::LaterServer);
        }
        (!self.mounts.servers.is_empty() && !self.mounts.servers.contains(server))
            .then_some(Reason::NotMounted)
    }

    /// Whether a server as a whole is in: its prompts and resources are seen then, and where a tool of it is.
    pub fn reaches(&self, server: &ServerName) -> bool {
        let admits = |layer: &Layer| {
            let blocked = layer.blocked.iter().any(|pattern| pattern.covers(server));
            let capabilities = layer.capabilities.as_ref();
            !blocked && capabilities.is_none_or(|all| all.iter().any(|one| one.reaches(server)))
        };
        self.judge_server(server).is_none() && self.layers.iter().all(admits)
    }

    /// Whether a tool of a server could be in: those whose scope cannot hold any need not know that it exists.
    pub fn could_hold(&self, server: &ServerName) -> bool {
        let admits = |layer: &Layer| {
            let capabilities = layer.capabilities.as_ref();
            capabilities.is_none_or(|all| all.iter().any(|one| one.could_hold(server)))
        };
        self.judge_server(server).is_none() && self.layers.iter().all(admits)
    }

    /// What is left of this scope where it is asked for within another: allowed tools intersect, mounts and blocked tools
    /// add up, strictness never relaxes. How tools are shown is as the inner one has it.
    #[must_use]
    pub fn within(self, outer: Scope) -> Scope {
        let mut layers = outer.layers;
        layers.extend(self.layers.into_iter().filter(|layer| !layers.contains(layer)).collect::<Vec<_>>());
        let mut servers = match (self.servers, outer.servers) {
            (Some(inner), Some(outer)) => Some(common(inner, &outer)),
            (inner, outer) => inner.or(outer),
        };
        // To name servers is to leave out all others, so these two do not add up: that would show what the outer one
        // leaves out.
        let mounted = match (self.mounts.servers.is_empty(), outer.mounts.servers.is_empty()) {
            (false, false) => common(self.mounts.servers.clone(), &outer.mounts.servers),
            _ => self.mounts.servers.union(&outer.mounts.servers).cloned().collect(),
        };
        if mounted.is_empty() && !self.mounts.servers.is_empty() {
            servers = Some(Vec::new());
        }
        let mut mounts = outer.mounts;
        mounts.add(self.mounts);
        mounts.servers = mounted;
        Scope { layers, mounts, servers, template: self.template.max(outer.template), ..self }
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
