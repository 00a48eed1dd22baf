//! A named set of tools.

use super::name::CapabilityName;
use super::pattern::NamePattern;
use crate::{ServerName, Tool};

/// A named set of tools: by canonical name or pattern, by tag, by server. A tool belongs to it if one of
/// these matches. A capability with nothing but a name takes the tools that are tagged with that name.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capability {
    pub name: CapabilityName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Over canonical names: `github:*`, `*:read_*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<NamePattern>,
    /// The purpose of a tool according to the tool or the operator (`capabilities` of a tool).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<NamePattern>,
}

impl Capability {
    /// Everything that a capability may say, wherever it is written.
    pub const KEYS: &[&str] = &["name", "description", "tools", "tags", "servers"];
    pub const RULES_MAX: usize = 1000;

    /// The first rule that a tool fits.
    pub fn rule_for<'a>(&'a self, tool: &'a Tool) -> Option<CapabilityRule<'a>> {
        let server =
            || self.servers.iter().find(|one| one.matches(tool.server.as_str())).map(CapabilityRule::Server);
        let named =
            || self.tools.iter().find(|one| one.matches(tool.name.as_str())).map(CapabilityRule::Tool);
        let tags = &tool.handling.capabilities;
        let tagged =
            || self.wanted_tags().find(|tag| tags.iter().any(|one| one == tag)).map(CapabilityRule::Tag);
        server().or_else(named).or_else(tagged)
    }

    /// True if it has the tag of a tool, or a pattern that begins with the tool's domain, as `run.*` does.
    pub(super) fn names(&self, tool: &Tool) -> bool {
        let name = tool.name.as_str();
        let domain = name.split_inclusive('.').next().unwrap_or(name);
        let begins = |one: &NamePattern| one.matches(name) && one.to_string().starts_with(domain);
        let is_tagged = |tag: &str| tool.handling.capabilities.iter().any(|one| one == tag);
        self.tools.iter().any(begins) || self.wanted_tags().any(is_tagged)
    }

    /// True if it includes a server as a whole, including future tools.
    pub(super) fn reaches(&self, server: &ServerName) -> bool {
        let named = self.servers.iter().any(|one| one.matches(server.as_str()));
        named || self.tools.iter().any(|one| one.covers(server))
    }

    /// True if a tool of a server could belong to it.
    pub(super) fn could_hold(&self, server: &ServerName) -> bool {
        let of_server = |one: &NamePattern| match one.to_string().split_once(':') {
            Some((part, _)) => NamePattern::new(part).is_ok_and(|part| part.matches(server.as_str())),
            None => true,
        };
        self.servers.iter().any(|one| one.matches(server.as_str()))
            || self.tools.iter().any(of_server)
            || self.wanted_tags().next().is_some()
    }

    /// The tags by which tools belong to it.
    pub fn wanted_tags(&self) -> impl Iterator<Item = &str> {
        let bare = self.tools.is_empty() && self.tags.is_empty() && self.servers.is_empty();
        let own = bare.then(|| self.name.as_str());
        own.into_iter().chain(self.tags.iter().map(String::as_str))
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CapabilityRule<'a> {
    Tool(&'a NamePattern),
    Tag(&'a str),
    Server(&'a NamePattern),
}
