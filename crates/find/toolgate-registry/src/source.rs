//! The sources of servers, aliases and rules: the operator's file, the settings, and registration.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_catalog::{ServerSettings, ToolRule};
use toolgate_core::address::AddressRules;
use toolgate_core::egress::Egress;
use toolgate_core::model::KnownModel;
use toolgate_core::scope::{AgentDefinition, Capability};
use toolgate_core::server::ServerSpec;
use toolgate_core::tool::ToolExtra;
use toolgate_core::{CanonicalName, ServerName};

use crate::published::PublishedOrigin;

/// The parts of the operator's file that can change while the gateway runs.
#[derive(Clone, Debug, Default)]
pub struct FileState {
    /// Enabled servers, in the order of the file.
    pub servers: Vec<ServerEntry>,
    pub rules: Vec<ToolRule>,
    pub aliases: Vec<AliasSpec>,
    pub agents: Vec<AgentDefinition>,
    pub capabilities: Vec<Capability>,
    /// Models of the file, in its order.
    pub models: Vec<KnownModel>,
    /// Used unless a setting overrides it.
    pub review: ReviewRules,
    /// The rules for servers that were named over the network.
    pub addresses: AddressRules,
    /// Secrets of the operator's file that are kept elsewhere.
    pub secrets: Vec<FileSecret>,
    /// The connection settings for servers that were named over the network.
    pub egress: Arc<Egress>,
}

/// A secret of a server that comes from elsewhere, and the addresses it may be sent to besides those in the
/// file.
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
    /// The server's own rule; `None` uses the general one.
    pub drift: Option<Drift>,
    pub new_tools: Option<NewTools>,
    pub source: ServerSource,
    /// The entry of a registry that it was made from.
    pub published: Option<PublishedOrigin>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerSource {
    File,
    /// In the file without an address: its instances register.
    Expected,
    Settings,
    Registered,
}

impl ServerSource {
    /// The place where an operator finds it.
    pub fn place(self) -> &'static str {
        match self {
            ServerSource::File | ServerSource::Expected => "toolgate.toml",
            ServerSource::Settings => "the setting mcp_servers",
            ServerSource::Registered => "a registration",
        }
    }
}

/// The treatment of changes to tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewRules {
    pub drift: Drift,
    pub new_tools: NewTools,
    pub findings: OnFinding,
}

/// The treatment of a definition that differs from the pinned one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Drift {
    #[default]
    Quarantine,
    Accept,
}

/// The treatment of a tool that was not seen before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewTools {
    #[default]
    Visible,
    /// Tools that come after the first sight of their server wait for a review.
    Review,
    /// Those of the first sight wait as well.
    ReviewAll,
}

/// The treatment of a definition with findings.
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
    /// Its end, in milliseconds since 1970; `None` is never.
    pub until_ms: Option<i64>,
    /// True if agents see the tool under this name. Only for names such as `documents.text.extract`.
    pub primary: bool,
}

/// A server's registration of an instance.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    pub name: String,
    pub url: String,
    pub instance_id: String,
    #[serde(default)]
    pub version: Option<String>,
    /// The requested length of the lease between heartbeats.
    #[serde(default)]
    pub lease_seconds: Option<f64>,
    /// Concurrent requests at this instance.
    #[serde(default)]
    pub concurrency_max: Option<usize>,
    /// True if it provided a token that it expects; the vault has it.
    #[serde(skip)]
    pub wants_token: bool,
    /// The details about its tools beyond MCP, by their own names.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolExtra>,
}

/// A reviewer's decision on a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewVerdict {
    Accept,
    Reject,
}
