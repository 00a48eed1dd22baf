//! All servers' stocks combined: the state behind the catalogue, from which each snapshot is made.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use toolgate_core::platform::PlatformTool;
use toolgate_core::registry::{NamedKind, WireName};
use toolgate_core::server::ServerListing;
use toolgate_core::{CanonicalName, ServerName};

use crate::alias::{self, Alias};
use crate::desk::NamingDesk;
use crate::kind::OfferKind;
use crate::memory::{NameKeeper, NameMemory};
use crate::naming::Prefixes;
use crate::own::OwnStock;
use crate::snapshot::{HiddenTool, NamingResult, Snapshot};
use crate::stock::{PresentServer, ServerStock, natural_name};
use crate::tool::ToolRule;
use crate::{CatalogUpdate, ServerSettings, WithheldReason, WithheldTool};

#[derive(Default)]
pub(crate) struct Assembly {
    servers: Vec<ServerSettings>,
    rules: Vec<ToolRule>,
    aliases: Vec<Alias>,
    own: OwnStock,
    stocks: BTreeMap<ServerName, ServerStock>,
    withheld: BTreeMap<ServerName, Vec<WithheldTool>>,
    tool_names: NameMemory,
    prompt_names: NameMemory,
    /// Snapshots made so far.
    generation: u64,
}

impl Assembly {
    pub(crate) fn kept_by(keeper: NameKeeper) -> Self {
        let (tool_names, prompt_names) = (NameMemory::kept_by(keeper), NameMemory::kept_by(keeper));
        Self { tool_names, prompt_names, ..Self::default() }
    }

    pub(crate) fn take_own(&mut self, tools: &[Arc<PlatformTool>]) {
        self.own = OwnStock::of(tools);
    }

    /// Tells whether anything is different now.
    pub(crate) fn take(&mut self, update: CatalogUpdate) -> bool {
        let mut changed = false;
        if let Some(servers) = update.servers.filter(|servers| *servers != self.servers) {
            self.take_servers(servers);
            changed = true;
        }
        if let Some(rules) = update.rules.filter(|rules| *rules != self.rules) {
            self.rules = rules;
            self.stocks.values_mut().for_each(ServerStock::forget_rules);
            changed = true;
        }
        if let Some(aliases) = update.aliases.filter(|aliases| *aliases != self.aliases) {
            self.aliases = aliases;
            changed = true;
        }
        for name in &update.names {
            changed |= self.take_name(name);
        }
        let known: HashSet<&ServerName> = self.servers.iter().map(|one| &one.name).collect();
        for (server, listing) in update.listings.into_iter().filter(|(server, _)| known.contains(server)) {
            changed |= take_listing(&mut self.stocks, server, listing);
        }
        for (server, withheld) in update.withheld.into_iter().filter(|(server, _)| known.contains(server)) {
            changed |= self.withheld.get(&server) != Some(&withheld);
            self.withheld.insert(server, withheld);
        }
        changed
    }

    fn take_name(&mut self, WireName { kind, name, owner, .. }: &WireName) -> bool {
        let memory = match kind {
            NamedKind::Tool => &mut self.tool_names,
            NamedKind::Prompt => &mut self.prompt_names,
        };
        memory.record(name, owner)
    }

    fn take_servers(&mut self, servers: Vec<ServerSettings>) {
        let known: HashSet<&ServerName> = servers.iter().map(|one| &one.name).collect();
        self.stocks.retain(|server, _| known.contains(server));
        self.withheld.retain(|server, _| known.contains(server));
        self.servers = servers;
    }

    pub(crate) fn build(&mut self) -> Snapshot {
        for settings in &self.servers {
            if let Some(stock) = self.stocks.get_mut(&settings.name) {
                stock.arrange(settings, &self.rules);
            }
        }
        let present = present(&self.servers, &self.stocks);
        let left_out = present.iter().flat_map(|one| one.stock.left_out.iter().cloned()).collect();
        let prefixes = Prefixes::of(self.servers.iter().map(|one| &one.name));
        let mut desk = NamingDesk::new(prefixes, &self.own, left_out);
        let mut tools = desk.name_all(OfferKind::Tool, &present, &self.tool_names);
        let prompts = desk.name_all(OfferKind::Prompt, &present, &self.prompt_names);
        // Any server that lists a URI serves it: it may move.
        let resources = desk.name_all(OfferKind::Resource, &present, &NameMemory::default());
        let templates = desk.name_all(OfferKind::Template, &present, &NameMemory::default());
        self.prompt_names.note(&prompts);
        self.tool_names.note(&tools);
        // The operator's names come before the gateway's former ones.
        let aliases: Vec<Alias> = self.aliases.iter().chain(&self.own.aliases).cloned().collect();
        let resolved = alias::resolve(&aliases, &tools, &self.tool_names);
        if !resolved.renames.is_empty() {
            tools.rename(&resolved.renames);
            self.tool_names.note(&tools);
        }
        self.generation += 1;
        let sections = [tools, prompts, resources, templates];
        let hidden = hidden(&self.servers, &self.withheld, &desk.left_out);
        let NamingDesk { left_out, renamed, unrecorded, .. } = desk;
        let named = NamingResult { left_out, renamed, unrecorded };
        Snapshot::new(self.generation, sections, &present, resolved, hidden, named)
    }
}

fn take_listing(
    stocks: &mut BTreeMap<ServerName, ServerStock>,
    server: ServerName,
    listing: Option<ServerListing>,
) -> bool {
    let Some(listing) = listing else { return stocks.remove(&server).is_some() };
    let before = stocks.get(&server);
    if before.is_some_and(|stock| stock.listing == listing) {
        return false;
    }
    let stock = ServerStock::read(listing, before);
    stocks.insert(server, stock);
    true
}

fn present<'a>(
    servers: &'a [ServerSettings],
    stocks: &'a BTreeMap<ServerName, ServerStock>,
) -> Vec<PresentServer<'a>> {
    let with_stock = |(place, settings): (usize, &'a ServerSettings)| {
        Some(PresentServer { place, settings, stock: stocks.get(&settings.name)? })
    };
    servers.iter().enumerate().filter_map(with_stock).collect()
}

/// Tools that are not served, by the names they would have.
fn hidden(
    servers: &[ServerSettings],
    withheld: &BTreeMap<ServerName, Vec<WithheldTool>>,
    left_out: &[(CanonicalName, String)],
) -> BTreeMap<String, HiddenTool> {
    let mut hidden = BTreeMap::new();
    let mut hide = |settings: &ServerSettings, own: &str, why: WithheldReason, reason: &str| {
        let name = CanonicalName::of(&settings.name, own);
        let it = HiddenTool { name: name.clone(), why, reason: reason.to_owned() };
        hidden.insert(natural_name(OfferKind::Tool, settings, own), it.clone());
        hidden.insert(name.as_str().to_owned(), it);
    };
    for settings in servers {
        for one in withheld.get(&settings.name).into_iter().flatten() {
            hide(settings, &one.own, one.why, &one.reason);
        }
    }
    for (name, reason) in left_out {
        let Some((server, own)) = name.as_str().split_once(':') else { continue };
        if let Some(settings) = servers.iter().find(|one| one.name.as_str() == server) {
            hide(settings, own, WithheldReason::Unreadable, reason);
        }
    }
    hidden
}
