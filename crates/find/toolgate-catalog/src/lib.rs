#![doc = include_str!("../README.md")]

mod alias;
mod assembly;
mod collision;
mod definition;
mod desk;
mod exposed;
mod filter;
mod kind;
mod memory;
mod naming;
mod offer;
mod scan;
mod schema;
mod section;
mod snapshot;
mod stock;
mod template;
#[cfg(test)]
mod tests;
mod tool;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use toolgate_core::ServerName;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Asks, Listing};

use assembly::Assembly;
use memory::Keeper;

pub use alias::{Alias, AliasCollision};
pub use collision::{NameCollision, ReservedName, check_reserved, check_server_name};
pub use filter::Filter;
pub use naming::{
    CALL_TOOL, DESCRIBE_TOOLS, NAME_CHARS_MAX, RESERVED_SERVER, RESERVED_TOOLS, SEARCH_TOOLS,
    is_reserved_name, wire_name,
};
pub use scan::{ForeignNames, ToolNames, scan};
pub use section::{BadCursor, Entry, Page, Section};
pub use snapshot::{FoundTool, Hidden, Missing, ResourceTarget, Snapshot};
pub use tool::{Hints, ToolRule};

/// The naming and the selection of one server's tools.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSettings {
    pub name: ServerName,
    /// False keeps the server's own names, which only works while it is the only server.
    pub prefix: bool,
    pub filter: Filter,
    /// The degree of trust in the server's own statements about its tools.
    pub hints: Hints,
    /// The requests that it may send to clients.
    pub asks: Asks,
}

/// A change of the catalogue. Missing parts stay as they are.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// All servers, in the order that decides who keeps a name that two could have. The listings of others
    /// are forgotten.
    pub servers: Option<Vec<ServerSettings>>,
    /// All rules, the later ones winning.
    pub rules: Option<Vec<ToolRule>>,
    /// All aliases, the earlier ones winning.
    pub aliases: Option<Vec<Alias>>,
    /// The current listings of these servers; `None` is forgotten.
    pub listings: BTreeMap<ServerName, Option<Listing>>,
    /// Names with a permanent owner from now on.
    pub names: Vec<WireName>,
    /// All tools of these servers that are hidden for now.
    pub withheld: BTreeMap<ServerName, Vec<Withheld>>,
}

/// A tool that exists and is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// The server's own name for it.
    pub own: String,
    pub why: Why,
    pub reason: String,
}

/// The reason why a tool cannot be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It waits for a review.
    Quarantined,
    /// Its server no longer offers it.
    Retired,
    /// Agents could not read its definition.
    Unreadable,
}

/// The lists that a change affected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub tools: bool,
    pub prompts: bool,
    pub resources: bool,
}

impl Changes {
    pub fn any(self) -> bool {
        self.tools || self.prompts || self.resources
    }
}

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
    /// [`Update::names`] confirms them.
    pub fn with_recorded_names() -> Self {
        Self { assembly: Mutex::new(Assembly::kept_by(Keeper::Records)), ..Self::default() }
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Applies an update at once: no reader sees a part of it. The listing of a missing server is ignored: it
    /// was removed meanwhile.
    pub fn update(&self, update: Update) -> Changes {
        let mut assembly = self.assembly.lock().unwrap_or_else(PoisonError::into_inner);
        if !assembly.take(update) {
            return Changes::default();
        }
        let next = Arc::new(assembly.build());
        let before = self.snapshot.swap(next.clone());
        next.changes_since(&before)
    }

    /// Applies the current listing of one server.
    pub fn publish(&self, server: &ServerName, listing: Listing) -> Changes {
        self.update(Update {
            listings: BTreeMap::from([(server.clone(), Some(listing))]),
            ..Update::default()
        })
    }
}
