//! The seat of a request: its principal and its session.

use std::sync::Arc;

use super::{AgentName, Scope};
use crate::id::{RunId, SessionId, TokenId};
use crate::{Digest, Principal, PrincipalId};

/// The identity behind a secret, once verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credential {
    pub principal: Principal,
    /// The agent definition that it is bound to. It never sees more than that definition admits.
    pub agent: Option<AgentName>,
    /// The session of this token.
    pub session: Option<SessionId>,
    /// The gateway's own token that was shown, if it was one.
    pub token: Option<TokenId>,
}

impl Credential {
    /// A credential without a binding.
    pub fn of(principal: Principal) -> Self {
        Self { principal, agent: None, session: None, token: None }
    }
}

/// The seat of a request: its principal, its session, and what they let it see.
#[derive(Clone, PartialEq, Debug)]
pub struct Seat {
    pub principal: Principal,
    pub session: SessionId,
    pub agent: AgentName,
    pub scope: Arc<Scope>,
    /// [`Scope::id`], worked out once.
    pub scope_id: Digest,
    /// The principal that opened the session, if any: people who propose a call through another principal do
    /// not approve it.
    pub opened_by: Option<PrincipalId>,
    /// The run that the session was opened for.
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
}

/// The session that a request selects among those that its credential may use: by its address, never by its
/// connection.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SessionRoute {
    /// The default session of the credential.
    Default,
    /// The default session of this agent.
    Agent(AgentName),
    Session(SessionId),
}
