//! Where a request sits: who makes it, and in which session.

use std::sync::Arc;

use super::{AgentName, Scope};
use crate::id::{RunId, SessionId, TokenId};
use crate::{Digest, Principal, PrincipalId};

/// What a secret stands for, once it is verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credential {
    pub principal: Principal,
    /// The agent definition it is bound to. It sees no more than that one admits, wherever it goes.
    pub agent: Option<AgentName>,
    /// The session whose token it is.
    pub session: Option<SessionId>,
    /// The gateway's own token that was shown, if it was one.
    pub token: Option<TokenId>,
}

impl Credential {
    /// One that is bound to nothing.
    pub fn of(principal: Principal) -> Self {
        Self { principal, agent: None, session: None, token: None }
    }
}

/// Where a request sits: who makes it, in which session, and what that lets it see.
#[derive(Clone, PartialEq, Debug)]
pub struct Seat {
    pub principal: Principal,
    pub session: SessionId,
    pub agent: AgentName,
    pub scope: Arc<Scope>,
    /// [`Scope::id`], worked out once.
    pub scope_id: Digest,
    /// Who opened the session, where somebody did: people who ask for a call through another hand do not approve it.
    pub opened_by: Option<PrincipalId>,
    /// What the session was opened for.
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
}

/// Which of the sessions that a credential may use a request names: by its address, never by its connection.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Route {
    /// The one that the credential stands for.
    Default,
    /// The default session of this agent.
    Agent(AgentName),
    Session(SessionId),
}
