#![doc = include_str!("../README.md")]

// The catalogue, and how it changes.
mod assembly;
mod own;
mod section;
mod snapshot;
mod stock;
mod update;

// One definition.
mod definition;
mod exposed;
mod kind;
mod offer;
mod schema;
mod template;
mod tool;

// Names.
mod alias;
mod collision;
mod desk;
mod memory;
mod naming;

// Selection and warnings.
mod filter;
mod scan;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use toolgate_core::ServerName;
use toolgate_core::platform::PlatformTool;
use toolgate_core::server::ServerListing;

use assembly::Assembly;
use memory::NameKeeper;

pub use alias::{Alias, AliasCollision};
pub use collision::{NameCollision, ReservedName, check_reserved, check_server_name};
pub use filter::ToolNameFilter;
pub use naming::{
    CALL_TOOL, DESCRIBE_TOOLS, NAME_CHARS_MAX, RESERVED_SERVER, RESERVED_TOOLS, SEARCH_TOOLS,
    is_reserved_name, wire_name,
};
pub use scan::{ForeignNames, ToolNames, scan};
pub use section::{BadCursor, CatalogEntry, CatalogSection, ListPage};
pub use snapshot::{FoundTool, HiddenTool, MissingTool, ResourceTarget, Snapshot};
pub use tool::{HintTrust, ToolRule};
pub use update::{CatalogUpdate, ChangedLists, ServerSettings, WithheldReason, WithheldTool};

/// The live catalogue: readers take a snapshot and never wait.
#[derive(Default)]
pub struct Catalog {
    assembly: Mutex<Assembly>,
    snapshot: ArcSwap<Snapshot>,
}

impl Catalog {
    /// Names are assigned as soon as they are shown, for as long as the process lives.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing is shown under an unrecorded name: [`Snapshot::unrecorded`] has the names to record, and
    /// [`CatalogUpdate::names`] confirms them.
    pub fn with_recorded_names() -> Self {
        Self { assembly: Mutex::new(Assembly::kept_by(NameKeeper::Records)), ..Self::default() }
    }

    /// With tools of the gateway's own: those whose visibility is up to scopes are entries from the start.
    #[must_use]
    pub fn with_own(self, tools: &[Arc<PlatformTool>]) -> Self {
        let mut assembly = self.assembly.into_inner();
        assembly.take_own(tools);
        let snapshot = ArcSwap::from_pointee(assembly.build());
        Self { assembly: Mutex::new(assembly), snapshot }
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Applies an update at once: no reader sees a part of it. The listing of a missing server is ignored: it
    /// was removed meanwhile.
    pub fn update(&self, update: CatalogUpdate) -> ChangedLists {
        let mut assembly = self.assembly.lock();
        if !assembly.take(update) {
            return ChangedLists::default();
        }
        let next = Arc::new(assembly.build());
        let before = self.snapshot.swap(next.clone());
        next.changes_since(&before)
    }

    /// Applies the current listing of one server.
    pub fn publish(&self, server: &ServerName, listing: ServerListing) -> ChangedLists {
        self.update(CatalogUpdate {
            listings: BTreeMap::from([(server.clone(), Some(listing))]),
            ..CatalogUpdate::default()
        })
    }
}
