//! The servers, listings and rules that the catalogue is given, and the changes that follow.

use std::collections::BTreeMap;

use toolgate_core::ServerName;
use toolgate_core::registry::WireName;
use toolgate_core::server::{Asks, Listing};

use crate::alias::Alias;
use crate::filter::Filter;
use crate::tool::{Hints, ToolRule};

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
