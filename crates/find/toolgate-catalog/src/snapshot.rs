//! The catalogue at one moment: all servers' listings merged under their wire names.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use toolgate_core::registry::WireName;
use toolgate_core::server::AskPermissions;
use toolgate_core::{CanonicalName, ServerName};

use crate::alias::{Alias, ResolvedAliases};
use crate::naming::canonical_of_connector;
use crate::section::{CatalogEntry, CatalogSection};
use crate::stock::PresentServer;
use crate::template::UriTemplate;
use crate::{ChangedLists, WithheldReason};

#[derive(Debug, Default)]
pub struct Snapshot {
    /// Counts up with every snapshot that a catalogue makes; the empty one before the first has 0.
    pub generation: u64,
    pub tools: CatalogSection,
    pub prompts: CatalogSection,
    pub resources: CatalogSection,
    pub templates: CatalogSection,
    patterns: Vec<(Arc<UriTemplate>, Arc<CatalogEntry>)>,
    /// Servers that serve resources, in the operator's order.
    resource_servers: Vec<ServerName>,
    /// The servers' instructions for the model.
    instructions: Vec<(ServerName, Arc<str>)>,
    /// Entries that are left out, and why.
    pub left_out: Vec<(CanonicalName, String)>,
    /// Tools and prompts that agents call by another name than the plain one, and why.
    pub renamed: Vec<(CanonicalName, String)>,
    /// Names that have to be recorded before their entries are shown.
    pub unrecorded: Vec<WireName>,
    /// Tools with file settings that do not fit, and why. They are served as their servers offer them.
    pub misfits: Vec<(CanonicalName, String)>,
    /// Tools whose definitions were completed so that clients can read them, and how.
    pub completed: Vec<(CanonicalName, String)>,
    /// The valid aliases, by name. Their tools need not be listed at the moment.
    pub aliases: BTreeMap<String, Alias>,
    /// The refused aliases, and why.
    pub refused_aliases: Vec<(Alias, String)>,
    hidden: BTreeMap<String, HiddenTool>,
    asks: HashMap<ServerName, AskPermissions>,
    has_param_headers: bool,
}

/// The target of a resource URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTarget {
    pub server: ServerName,
    /// The URI as the server knows it.
    pub uri: String,
}

/// A tool, and the alias it was found by.
#[derive(Debug)]
pub struct FoundTool<'a> {
    pub entry: Arc<CatalogEntry>,
    pub alias: Option<&'a Alias>,
}

/// The reason why a name finds no tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingTool {
    Unknown,
    /// It exists and is not served.
    Withheld {
        name: CanonicalName,
        why: WithheldReason,
        reason: String,
    },
    /// The name worked until a date that has passed.
    Sunset {
        alias: Alias,
    },
}

/// A tool that exists and is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenTool {
    pub name: CanonicalName,
    pub why: WithheldReason,
    pub reason: String,
}

/// The result of assigning names.
pub(crate) struct NamingResult {
    pub(crate) left_out: Vec<(CanonicalName, String)>,
    pub(crate) renamed: Vec<(CanonicalName, String)>,
    pub(crate) unrecorded: Vec<WireName>,
}

impl Snapshot {
    pub(crate) fn new(
        generation: u64,
        [tools, prompts, resources, templates]: [CatalogSection; 4],
        present: &[PresentServer<'_>],
        resolved: ResolvedAliases,
        hidden: BTreeMap<String, HiddenTool>,
        named: NamingResult,
    ) -> Self {
        let name = |one: &PresentServer<'_>| one.settings.name.clone();
        let serving = present.iter().filter(|one| one.stock.serves_resources);
        let instructions =
            present.iter().filter_map(|one| Some((name(one), one.stock.instructions.clone()?)));
        let misfits = present.iter().flat_map(|one| one.stock.misfits.iter().cloned());
        let completed = present.iter().flat_map(|one| one.stock.completed.iter().cloned());
        Self {
            generation,
            patterns: patterns(&templates, present),
            resource_servers: serving.map(name).collect(),
            instructions: instructions.collect(),
            has_param_headers: tools.entries().iter().any(|entry| !entry.param_headers.is_empty()),
            tools,
            prompts,
            resources,
            templates,
            left_out: named.left_out,
            renamed: named.renamed,
            unrecorded: named.unrecorded,
            misfits: misfits.collect(),
            completed: completed.collect(),
            aliases: resolved.aliases,
            refused_aliases: resolved.refused,
            hidden,
            asks: present.iter().map(|one| (name(one), one.settings.asks)).collect(),
        }
    }

    /// The requests that a server may send to clients. A server that offers nothing may send none.
    pub fn asks(&self, server: &ServerName) -> AskPermissions {
        self.asks.get(server).copied().unwrap_or(AskPermissions::NOTHING)
    }

    /// True if a tool wants some of its arguments as headers as well.
    pub fn has_param_headers(&self) -> bool {
        self.has_param_headers
    }

    /// A tool by its wire name, its canonical name, or an alias that still works; one of a connector also by the name that
    /// people write, `connector.slack.post_message`.
    pub fn find_tool(&self, name: &str, now_ms: i64) -> Option<FoundTool<'_>> {
        let of_connector = || self.tools.find(&canonical_of_connector(name)?);
        if let Some(entry) = self.tools.find(name).or_else(of_connector) {
            return Some(FoundTool { entry: entry.clone(), alias: None });
        }
        let alias = self.aliases.get(name).filter(|alias| alias.works_at(now_ms))?;
        let entry = self.tools.find(alias.target.as_str())?.clone();
        Some(FoundTool { entry, alias: Some(alias) })
    }

    /// The reason why [`Snapshot::find_tool`] finds nothing.
    pub fn missing_tool(&self, name: &str, now_ms: i64) -> MissingTool {
        let alias = self.aliases.get(name);
        if let Some(alias) = alias.filter(|alias| !alias.works_at(now_ms)) {
            return MissingTool::Sunset { alias: alias.clone() };
        }
        let asked = alias.map_or(name, |alias| alias.target.as_str());
        match self.hidden.get(asked) {
            Some(HiddenTool { name, why, reason }) => {
                MissingTool::Withheld { name: name.clone(), why: *why, reason: reason.clone() }
            }
            None => MissingTool::Unknown,
        }
    }

    /// All tools that exist and are not served, by canonical name.
    pub fn hidden(&self) -> impl Iterator<Item = &HiddenTool> {
        // Each is also listed under its wire name.
        self.hidden.iter().filter(|(key, hidden)| *key == hidden.name.as_str()).map(|(_, hidden)| hidden)
    }

    pub(crate) fn changes_since(&self, before: &Snapshot) -> ChangedLists {
        ChangedLists {
            tools: !self.tools.reads_like(&before.tools),
            prompts: !self.prompts.reads_like(&before.prompts),
            resources: !self.resources.reads_like(&before.resources)
                || !self.templates.reads_like(&before.templates),
        }
    }

    /// The target of a URI: a listed resource, an explicit `{server}+{uri}`, a template, or the only server
    /// that knows its scheme. A URI is never tried on several servers: it may name something private.
    pub fn resource(&self, uri: &str) -> Option<ResourceTarget> {
        let target = |server: &ServerName, uri: &str| {
            Some(ResourceTarget { server: server.clone(), uri: uri.to_owned() })
        };
        if let Some(entry) = self.resources.find(uri) {
            return target(&entry.server, &entry.own);
        }
        if let Some((name, own)) = uri.split_once('+')
            && let Some(server) = self.resource_servers.iter().find(|server| server.as_str() == name)
        {
            return target(server, own);
        }
        if let Some((_, entry)) = self.patterns.iter().find(|(template, _)| template.matches(uri)) {
            return target(&entry.server, uri);
        }
        let scheme = uri.split_once(':')?.0;
        let mut knowing = self.servers_with_scheme(scheme);
        match (knowing.pop(), knowing.pop()) {
            (Some(server), None) => target(server, uri),
            (None, _) if self.resource_servers.len() == 1 => target(&self.resource_servers[0], uri),
            _ => None,
        }
    }

    fn servers_with_scheme(&self, scheme: &str) -> Vec<&ServerName> {
        let entries = self.resources.entries().iter().chain(self.templates.entries());
        let knowing = entries.filter(|entry| entry.own.split(':').next() == Some(scheme));
        let mut servers: Vec<&ServerName> = knowing.map(|entry| &entry.server).collect();
        servers.sort();
        servers.dedup();
        servers
    }

    /// The target of completion for a template.
    pub fn template(&self, uri_template: &str) -> Option<ResourceTarget> {
        match self.templates.find(uri_template) {
            Some(entry) => Some(ResourceTarget { server: entry.server.clone(), uri: entry.own.clone() }),
            None => self.resource(uri_template),
        }
    }

    /// The own instructions of the servers that are shown, for the model, within a budget.
    pub fn instructions(&self, bytes_max: usize, shown: impl Fn(&ServerName) -> bool) -> Option<String> {
        let mut text = String::new();
        for (server, own) in self.instructions.iter().filter(|(server, _)| shown(server)) {
            let part = format!("{}# {server}\n{}", if text.is_empty() { "" } else { "\n\n" }, own.trim());
            if text.len() + part.len() > bytes_max {
                break;
            }
            text.push_str(&part);
        }
        (!text.is_empty()).then_some(text)
    }
}

fn patterns(
    templates: &CatalogSection,
    present: &[PresentServer<'_>],
) -> Vec<(Arc<UriTemplate>, Arc<CatalogEntry>)> {
    let parsed: HashMap<&ServerName, _> =
        present.iter().map(|one| (&one.settings.name, &one.stock.templates)).collect();
    let pattern = |entry: &Arc<CatalogEntry>| {
        Some((parsed.get(&entry.server)?.get(&entry.own)?.clone(), entry.clone()))
    };
    templates.entries().iter().filter_map(pattern).collect()
}
