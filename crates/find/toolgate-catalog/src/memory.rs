//! Whose name is whose. A name that an agent has seen must not come to mean something else, whatever comes, goes or changes
//! places: the gateway keeps names in its store, and others for as long as the process lives.

use std::collections::HashMap;

use toolgate_core::CanonicalName;

use crate::section::Section;

/// With more names than this, those that only the process knows are forgotten but for the ones in use: servers that make up
/// names without end cannot fill the memory. The store has a limit of its own.
const NAMES_MAX: usize = 200_000;

/// Who keeps names for good.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Keeper {
    /// This process: a name is somebody's as soon as it is shown.
    #[default]
    Process,
    /// Somebody who records names: nothing is shown under a name before it is recorded.
    Records,
}

#[derive(Default)]
pub(crate) struct Memory {
    keeper: Keeper,
    /// Own names, each with its owner.
    owners: HashMap<String, CanonicalName>,
    /// The same the other way round. Most have one name; another one comes by a change of settings.
    names: HashMap<CanonicalName, Vec<String>>,
    /// Names by an alias, which may be pointed elsewhere.
    given: HashMap<String, CanonicalName>,
}

impl Memory {
    pub(crate) fn kept_by(keeper: Keeper) -> Self {
        Self { keeper, ..Self::default() }
    }

    pub(crate) fn owner(&self, name: &str) -> Option<&CanonicalName> {
        self.owners.get(name)
    }

    /// Whom somebody else knows by this name, however they got it.
    pub(crate) fn other_holder(&self, name: &str, entry: &CanonicalName) -> Option<&CanonicalName> {
        let holder = self.owner(name).or_else(|| self.given.get(name));
        holder.filter(|holder| *holder != entry)
    }

    /// The same, if it is their own name and no alias.
    pub(crate) fn other_owner(&self, name: &str, entry: &CanonicalName) -> Option<&CanonicalName> {
        self.owner(name).filter(|owner| *owner != entry)
    }

    /// Whether it has had a name of its own.
    pub(crate) fn is_named(&self, entry: &CanonicalName) -> bool {
        self.names.contains_key(entry)
    }

    pub(crate) fn owns(&self, entry: &CanonicalName, name: &str) -> bool {
        self.owner(name) == Some(entry)
    }

    /// Whether something may be shown under a name that is free.
    pub(crate) fn needs_record(&self, entry: &CanonicalName, name: &str) -> bool {
        self.keeper == Keeper::Records && !self.owns(entry, name)
    }

    /// A name is somebody's for good. Tells whether that is new.
    pub(crate) fn record(&mut self, name: &str, owner: &CanonicalName) -> bool {
        if self.owns(owner, name) {
            return false;
        }
        self.owners.insert(name.to_owned(), owner.clone());
        self.names.entry(owner.clone()).or_default().push(name.to_owned());
        true
    }

    /// These are the names that agents see.
    pub(crate) fn note(&mut self, section: &Section) {
        if self.given.len() + section.entries().len() > NAMES_MAX {
            self.given.clear();
        }
        if self.keeper == Keeper::Process && self.owners.len() + section.entries().len() > NAMES_MAX {
            self.owners.clear();
            self.names.clear();
        }
        for entry in section.entries() {
            if section.is_given(&entry.wire) {
                if self.given.get(&entry.wire) != Some(&entry.canonical) {
                    self.given.insert(entry.wire.clone(), entry.canonical.clone());
                }
            } else if self.keeper == Keeper::Process {
                self.record(&entry.wire, &entry.canonical);
            }
        }
    }
}
