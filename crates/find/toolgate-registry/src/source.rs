//! Where servers, aliases and rules come from: the operator's file, the settings, and servers that register.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_catalog::{ServerSettings, ToolRule};
use toolgate_core::address::AddressRules;
use toolgate_core::egress::Egress;
use toolgate_core::scope::{AgentDefinition, Capability};
use toolgate_core::server::ServerSpec;
use toolgate_core::tool::ToolExtra;
use toolgate_core::{CanonicalName, ServerName};

/// What the operator's file says, as far as it is taken up while the gateway runs.
#[derive(Clone, Debug, Default)]
pub struct FileState {
    /// Enabled servers, in the order of the file.
    pub servers: Vec<ServerEntry>,
    pub rules: Vec<ToolRule>,
    pub aliases: Vec<AliasSpec>,
    pub agents: Vec<AgentDefinition>,
    pub capabilities: Vec<Capability>,
    /// Used where no setting says otherwise.
    pub review: Review,
    /// What servers that were named over the network may be.
    pub addresses: AddressRules,
    /// Secrets that the operator's file has from elsewhere.
    pub secrets: Vec<FileSecret>,
    /// How connections to servers leave that were named over the network.
    pub egress: Arc<Egress>,
}

/// That a secret of a server comes from elsewhere, and where it may be sent beside what the file itself says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileSecret {
    pub server: ServerName,
    pub name: String,
    pub origins: Vec<String>,
}

/// One server of the roster.
#[derive(Clone, Debug)]
pub struct ServerEntry {
    pub spec: ServerSpec,
    pub settings: ServerSettings,
    /// What this server has for itself; the rest is as for all.
    pub drift: Option<Drift>,
    pub new_tools: Option<NewTools>,
    pub source: Source,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    File,
    /// In the file without an address: its instances register.
    Expected,
    Settings,
    Registered,
}

impl Source {
    /// Where an operator finds it.
    pub fn place(self) -> &'static str {
        match self {
            Source::File | Source::Expected => "toolgate.toml",
            Source::Settings => "the setting mcp_servers",
            Source::Registered => "a registration",
        }
    }
}

/// How changes to tools are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Review {
    pub drift: Drift,
    pub new_tools: NewTools,
    pub findings: OnFinding,
}

/// What becomes of a definition that differs from the pinned one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Drift {
    #[default]
    Quarantine,
    Accept,
}

/// What becomes of a tool that a server did not have when it was first seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NewTools {
    #[default]
    Visible,
    Review,
}

/// What becomes of a definition in which something suspicious was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFinding {
    #[default]
    Flag,
    Quarantine,
}

/// Another name for a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AliasSpec {
    /// An old flat name, or `domain.resource.action`.
    pub name: String,
    pub tool: CanonicalName,
    /// Until when it works, in milliseconds since 1970; without it, for ever.
    pub until_ms: Option<i64>,
    /// Whether agents see the tool under this name. Only for names such as `documents.text.extract`.
    pub primary: bool,
}

/// What a server says when it registers an instance.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    pub name: String,
    pub url: String,
    pub instance_id: String,
    #[serde(default)]
    pub version: Option<String>,
    /// How long the lease shall last between heartbeats.
    #[serde(default)]
    pub lease_seconds: Option<f64>,
    /// Requests under way at this instance at once.
    #[serde(default)]
    pub concurrency_max: Option<usize>,
    /// Whether it brought a token that it wants to be shown; the vault has it.
    #[serde(skip)]
    pub wants_token: bool,
    /// What MCP does not say about its tools, by their own names.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolExtra>,
}

/// What somebody who looked at a change says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Accept,
    Reject,
}
