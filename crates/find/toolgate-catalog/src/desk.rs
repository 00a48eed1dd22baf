//! The assignment of names for agents.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use toolgate_core::registry::WireName;
use toolgate_core::{CanonicalName, ServerName};

use crate::kind::OfferKind;
use crate::memory::NameMemory;
use crate::naming::{Prefixes, RESERVED_TOOLS, suffixed_name};
use crate::own::OwnStock;
use crate::section::{CatalogEntry, CatalogSection};
use crate::stock::PresentServer;

pub(crate) struct NamingDesk<'a> {
    pub(crate) prefixes: Prefixes<'a>,
    /// The gateway's own tools.
    own: &'a OwnStock,
    /// Entries that are left out, and why.
    pub(crate) left_out: Vec<(CanonicalName, String)>,
    /// Entries with another name than the one they would have alone, and why.
    pub(crate) renamed: Vec<(CanonicalName, String)>,
    /// Names that have to be recorded before their entries are shown.
    pub(crate) unrecorded: Vec<WireName>,
}

/// One kind of thing while its names are assigned.
struct NamingRound<'a> {
    kind: OfferKind,
    prefixes: &'a Prefixes<'a>,
    own: &'a OwnStock,
    memory: &'a NameMemory,
    taken: HashMap<Cow<'a, str>, &'a CanonicalName>,
}

/// The holder of a name that an entry would have.
enum NameHolder<'a> {
    Gateway,
    Entry(&'a CanonicalName),
    /// It could have a tool of that name.
    Server(&'a ServerName),
    /// No current holder; but agents know the entry by the name it got then.
    Former,
}

impl<'a> NamingDesk<'a> {
    pub(crate) fn new(
        prefixes: Prefixes<'a>,
        own: &'a OwnStock,
        left_out: Vec<(CanonicalName, String)>,
    ) -> Self {
        Self { prefixes, own, left_out, renamed: Vec::new(), unrecorded: Vec::new() }
    }

    pub(crate) fn name_all(
        &mut self,
        kind: OfferKind,
        servers: &[PresentServer<'_>],
        memory: &NameMemory,
    ) -> CatalogSection {
        let own = self.own;
        let mut round = NamingRound { kind, prefixes: &self.prefixes, own, memory, taken: HashMap::new() };
        let mut named = Vec::with_capacity(servers.iter().map(|server| server.stock.of(kind).len()).sum());
        for server in servers {
            for entry in server.stock.of(kind) {
                let rival = round.rival(entry, server);
                let outcome = match &rival {
                    None => Ok(entry.clone()),
                    Some(_) => round.renamed(entry),
                };
                let it = match outcome {
                    Ok(it) => it,
                    Err(why) => {
                        self.left_out.push((entry.canonical.clone(), why));
                        continue;
                    }
                };
                if let Some(rival) = rival.filter(|_| kind.is_prefixed()) {
                    self.renamed.push((entry.canonical.clone(), rival.told(&entry.wire, &it.wire)));
                }
                match kind.named().filter(|_| memory.needs_record(&it.canonical, &it.wire)) {
                    Some(kind) => self.unrecorded.push(WireName {
                        kind,
                        name: it.wire.clone(),
                        server: it.server.clone(),
                        owner: it.canonical.clone(),
                    }),
                    None => named.push(it),
                }
            }
        }
        if kind == OfferKind::Tool {
            named.extend(own.entries.iter().cloned());
        }
        CatalogSection::new(named)
    }
}

impl<'a> NamingRound<'a> {
    /// Takes the natural name of an entry, or returns the rival. An assigned name stays assigned. A name that
    /// a tool of an earlier server could claim is left to that server whether or not it is up.
    fn rival(&mut self, entry: &'a CatalogEntry, server: &PresentServer<'_>) -> Option<NameHolder<'a>> {
        let name = entry.wire.as_str();
        if self.kind == OfferKind::Tool && (RESERVED_TOOLS.contains(&name) || self.own.has(name)) {
            return Some(NameHolder::Gateway);
        }
        if let Some(holder) = self.memory.other_holder(name, &entry.canonical) {
            return Some(NameHolder::Entry(holder));
        }
        if self.memory.owner(name).is_none() {
            if self.keeps_other_name(entry) {
                return Some(NameHolder::Former);
            }
            if let Some(earlier) = self.reserved_for(entry, server) {
                return Some(NameHolder::Server(earlier));
            }
        }
        if let Some(first) = self.taken.get(name) {
            return Some(NameHolder::Entry(first));
        }
        self.taken.insert(Cow::Borrowed(name), &entry.canonical);
        None
    }

    fn renamed(&mut self, entry: &'a Arc<CatalogEntry>) -> Result<Arc<CatalogEntry>, String> {
        let name = self.other_name(entry);
        let is_free = self.memory.other_holder(&name, &entry.canonical).is_none();
        if !is_free || self.taken.contains_key(name.as_str()) {
            return Err(format!("its name {name:?} is taken"));
        }
        self.taken.insert(Cow::Owned(name.clone()), &entry.canonical);
        Ok(Arc::new(CatalogEntry { wire: name, ..CatalogEntry::clone(entry) }))
    }

    fn keeps_other_name(&self, entry: &CatalogEntry) -> bool {
        // Looked at first: the other name costs a digest.
        self.memory.is_named(&entry.canonical) && self.memory.owns(&entry.canonical, &self.other_name(entry))
    }

    fn reserved_for(&self, entry: &CatalogEntry, server: &PresentServer<'_>) -> Option<&'a ServerName> {
        let named = self.kind.is_prefixed() && server.settings.prefix;
        named.then(|| self.prefixes.earlier(&entry.wire, server.place)).flatten()
    }

    fn other_name(&self, entry: &CatalogEntry) -> String {
        if self.kind.is_prefixed() {
            suffixed_name(&entry.server, &entry.own)
        } else {
            format!("{}+{}", entry.server, entry.own)
        }
    }
}

impl NameHolder<'_> {
    fn told(&self, wanted: &str, got: &str) -> String {
        match self {
            NameHolder::Gateway => format!("agents call it {got}: {wanted} is a tool of Toolgate itself"),
            NameHolder::Entry(owner) => format!("agents call it {got}: {wanted} belongs to {owner}"),
            NameHolder::Server(server) => {
                format!("agents call it {got}: {wanted} is left to the server {server}, which comes first")
            }
            NameHolder::Former => {
                format!("agents call it {got}: {wanted} was not free when it was named, and names stay")
            }
        }
    }
}
