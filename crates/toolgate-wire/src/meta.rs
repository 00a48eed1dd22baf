//! The keys that the newer era puts into `_meta`, and the split of a request's `_meta` into machinery and cargo.

use toolgate_core::Raw;

use crate::object::Members;
use crate::scan::NotJson;

pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
pub const PROGRESS_TOKEN: &str = "progressToken";
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
    /// Every other member as text without braces: trace context and whatever else travels along.
    pub cargo: String,
}

impl<'a> RequestMeta<'a> {
    pub fn parse(meta: Raw<'a>) -> Result<Self, NotJson> {
        let members = Members::parse(meta)?;
        let mut cargo = String::new();
        members.write_without(&mut cargo, is_machinery);
        Ok(Self {
            protocol_version: members.get(PROTOCOL_VERSION),
            client_capabilities: members.get(CLIENT_CAPABILITIES),
            client_info: members.get(CLIENT_INFO),
            log_level: members.get(LOG_LEVEL),
            progress_token: members.get(PROGRESS_TOKEN),
            cargo,
        })
    }
}

fn is_machinery(key: &str) -> bool {
    matches!(key, PROTOCOL_VERSION | CLIENT_CAPABILITIES | CLIENT_INFO | LOG_LEVEL | PROGRESS_TOKEN)
}
