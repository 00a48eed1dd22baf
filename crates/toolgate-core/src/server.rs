//! What a server is, before and after it has been reached.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::{RawJson, ServerName};

/// The two ways in which MCP is spoken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// 2024-11-05 to 2025-11-25: `initialize`, sessions, requests in both directions.
    Legacy,
    /// Since 2026-07-28: stateless, every request carries its own context.
    Modern,
}

/// A server as the operator configured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    pub name: ServerName,
    pub transport: TransportSpec,
    /// How long one request may take, progress or not.
    pub timeout: Duration,
    /// How long connecting and listing may take.
    pub connect_timeout: Duration,
    /// Requests under way at once.
    pub concurrency_max: usize,
    pub isolation: Isolation,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportSpec {
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<PathBuf>,
    },
    /// Streamable HTTP of either era, or the older HTTP+SSE pair: found by probing.
    Http {
        url: String,
        headers: BTreeMap<String, String>,
    },
}

/// Who shares one process or upstream session.
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

/// How a server does right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    pub health: ServerHealth,
    /// Why it is not healthy.
    pub reason: Option<String>,
    pub era: Option<Era>,
    pub protocol_version: Option<String>,
    /// "stdio", "streamable-http" or "http+sse".
    pub transport: Option<&'static str>,
    pub pid: Option<u32>,
    pub restarts: u32,
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
        }
    }
}

/// Everything a server offers, each definition exactly as it was sent, all pages read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// `capabilities` of the initialize or discover result.
    pub capabilities: Option<RawJson>,
    pub server_info: Option<RawJson>,
    pub instructions: Option<String>,
    pub tools: Vec<RawJson>,
    pub prompts: Vec<RawJson>,
    pub resources: Vec<RawJson>,
    pub templates: Vec<RawJson>,
}
