//! Where entries get the names that agents call them by.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use toolgate_core::CanonicalName;

use crate::kind::Kind;
use crate::memory::Memory;
use crate::naming::{Prefixes, RESERVED_TOOLS, suffixed_name};
use crate::section::{Entry, Section};
use crate::stock::Present;

pub(crate) struct Desk {
    pub(crate) prefixes: Prefixes,
    /// Entries that are left out, and why.
    pub(crate) left_out: Vec<(CanonicalName, String)>,
}

/// One kind of thing while its names are given.
struct Round<'a> {
    kind: Kind,
    prefixes: &'a Prefixes,
    memory: &'a Memory,
    taken: HashSet<Cow<'a, str>>,
}

impl Desk {
    pub(crate) fn name_all(&mut self, kind: Kind, servers: &[Present<'_>], memory: &Memory) -> Section {
        let mut round = Round { kind, prefixes: &self.prefixes, memory, taken: HashSet::new() };
        let mut named = Vec::with_capacity(servers.iter().map(|server| server.stock.of(kind).len()).sum());
        for server in servers {
            for entry in server.stock.of(kind) {
                match round.named(entry, server) {
                    Ok(entry) => named.push(entry),
                    Err(why) => self.left_out.push((entry.canonical.clone(), why)),
                }
            }
        }
        Section::new(named)
    }
}

impl<'a> Round<'a> {
    fn named(&mut self, entry: &'a Arc<Entry>, server: &Present<'_>) -> Result<Arc<Entry>, String> {
        if self.keeps_name(entry, server) {
            return Ok(entry.clone());
        }
        let name = self.other_name(entry);
        let is_free = self.memory.other_holder(&name, &entry.canonical).is_none();
        if is_free && self.taken.insert(Cow::Owned(name.clone())) {
            Ok(Arc::new(Entry { wire: name, ..Entry::clone(entry) }))
        } else {
            Err(format!("its name {name:?} is taken"))
        }
    }

    /// Whether nothing else has or had the name. One that a tool of an earlier server could want is left to that server
    /// whether or not it is up.
    fn keeps_name(&mut self, entry: &'a Entry, server: &Present<'_>) -> bool {
        let name = entry.wire.as_str();
        if self.kind == Kind::Tool && RESERVED_TOOLS.contains(&name) {
            return false;
        }
        let is_free = if self.memory.is_held(name) {
            self.memory.other_holder(name, &entry.canonical).is_none()
        } else {
            !self.is_reserved(entry, server)
        };
        is_free && self.taken.insert(Cow::Borrowed(name))
    }

    fn is_reserved(&self, entry: &Entry, server: &Present<'_>) -> bool {
        let named = self.kind.is_prefixed() && server.settings.prefix;
        named && self.prefixes.is_left_to_earlier(&entry.wire, server.place)
    }

    fn other_name(&self, entry: &Entry) -> String {
        if self.kind.is_prefixed() {
            suffixed_name(&entry.server, &entry.own)
        } else {
            format!("{}+{}", entry.server, entry.own)
        }
    }
}
