//! The questions about sessions, and the answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::decision::PolicyTemplate;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::{AgentName, Mounts, Scope, Seat};
use toolgate_core::{Digest, Principal, PrincipalId};
use toolgate_store::{SessionEnd, SessionKind, StoredSession};

use crate::choice;

/// The time without use after which a session is called idle. That alone does not end it.
pub const IDLE_AFTER: Duration = Duration::from_secs(5 * 60);

/// The properties of a requested session.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NewSession {
    /// The caller's own, if not said.
    pub agent: Option<AgentName>,
    /// The additional mounts beyond its agent's.
    pub mounts: Mounts,
    pub policy_template: Option<PolicyTemplate>,
    pub task: Option<String>,
    pub run: Option<RunId>,
    /// The requested owner. Only operators may name another one.
    pub principal: Option<String>,
    /// The scope that it stays within, whatever its agent has. That of a run within another is that of the other's session.
    pub within: Option<Arc<Scope>>,
}

/// A session at the one moment the secret of its token is known.
#[derive(Clone, PartialEq)]
pub struct SessionWithToken {
    pub session: SessionView,
    pub token: String,
}

impl fmt::Debug for SessionWithToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("session", &self.session).finish_non_exhaustive()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct SessionView {
    pub id: SessionId,
    pub kind: SessionKind,
    pub state: SessionState,
    pub principal: Principal,
    /// The requested definition. `scope.layers` names the outer one, if it differs.
    pub agent: AgentName,
    pub agent_version: Digest,
    /// The view of its holder: frozen, or current for a default session.
    pub scope: Arc<Scope>,
    pub scope_id: Digest,
    /// The additional mounts beyond its agent's. `scope.mounts` has all of them.
    pub mounts: Mounts,
    pub task: Option<String>,
    pub run: Option<RunId>,
    pub opened_by: PrincipalId,
    pub created_at_ms: i64,
    pub last_used_at_ms: i64,
    pub closing: Option<SessionEnd>,
    pub idle_seconds: u64,
    pub lifetime_seconds: Option<u64>,
    /// Counts its changes, from 1.
    pub version: u64,
}

impl SessionView {
    /// The seat of its holder, for inspection without use.
    pub fn seat(&self) -> Seat {
        choice::seat(self.principal.clone(), self.id.clone(), Arc::clone(&self.scope))
    }

    pub(crate) fn of(session: StoredSession, now_ms: i64) -> Self {
        let state = SessionState::of(&session, now_ms);
        Self {
            id: session.id,
            kind: session.kind,
            state,
            principal: session.principal,
            agent: session.agent,
            agent_version: session.agent_version,
            scope_id: session.scope.id(),
            scope: session.scope,
            mounts: session.mounts,
            task: session.task,
            run: session.run,
            opened_by: session.opened_by,
            created_at_ms: session.created_at_ms,
            last_used_at_ms: session.last_used_at_ms,
            closing: session.closing,
            idle_seconds: session.idle_seconds,
            lifetime_seconds: session.lifetime_seconds,
            version: session.row_version,
        }
    }
}

/// `active ↔ idle → closed`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    Active,
    Idle,
    Closed,
}

impl SessionState {
    pub const ALL: [SessionState; 3] = [SessionState::Active, SessionState::Idle, SessionState::Closed];

    pub fn as_str(self) -> &'static str {
        match self {
            SessionState::Active => "active",
            SessionState::Idle => "idle",
            SessionState::Closed => "closed",
        }
    }

    pub fn parse(text: &str) -> Option<SessionState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    fn of(session: &StoredSession, now_ms: i64) -> Self {
        match &session.closing {
            Some(_) => SessionState::Closed,
            None if session.last_used_at_ms < idle_before(now_ms) => SessionState::Idle,
            None => SessionState::Active,
        }
    }
}

/// Sessions that were last used before this time are idle now.
pub(crate) fn idle_before(now_ms: i64) -> i64 {
    let idle_ms = i64::try_from(IDLE_AFTER.as_millis()).expect("it is minutes");
    now_ms.saturating_sub(idle_ms)
}

/// A filter for sessions. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SessionQuery {
    pub agent: Option<AgentName>,
    pub principal: Option<PrincipalId>,
    pub state: Option<SessionState>,
    /// The `next` of the page before.
    pub cursor: Option<String>,
    pub limit: usize,
}

/// Newest first.
#[derive(Clone, PartialEq, Debug)]
pub struct SessionPage {
    pub sessions: Vec<SessionView>,
    pub next: Option<String>,
}
