//! A session as its row holds it.

use std::sync::Arc;

use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::{AgentName, Mounts, Scope};
use toolgate_core::{Digest, Principal, PrincipalId};

pub(super) const READ: &str = "WHERE tenant = $1 AND id = $2";

pub(super) const COUNT_OPEN: &str =
    "SELECT COUNT(*) FROM sessions WHERE tenant = $1 AND agent = $2 AND state = 'open' AND kind = 'explicit'";

/// The same without the sessions of driven runs that wait for people: nobody works in them. When such a run goes on, its session counts
/// again, and goes on even if that is one too many.
pub(super) const COUNT_WORKING: &str =
    "SELECT COUNT(*) FROM sessions WHERE tenant = $1 AND agent = $2 AND state = 'open' AND kind = 'explicit'
        AND NOT EXISTS (SELECT 1 FROM run_loops
            WHERE run_loops.tenant = $1 AND run_loops.run = sessions.run AND run_loops.state = 'waiting')";

#[derive(Clone, PartialEq, Debug)]
pub struct StoredSession {
    pub id: SessionId,
    pub kind: SessionKind,
    pub principal: Principal,
    /// The definition that was asked for.
    pub agent: AgentName,
    pub agent_version: Digest,
    pub scope: Arc<Scope>,
    /// The mounts from its definitions.
    pub base_mounts: Mounts,
    /// The additional mounts.
    pub mounts: Mounts,
    pub task: Option<String>,
    pub run: Option<RunId>,
    pub opened_by: PrincipalId,
    pub closing: Option<SessionEnd>,
    pub created_at_ms: i64,
    pub last_used_at_ms: i64,
    pub idle_seconds: u64,
    pub lifetime_seconds: Option<u64>,
    /// 1 when it was opened.
    pub row_version: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionKind {
    /// Opened explicitly.
    Explicit,
    /// The default session of a credential. Never closed.
    Default,
}

impl SessionKind {
    pub const ALL: [SessionKind; 2] = [SessionKind::Explicit, SessionKind::Default];

    pub fn as_str(self) -> &'static str {
        match self {
            SessionKind::Explicit => "explicit",
            SessionKind::Default => "default",
        }
    }

    pub fn parse(text: &str) -> Option<SessionKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The end of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionEnd {
    pub at_ms: i64,
    /// `closed`, `idle`, `lifetime` or `revoked`.
    pub reason: String,
}

/// A mark that a session has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionMark {
    pub id: SessionId,
    /// The revision of the topic at that change.
    pub revision: u64,
    pub row_version: u64,
    pub is_open: bool,
}
