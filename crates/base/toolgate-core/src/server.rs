//! The description of a server, and its state once it has been reached.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::address::Reach;
use crate::egress::Egress;
use crate::port::AskKind;
use crate::tool::{CallRate, ToolExtra};
use crate::{RawJson, ServerName};

/// The requests that a server may send to its clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskPermissions {
    /// True if it may ask people for input.
    pub elicitation: bool,
    /// True if it may ask the client's model to write text.
    pub sampling: bool,
}

impl AskPermissions {
    pub const NOTHING: AskPermissions = AskPermissions { elicitation: false, sampling: false };

    pub fn allows(self, kind: AskKind) -> bool {
        match kind {
            AskKind::Elicitation => self.elicitation,
            AskKind::Sampling => self.sampling,
            AskKind::Roots => true,
        }
    }
}

impl Default for AskPermissions {
    fn default() -> Self {
        Self { elicitation: true, sampling: false }
    }
}

/// The two eras of MCP.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// 2024-11-05 to 2025-11-25: `initialize`, sessions, requests in both directions.
    Legacy,
    /// Since 2026-07-28: stateless, every request carries its own context.
    Modern,
}

/// The description of a server, from any source.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSpec {
    pub name: ServerName,
    pub transport: TransportSpec,
    /// The time limit of one request, with or without progress.
    pub timeout: Duration,
    /// The time limit for connecting and listing.
    pub connect_timeout: Duration,
    /// Concurrent requests, over all its instances.
    pub concurrency_max: usize,
    pub rate: Option<CallRate>,
    pub isolation: Isolation,
    pub affinity: Affinity,
    pub era: EraChoice,
    /// The addresses that it may lead to.
    pub reach: Reach,
    /// The settings of connections to it. A process has none.
    pub egress: Arc<Egress>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TransportSpec {
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<PathBuf>,
        sandbox: Sandbox,
    },
    /// Streamable HTTP of either era, or the older HTTP+SSE pair: found by probing.
    Http {
        /// Empty for a server whose instances have all left: it is known, and it is down.
        instances: Vec<InstanceSpec>,
        /// May name secrets of the vault: `Bearer ${vault:NAME}`.
        headers: BTreeMap<String, String>,
    },
    /// An HTTP API without MCP: the gateway makes its tools of a description, and its requests of calls.
    Api(ApiSpec),
}

impl TransportSpec {
    /// One server at one address.
    pub fn http(url: impl Into<String>, headers: BTreeMap<String, String>) -> Self {
        TransportSpec::Http { instances: vec![InstanceSpec::only(url)], headers }
    }
}

/// An HTTP API, and the description that its tools are made of: an OpenAPI document, a connector file, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiSpec {
    /// The path or the address of an OpenAPI document.
    pub document: Option<String>,
    /// The name of a connector that ships with the gateway, or the path of a connector file.
    pub connector: Option<String>,
    /// The address of the API, if it is not the one that the document or the connector file names.
    pub base_url: Option<String>,
    /// Headers of every request. They may name secrets of the vault.
    pub headers: BTreeMap<String, String>,
    /// Parameters in the query of every request. They may name secrets of the vault.
    pub query: BTreeMap<String, String>,
    /// How the gateway gets tokens for it, as far as the operator said so.
    pub oauth: ApiOAuth,
}

/// How the gateway gets OAuth tokens for an API. What is left out comes from the connector file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiOAuth {
    pub flow: Option<OAuthFlow>,
    pub authorization_url: Option<String>,
    pub token_url: Option<String>,
    pub scopes: Vec<String>,
    /// May name a secret of the vault, like the secret.
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub client_auth: Option<ClientAuth>,
}

/// Whose consent a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OAuthFlow {
    /// A person's, who signs in once.
    Code,
    /// The client's own.
    ClientCredentials,
}

/// The place where a token request has the client's id and secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuth {
    #[default]
    Header,
    Body,
}

impl ApiSpec {
    /// The values that may name secrets.
    pub fn templates(&self) -> impl Iterator<Item = &String> {
        self.headers.values().chain(self.query.values())
    }

    /// The address that people configured, if there is one: of the API, or else of its document.
    pub fn address(&self) -> Option<&str> {
        let is_url = |text: &&str| is_web_address(text);
        self.base_url.as_deref().or_else(|| self.document.as_deref().filter(is_url))
    }
}

/// True for addresses, as opposed to paths and names.
pub fn is_web_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// The confinement of a server's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// It may do everything that the gateway's user may do.
    Off,
    /// It may do only what is opened: not read the gateway's data or secrets in the home folder, and not
    /// write.
    On(SandboxOpenings),
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::On(SandboxOpenings::default())
    }
}

/// The openings in a server's sandbox that the operator configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxOpenings {
    /// Folders and files that it may change; absolute.
    pub write: Vec<PathBuf>,
    /// Places that it sees although they are hidden from others; absolute.
    pub read: Vec<PathBuf>,
    pub network: NetworkAccess,
    /// The user it runs as, if not the gateway's.
    pub user: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NetworkAccess {
    #[default]
    Open,
    Closed,
}

/// The confinement of a server's process, in words.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Confinement {
    pub level: ConfinementLevel,
    pub says: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfinementLevel {
    /// Fully confined.
    Confined,
    /// Confined as far as this machine supports it.
    Partly,
    Off,
}

impl ConfinementLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confined => "confined",
            Self::Partly => "partly confined",
            Self::Off => "not confined",
        }
    }
}

/// The prefix of the names of instance tokens in the vault. No other secret has such a name.
pub const INSTANCE_TOKEN: &str = "instance.";

/// One of the processes that make up a server.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceSpec {
    pub id: InstanceId,
    pub url: String,
    /// The version of the software, as it said itself.
    pub version: Option<String>,
    /// Concurrent requests at this instance.
    pub concurrency_max: Option<usize>,
    /// True if it expects the token that it provided when it registered.
    pub wants_token: bool,
    /// The tool details that it provided when it registered, by the server's own tool names.
    pub extras: Arc<BTreeMap<String, ToolExtra>>,
}

impl InstanceSpec {
    /// The one instance of a server that has one address.
    pub fn only(url: impl Into<String>) -> Self {
        let id = InstanceId::only();
        let url = url.into();
        Self { id, url, version: None, concurrency_max: None, wants_token: false, extras: Arc::default() }
    }

    /// Under which name the vault has the token of an instance.
    pub fn token_name(id: &InstanceId) -> String {
        format!("{INSTANCE_TOKEN}{id}")
    }
}

/// The id of an instance among the instances of a server.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
#[serde(transparent)]
pub struct InstanceId(Arc<str>);

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an instance id has 1 to {} of the characters A-Z a-z 0-9 . _ -", InstanceId::CHARS_MAX)]
pub struct BadInstanceId;

impl InstanceId {
    pub const CHARS_MAX: usize = 128;

    pub fn new(id: &str) -> Result<Self, BadInstanceId> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if id.is_empty() || id.len() > Self::CHARS_MAX || !id.bytes().all(fits) {
            return Err(BadInstanceId);
        }
        Ok(Self(id.into()))
    }

    /// The instance id of a server with one address.
    pub fn only() -> Self {
        Self("only".into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The requests that stay at one instance, if a server has several and keeps a state for sessions or callers. All others
/// go to the least busy instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Affinity {
    /// The requests of one run, or of one session of a client of the older era; those of one session of the gateway, if the server
    /// keeps a state for its callers.
    #[default]
    Run,
    /// The requests of one principal.
    Principal,
    /// None.
    None,
}

/// The protocol era to use with a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EraChoice {
    /// The newer one where the server speaks it, unless it asks its client in the older way.
    #[default]
    Auto,
    Newer,
    Older,
}

/// The unit that shares one process or upstream session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// Everyone.
    Shared,
    /// Each principal has its own.
    Principal,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerHealth {
    /// Known, not reached yet.
    Starting,
    Healthy,
    /// Not reachable, or reachable and not as it should be. What it listed last stays listed.
    Degraded,
}

/// The current state of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    pub health: ServerHealth,
    /// The reason why it is not healthy.
    pub reason: Option<String>,
    pub era: Option<Era>,
    pub protocol_version: Option<String>,
    /// "stdio", "streamable-http", "http+sse" or "api".
    pub transport: Option<&'static str>,
    pub pid: Option<u32>,
    pub restarts: u32,
    /// By id. Empty for processes that the gateway starts itself.
    pub instances: Vec<InstanceState>,
}

/// The current state of one instance.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct InstanceState {
    pub id: InstanceId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub health: ServerHealth,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ServerState {
    pub fn starting() -> Self {
        Self {
            health: ServerHealth::Starting,
            reason: None,
            era: None,
            protocol_version: None,
            transport: None,
            pid: None,
            restarts: 0,
            instances: Vec::new(),
        }
    }
}

/// Everything a server offers, each definition exactly as it was sent, all pages read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerListing {
    /// `capabilities` of the initialize or discover result.
    pub capabilities: Option<RawJson>,
    pub server_info: Option<RawJson>,
    pub instructions: Option<String>,
    /// If instances differ, one name may occur with several definitions, the newest instance's first.
    pub tools: Vec<RawJson>,
    pub prompts: Vec<RawJson>,
    pub resources: Vec<RawJson>,
    pub templates: Vec<RawJson>,
    /// Own names of tools that one and the same instance gave several definitions in one reading.
    pub conflicts: Vec<String>,
}
