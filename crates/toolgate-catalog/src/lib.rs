#![doc = include_str!("../README.md")]

mod definition;
mod filter;
mod naming;
mod section;
mod snapshot;
mod template;
mod tool;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use toolgate_core::ServerName;
use toolgate_core::server::Listing;

pub use filter::Filter;
pub use naming::{NAME_CHARS_MAX, wire_name};
pub use section::{BadCursor, Entry, Page, Section};
pub use snapshot::{ResourceTarget, Snapshot};
pub use tool::{Hints, ToolRule};

/// How one server's things are named and which of its tools are shown.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    pub name: ServerName,
    /// False keeps the server's own names, which only works while it is the only server.
    pub prefix: bool,
    pub filter: Filter,
    /// Whether the server's own hints about its tools' effects are believed.
    pub hints: Hints,
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
pub struct Catalog {
    servers: Vec<ServerSettings>,
    rules: Vec<ToolRule>,
    listings: Mutex<BTreeMap<ServerName, Listing>>,
    snapshot: ArcSwap<Snapshot>,
}

impl Catalog {
    /// `servers` in the operator's order, which decides who keeps a name that two could have;
    /// `rules` in the operator's order, the later ones winning.
    pub fn new(servers: Vec<ServerSettings>, rules: Vec<ToolRule>) -> Self {
        Self {
            servers,
            rules,
            listings: Mutex::default(),
            snapshot: ArcSwap::from_pointee(Snapshot::default()),
        }
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Takes what a server offers now. Unknown servers are ignored: they were removed meanwhile.
    pub fn publish(&self, server: &ServerName, listing: Listing) -> Changes {
        if !self.servers.iter().any(|one| one.name == *server) {
            return Changes::default();
        }
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        listings.insert(server.clone(), listing);
        let next = Snapshot::build(&self.servers, &self.rules, &listings);
        let before = self.snapshot.swap(Arc::new(next));
        self.snapshot.load().changes_since(&before)
    }
}
