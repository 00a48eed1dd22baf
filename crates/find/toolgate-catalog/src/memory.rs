//! The owners of names. A name that an agent has seen must never come to mean something else, whatever is
//! added, removed or reordered: the gateway keeps names in its store, and others for as long as the process
//! lives.

use std::collections::HashMap;

use toolgate_core::CanonicalName;

use crate::section::CatalogSection;

/// Beyond this number, names that only the process knows are forgotten unless they are in use: servers that
/// make up names without end cannot fill the memory. The store has its own limit.
const NAMES_MAX: usize = 200_000;

/// The keeper of names.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum NameKeeper {
    /// This process: a name is assigned as soon as it is shown.
    #[default]
    Process,
    /// An external record: nothing is shown under a name before it is recorded.
    Records,
}

#[derive(Default)]
pub(crate) struct NameMemory {
    keeper: NameKeeper,
    /// Own names, each with its owner.
    owners: HashMap<String, CanonicalName>,
    /// The reverse mapping. Most have one name; a change of settings may add another.
    names: HashMap<CanonicalName, Vec<String>>,
    /// Names by an alias, which may be redirected.
    given: HashMap<String, CanonicalName>,
}

impl NameMemory {
    pub(crate) fn kept_by(keeper: NameKeeper) -> Self {
        Self { keeper, ..Self::default() }
    }

    pub(crate) fn owner(&self, name: &str) -> Option<&CanonicalName> {
        self.owners.get(name)
    }

    /// The other owner of this name, if there is one.
    pub(crate) fn other_holder(&self, name: &str, entry: &CanonicalName) -> Option<&CanonicalName> {
        let holder = self.owner(name).or_else(|| self.given.get(name));
        holder.filter(|holder| *holder != entry)
    }

    /// The same, if it is their own name and no alias.
    pub(crate) fn other_owner(&self, name: &str, entry: &CanonicalName) -> Option<&CanonicalName> {
        self.owner(name).filter(|owner| *owner != entry)
    }

    /// True if it has had its own name.
    pub(crate) fn is_named(&self, entry: &CanonicalName) -> bool {
        self.names.contains_key(entry)
    }

    pub(crate) fn owns(&self, entry: &CanonicalName, name: &str) -> bool {
        self.owner(name) == Some(entry)
    }

    /// True if something may be shown under a free name only after recording it.
    pub(crate) fn needs_record(&self, entry: &CanonicalName, name: &str) -> bool {
        self.keeper == NameKeeper::Records && !self.owns(entry, name)
    }

    /// Assigns a name for good. Returns true if that is new.
    pub(crate) fn record(&mut self, name: &str, owner: &CanonicalName) -> bool {
        if self.owns(owner, name) {
            return false;
        }
        self.owners.insert(name.to_owned(), owner.clone());
        self.names.entry(owner.clone()).or_default().push(name.to_owned());
        true
    }

    /// These are the names that agents see.
    pub(crate) fn note(&mut self, section: &CatalogSection) {
        if self.given.len() + section.entries().len() > NAMES_MAX {
            self.given.clear();
        }
        if self.keeper == NameKeeper::Process && self.owners.len() + section.entries().len() > NAMES_MAX {
            self.owners.clear();
            self.names.clear();
        }
        for entry in section.entries() {
            if section.is_given(&entry.wire) {
                if self.given.get(&entry.wire) != Some(&entry.canonical) {
                    self.given.insert(entry.wire.clone(), entry.canonical.clone());
                }
            } else if self.keeper == NameKeeper::Process {
                self.record(&entry.wire, &entry.canonical);
            }
        }
    }
}
