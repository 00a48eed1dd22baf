//! The catalogue at one moment: all servers' listings merged under their wire names.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use toolgate_core::server::Listing;
use toolgate_core::{CanonicalName, RawJson, ServerName};
use toolgate_wire::object::{self, push_string};
use toolgate_wire::{Members, param_header};

use crate::definition;
use crate::naming::{suffixed_name, wire_name, wire_prefix};
use crate::section::{Entry, Section};
use crate::template::Template;
use crate::tool::{self, ToolRule};
use crate::{Changes, ServerSettings};

#[derive(Debug, Default)]
pub struct Snapshot {
    pub tools: Section,
    pub prompts: Section,
    pub resources: Section,
    pub templates: Section,
    patterns: Vec<(Template, Arc<Entry>)>,
    /// Servers that serve resources, in the operator's order.
    resource_servers: Vec<ServerName>,
    /// What the servers say to the model about themselves.
    instructions: Vec<(ServerName, String)>,
    /// Tools that are left out, and why.
    pub left_out: Vec<(CanonicalName, String)>,
}

/// Where a resource URI leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTarget {
    pub server: ServerName,
    /// The URI as the server knows it.
    pub uri: String,
}

/// What distinguishes the kinds while a section is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tool,
    Prompt,
    Resource,
    Template,
}

impl Kind {
    /// The member that names an entry.
    fn key(self) -> &'static str {
        match self {
            Kind::Tool | Kind::Prompt => "name",
            Kind::Resource => "uri",
            Kind::Template => "uriTemplate",
        }
    }

    fn fault(self, definition: &RawJson) -> Option<String> {
        match self {
            Kind::Tool => definition::fault_of_tool(definition),
            Kind::Prompt => definition::fault_of_prompt(definition),
            Kind::Resource | Kind::Template => definition::fault_of_resource(definition),
        }
    }

    /// Tools and prompts get server and name joined; resources and templates keep their own URI, unless an earlier
    /// server has it.
    fn is_prefixed(self) -> bool {
        matches!(self, Kind::Tool | Kind::Prompt)
    }
}

impl Snapshot {
    pub(crate) fn build(
        servers: &[ServerSettings],
        rules: &[ToolRule],
        listings: &BTreeMap<ServerName, Listing>,
    ) -> Self {
        let mut left_out = Vec::new();
        let present: Vec<(&ServerSettings, &Listing)> =
            servers.iter().filter_map(|one| Some((one, listings.get(&one.name)?))).collect();
        let mut section = |kind: Kind, items: fn(&Listing) -> &[RawJson]| {
            let mut entries = Vec::new();
            let mut taken = HashSet::new();
            for (settings, listing) in &present {
                let earlier = servers.iter().take_while(|one| one.name != settings.name);
                let earlier: Vec<String> = earlier.map(|one| wire_prefix(&one.name)).collect();
                let shelf = Shelf { entries: &mut entries, taken: &mut taken, left_out: &mut left_out };
                shelf.add_server(settings, rules, &earlier, kind, items(listing));
            }
            Section::new(entries)
        };
        let tools = section(Kind::Tool, |listing| &listing.tools);
        let prompts = section(Kind::Prompt, |listing| &listing.prompts);
        let resources = section(Kind::Resource, |listing| &listing.resources);
        let templates = section(Kind::Template, |listing| &listing.templates);
        let patterns =
            templates.entries().iter().map(|entry| (Template::parse(&entry.own), entry.clone())).collect();
        Self {
            tools,
            prompts,
            resources,
            templates,
            patterns,
            resource_servers: present
                .iter()
                .filter(|(_, l)| serves_resources(l))
                .map(|(s, _)| s.name.clone())
                .collect(),
            instructions: present
                .iter()
                .filter_map(|(settings, listing)| {
                    Some((settings.name.clone(), listing.instructions.clone()?))
                })
                .collect(),
            left_out,
        }
    }

    pub(crate) fn changes_since(&self, before: &Snapshot) -> Changes {
        Changes {
            tools: self.tools.rendered() != before.tools.rendered(),
            prompts: self.prompts.rendered() != before.prompts.rendered(),
            resources: self.resources.rendered() != before.resources.rendered()
                || self.templates.rendered() != before.templates.rendered(),
        }
    }

    /// Where a URI leads: a listed resource, an explicit `{server}+{uri}`, a template, or the only server that
    /// knows its scheme. A URI is never tried on several servers: it may name something private.
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
        let knows_scheme = |server: &&ServerName| {
            let of_server = self.resources.entries().iter().chain(self.templates.entries());
            of_server
                .filter(|entry| entry.server == **server)
                .any(|entry| entry.own.split(':').next() == Some(scheme))
        };
        let mut knowing = self.resource_servers.iter().filter(knows_scheme);
        match (knowing.next(), knowing.next()) {
            (Some(server), None) => target(server, uri),
            (None, _) if self.resource_servers.len() == 1 => target(&self.resource_servers[0], uri),
            _ => None,
        }
    }

    /// Where completion for a template leads.
    pub fn template(&self, uri_template: &str) -> Option<ResourceTarget> {
        match self.templates.find(uri_template) {
            Some(entry) => Some(ResourceTarget { server: entry.server.clone(), uri: entry.own.clone() }),
            None => self.resource(uri_template),
        }
    }

    /// The servers' own instructions for the model, within a budget.
    pub fn instructions(&self, bytes_max: usize) -> Option<String> {
        let mut text = String::new();
        for (server, own) in &self.instructions {
            let part = format!("{}# {server}\n{}", if text.is_empty() { "" } else { "\n\n" }, own.trim());
            if text.len() + part.len() > bytes_max {
                break;
            }
            text.push_str(&part);
        }
        (!text.is_empty()).then_some(text)
    }
}

fn serves_resources(listing: &Listing) -> bool {
    let declared =
        listing.capabilities.as_ref().and_then(|raw| Some(Members::of(raw).ok()?.get("resources").is_some()));
    declared.unwrap_or(false) || !listing.resources.is_empty() || !listing.templates.is_empty()
}

/// What one kind's section is built from.
struct Shelf<'a> {
    entries: &'a mut Vec<Arc<Entry>>,
    taken: &'a mut HashSet<String>,
    left_out: &'a mut Vec<(CanonicalName, String)>,
}

impl Shelf<'_> {
    fn add_server(
        self,
        settings: &ServerSettings,
        rules: &[ToolRule],
        earlier: &[String],
        kind: Kind,
        items: &[RawJson],
    ) {
        let is_tool = kind == Kind::Tool;
        let mut own_names = HashSet::new();
        let mut named: Vec<(String, &RawJson)> = items
            .iter()
            .filter_map(|item| Some((Members::of(item).ok()?.get_str(kind.key())?.into_owned(), item)))
            .filter(|(own, _)| !is_tool || settings.filter.shows(own))
            .filter(|(own, _)| own_names.insert(own.clone()))
            .collect();
        // Names that need no change come first, so that `a__b` keeps its name beside `a.b`, whatever the server's order.
        named.sort_by(|(a, _), (b, _)| (needs_change(a), a).cmp(&(needs_change(b), b)));
        for (own, item) in named {
            let canonical = CanonicalName::of(&settings.name, &own);
            if let Some(fault) = kind.fault(item) {
                self.left_out.push((canonical, fault));
                continue;
            }
            let param_headers = match if is_tool { tool_headers(item) } else { Ok(Vec::new()) } {
                Ok(found) => found,
                Err(why) => {
                    self.left_out.push((canonical, why));
                    continue;
                }
            };
            let wire = free_name(self.taken, settings, earlier, kind, &own);
            let mut quoted = String::new();
            push_string(&mut quoted, &wire);
            let Ok(definition) = object::with_member(item.as_str(), kind.key(), &quoted) else { continue };
            let describe = || tool::describe(&settings.name, &own, &canonical, item, settings.hints, rules);
            let tool = is_tool.then(describe);
            self.entries.push(Arc::new(Entry {
                server: settings.name.clone(),
                own,
                wire,
                canonical,
                definition: RawJson::from_composed(definition),
                param_headers,
                tool,
            }));
        }
    }
}

fn needs_change(own: &str) -> bool {
    !own.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A name that nothing else has. One that a tool of an earlier server could want is left to that server whether or not it
/// is up, so that no name ever moves from one tool to another.
fn free_name(
    taken: &mut HashSet<String>,
    settings: &ServerSettings,
    earlier: &[String],
    kind: Kind,
    own: &str,
) -> String {
    let (plain, other) = if !kind.is_prefixed() {
        (own.to_owned(), format!("{}+{own}", settings.name))
    } else if settings.prefix {
        (wire_name(&settings.name, own), suffixed_name(&settings.name, own))
    } else {
        (own.to_owned(), suffixed_name(&settings.name, own))
    };
    let named = kind.is_prefixed() && settings.prefix;
    let reserved = named && earlier.iter().any(|prefix| plain.starts_with(prefix.as_str()));
    if !reserved && taken.insert(plain.clone()) {
        return plain;
    }
    taken.insert(other.clone());
    other
}

fn tool_headers(item: &RawJson) -> Result<Vec<param_header::ParamHeader>, String> {
    if !mentions_headers(item.as_str()) {
        return Ok(Vec::new());
    }
    let definition: serde_json::Value = item.decode().map_err(|error| error.to_string())?;
    definition.get("inputSchema").map_or_else(|| Ok(Vec::new()), param_header::of_schema)
}

/// Almost no tool has header annotations; looking for the word first spares decoding its schema.
fn mentions_headers(text: &str) -> bool {
    text.contains("x-mcp-header")
}
