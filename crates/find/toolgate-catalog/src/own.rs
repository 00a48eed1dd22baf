//! The tools that the gateway answers itself and whose visibility is up to scopes: entries like any other, under names
//! that come before all others.

use std::sync::Arc;

use toolgate_core::platform::{PlatformTool, ToolPresence};

use crate::alias::Alias;
use crate::section::CatalogEntry;

/// The owner of their former names.
const OWNER: &str = "Toolgate";

/// Entries and aliases of the gateway's own tools.
#[derive(Default)]
pub(crate) struct OwnStock {
    pub(crate) entries: Vec<Arc<CatalogEntry>>,
    pub(crate) aliases: Vec<Alias>,
}

impl OwnStock {
    pub(crate) fn of(tools: &[Arc<PlatformTool>]) -> Self {
        let mut own = Self::default();
        for one in tools.iter().filter(|one| one.presence == ToolPresence::InScope) {
            let entry = CatalogEntry::built_in(one.tool.clone(), &one.wire, one.definition.clone());
            own.entries.push(Arc::new(entry));
            own.aliases.extend(one.old_names.iter().map(|old| Alias {
                name: old.name.to_owned(),
                target: one.tool.name.clone(),
                until_ms: Some(old.until_ms),
                primary: false,
                owner: OWNER.to_owned(),
            }));
        }
        own
    }

    /// True if one of them has this name on the wire.
    pub(crate) fn has(&self, wire: &str) -> bool {
        self.entries.iter().any(|entry| entry.wire == wire)
    }
}
