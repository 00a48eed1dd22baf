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

/// How one server's things are named and which of its tools are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSettings {
    pub name: ServerName,
    /// False keeps the server's own names, which only works while it is the only server.
    pub prefix: bool,
    pub filter: Filter,
    /// How far the server's own words about its tools are believed.
    pub hints: Hints,
    /// What it may ask of clients.
    pub asks: Asks,
}

/// What is different from now on. What is left out stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// All servers there are, in the order that decides who keeps a name that two could have. The listings of others
    /// are forgotten.
    pub servers: Option<Vec<ServerSettings>>,
    /// All rules, the later ones winning.
    pub rules: Option<Vec<ToolRule>>,
    /// All aliases, the earlier ones winning.
    pub aliases: Option<Vec<Alias>>,
    /// What these servers offer now; `None` is forgotten.
    pub listings: BTreeMap<ServerName, Option<Listing>>,
    /// Names that belong to their owners from now on, for good.
    pub names: Vec<WireName>,
    /// All tools of these servers that nobody sees for now.
    pub withheld: BTreeMap<ServerName, Vec<Withheld>>,
}

/// A tool that exists and is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// What the server itself calls it.
    pub own: String,
    pub why: Why,
    pub reason: String,
}

/// What keeps a tool from being called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Somebody has to look at it first.
    Quarantined,
    /// Its server does not offer it any more.
    Retired,
    /// Agents could not read its definition.
    Unreadable,
}

/// Which lists a change touched.
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
    /// Names are somebody's as soon as they are shown, for as long as the process lives.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing is shown under a name that nobody has recorded: [`Snapshot::unrecorded`] has what is to be recorded, and
    /// [`Update::names`] says that it was.
    pub fn with_recorded_names() -> Self {
        Self { assembly: Mutex::new(Assembly::kept_by(Keeper::Records)), ..Self::default() }
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Takes all that an update says at once: no reader sees a part of it. The listing of a server that is not there is
    /// ignored: it was removed meanwhile.
    pub fn update(&self, update: Update) -> Changes {
        let mut assembly = self.assembly.lock().unwrap_or_else(PoisonError::into_inner);
        if !assembly.take(update) {
            return Changes::default();
        }
        let next = Arc::new(assembly.build());
        let before = self.snapshot.swap(next.clone());
        next.changes_since(&before)
    }

    /// Takes what one server offers now.
    pub fn publish(&self, server: &ServerName, listing: Listing) -> Changes {
        self.update(Update {
            listings: BTreeMap::from([(server.clone(), Some(listing))]),
            ..Update::default()
        })
    }
}
