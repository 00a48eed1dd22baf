//! Who had which wire name, for as long as the process lives: a name that an agent has seen must not come to mean
//! something else when servers come, go or change places.

use std::collections::HashMap;

use toolgate_core::CanonicalName;

use crate::section::Section;

/// With more names than this, all but those in use are forgotten: servers that make up names without end cannot fill the
/// memory.
const NAMES_MAX: usize = 200_000;

#[derive(Default)]
pub(crate) struct Memory(HashMap<String, Holder>);

struct Holder {
    entry: CanonicalName,
    origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Own,
    /// By an alias, which may be pointed elsewhere.
    Given,
}

impl Memory {
    /// Whom somebody else knows by this name, however they got it.
    pub(crate) fn other_holder(&self, name: &str, entry: &CanonicalName) -> Option<&CanonicalName> {
        self.0.get(name).map(|holder| &holder.entry).filter(|holder| *holder != entry)
    }

    /// The same, if it is their own name and no alias.
    pub(crate) fn other_owner(&self, name: &str, entry: &CanonicalName) -> Option<&CanonicalName> {
        self.other_holder(name, entry).filter(|_| self.0[name].origin == Origin::Own)
    }

    pub(crate) fn is_held(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn note(&mut self, section: &Section) {
        if self.0.len() + section.entries().len() > NAMES_MAX {
            self.0.clear();
        }
        for entry in section.entries() {
            let origin = if section.is_given(&entry.wire) { Origin::Given } else { Origin::Own };
            let known =
                self.0.get(&entry.wire).is_some_and(|it| it.entry == entry.canonical && it.origin == origin);
            if !known {
                self.0.insert(entry.wire.clone(), Holder { entry: entry.canonical.clone(), origin });
            }
        }
    }
}
