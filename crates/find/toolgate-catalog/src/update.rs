//! The servers, listings and rules that the catalogue is given, and the changes that follow.

use std::collections::BTreeMap;

use toolgate_core::ServerName;
use toolgate_core::registry::WireName;
use toolgate_core::server::{AskPermissions, ServerListing};

use crate::alias::Alias;
use crate::filter::ToolNameFilter;
use crate::tool::{HintTrust, ToolRule};

/// The naming and the selection of one server's tools.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSettings {
    pub name: ServerName,
    /// False keeps the server's own names, which only works while it is the only server.
    pub prefix: bool,
    pub filter: ToolNameFilter,
    /// The degree of trust in the server's own statements about its tools.
    pub hints: HintTrust,
    /// The requests that it may send to clients.
    pub asks: AskPermissions,
}

/// A change of the catalogue. Missing parts stay as they are.
#[derive(Clone, Debug, Default)]
pub struct CatalogUpdate {
    /// All servers, in the order that decides who keeps a name that two could have. The listings of others
    /// are forgotten.
    pub servers: Option<Vec<ServerSettings>>,
    /// All rules, the later ones winning.
    pub rules: Option<Vec<ToolRule>>,
    /// All aliases, the earlier ones winning.
    pub aliases: Option<Vec<Alias>>,
    /// The current listings of these servers; `None` is forgotten.
    pub listings: BTreeMap<ServerName, Option<ServerListing>>,
    /// Names with a permanent owner from now on.
    pub names: Vec<WireName>,
    /// All tools of these servers that are hidden for now.
    pub withheld: BTreeMap<ServerName, Vec<WithheldTool>>,
}

/// A tool that exists and is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldTool {
    /// The server's own name for it.
    pub own: String,
    pub why: WithheldReason,
    pub reason: String,
}

/// The reason why a tool cannot be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithheldReason {
    /// It waits for a review.
    Quarantined,
    /// Its server no longer offers it.
    Retired,
    /// Agents could not read its definition.
    Unreadable,
    /// Its server is disabled.
    Disabled,
}

/// The lists that a change affected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedLists {
    pub tools: bool,
    pub prompts: bool,
    pub resources: bool,
}

impl ChangedLists {
    pub fn any(self) -> bool {
        self.tools || self.prompts || self.resources
    }
}
