//! The keys that the newer era puts into `_meta`, and the split of a request's `_meta` into machinery, cargo, claims and
//! extras.

use toolgate_core::Raw;

use crate::object::ObjectMembers;
use crate::scan::NotJson;

pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
pub const PROGRESS_TOKEN: &str = "progressToken";
/// The prefix of members that clients address to the gateway itself.
pub const GATEWAY_PREFIX: &str = "dev.toolgate/";
/// The capability of servers that keep a state for their callers, and the member that names the caller to them. A client's own never
/// passes: it is one of those addressed to the gateway.
pub const CALLER: &str = "dev.toolgate/caller";
/// The id of a call, for servers that want to know their callers.
pub const CALL: &str = "dev.toolgate/call";
/// The capability of a server that is a connector.
pub const CONNECTOR: &str = "dev.toolgate/connector";
/// The extension under which long work is handed out as tasks.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A request's `_meta`, taken apart.
#[derive(Debug, Default)]
pub struct RequestMeta<'a> {
    pub protocol_version: Option<Raw<'a>>,
    pub client_capabilities: Option<Raw<'a>>,
    pub client_info: Option<Raw<'a>>,
    pub log_level: Option<Raw<'a>>,
    pub progress_token: Option<Raw<'a>>,
    /// The members that travel with every call, as text without braces: trace context.
    pub cargo: String,
    /// The members addressed to the gateway itself, as text without braces.
    pub claims: String,
    /// Every other member, as text without braces: agreements between servers and clients.
    pub extras: String,
}

impl<'a> RequestMeta<'a> {
    pub fn parse(meta: Raw<'a>) -> Result<Self, NotJson> {
        let members = ObjectMembers::parse(meta)?;
        let (mut cargo, mut claims, mut extras) = (String::new(), String::new(), String::new());
        members.write_without(&mut cargo, |key| !is_trace(key));
        members.write_without(&mut claims, |key| !key.starts_with(GATEWAY_PREFIX));
        let is_known = |key: &str| is_machinery(key) || is_trace(key) || key.starts_with(GATEWAY_PREFIX);
        members.write_without(&mut extras, is_known);
        Ok(Self {
            protocol_version: members.get(PROTOCOL_VERSION),
            client_capabilities: members.get(CLIENT_CAPABILITIES),
            client_info: members.get(CLIENT_INFO),
            log_level: members.get(LOG_LEVEL),
            progress_token: members.get(PROGRESS_TOKEN),
            cargo,
            claims,
            extras,
        })
    }
}

/// W3C Trace Context and Baggage.
fn is_trace(key: &str) -> bool {
    matches!(key, "traceparent" | "tracestate" | "baggage")
}

fn is_machinery(key: &str) -> bool {
    matches!(key, PROTOCOL_VERSION | CLIENT_CAPABILITIES | CLIENT_INFO | LOG_LEVEL | PROGRESS_TOKEN)
}
