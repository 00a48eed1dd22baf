//! The permissions to use sessions: pure, by credential and route.

use toolgate_core::id::SessionId;
use toolgate_core::scope::{AgentName, Credential, Scope, SessionRoute};
use toolgate_core::{Principal, Refusal, Role};
use toolgate_store::StoredSession;

use crate::refusal::{not_allowed, unknown_agent, unknown_session};

/// The target of a request.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum SessionTarget<'a> {
    /// The default session of this agent, or of the credential's own.
    Default(Option<&'a AgentName>),
    Session(&'a SessionId),
}

/// A session's token is valid for that session, and for nothing else.
pub(crate) fn target<'a>(
    credential: &'a Credential,
    route: &'a SessionRoute,
) -> Result<SessionTarget<'a>, Refusal> {
    match (&credential.session, route) {
        (Some(own), SessionRoute::Default) => Ok(SessionTarget::Session(own)),
        (Some(own), SessionRoute::Session(id)) if own == id => Ok(SessionTarget::Session(own)),
        (Some(_), SessionRoute::Session(id)) => Err(unknown_session(id)),
        (Some(_), SessionRoute::Agent(agent)) => Err(unknown_agent(agent)),
        (None, SessionRoute::Default) => Ok(SessionTarget::Default(None)),
        (None, SessionRoute::Agent(agent)) => Ok(SessionTarget::Default(Some(agent))),
        (None, SessionRoute::Session(id)) => Ok(SessionTarget::Session(id)),
    }
}

/// True if a credential may use a session of this principal. An id is a name, never a permission.
pub(crate) fn may_sit(credential: &Credential, principal: &Principal, scope: &Scope) -> bool {
    let who = &credential.principal;
    if credential.session.is_some() {
        return who.id == principal.id;
    }
    // A principal of the same name with another role (such as an auditor) is not the one who calls tools
    // here, and a credential bound to an agent stays within it.
    who.id == principal.id
        && who.kind == principal.kind
        && who.role == principal.role
        && !is_bound_elsewhere(credential, scope)
}

fn is_bound_elsewhere(credential: &Credential, scope: &Scope) -> bool {
    let is_elsewhere = |agent: &AgentName| !scope.layers.iter().any(|layer| layer.agent == *agent);
    credential.agent.as_ref().is_some_and(is_elsewhere)
}

/// The sessions that a credential may see.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum VisibleSessions<'a> {
    All,
    Own,
    One(&'a SessionId),
}

pub(crate) fn sight(by: &Credential) -> VisibleSessions<'_> {
    match (&by.session, by.principal.role) {
        (Some(own), _) => VisibleSessions::One(own),
        (None, Role::Admin | Role::Operator | Role::Auditor) => VisibleSessions::All,
        (None, Role::Approver | Role::Agent | Role::Server) => VisibleSessions::Own,
    }
}

pub(crate) fn may_see(by: &Credential, session: &StoredSession) -> bool {
    match sight(by) {
        VisibleSessions::All => true,
        VisibleSessions::Own => {
            by.principal.id == session.principal.id && !is_bound_elsewhere(by, &session.scope)
        }
        VisibleSessions::One(own) => *own == session.id,
    }
}

pub(crate) fn is_operator(by: &Credential) -> bool {
    by.session.is_none() && matches!(by.principal.role, Role::Admin | Role::Operator)
}

/// Checks that a credential that sees a session may change its mounts. A session's own holder must not widen
/// it.
pub(crate) fn may_change(by: &Credential, session: &StoredSession) -> Result<(), Refusal> {
    let opened_it =
        by.session.is_none() && by.principal.role == Role::Agent && by.principal.id == session.opened_by;
    if is_operator(by) || opened_it {
        return Ok(());
    }
    Err(not_allowed("what a session may touch is for its opener and for operators to say"))
}

/// Checks that a credential that sees a session may close it.
pub(crate) fn may_close(by: &Credential) -> Result<(), Refusal> {
    match by.principal.role {
        Role::Admin | Role::Operator | Role::Agent => Ok(()),
        Role::Approver | Role::Auditor | Role::Server => {
            Err(not_allowed("a session is for its holder and for operators to close"))
        }
    }
}

/// Checks that a credential may open sessions at all.
pub(crate) fn may_open(by: &Credential) -> Result<(), Refusal> {
    if by.session.is_some() {
        return Err(not_allowed("the token of a session opens no other session")
            .hint("open it with the token of the agent itself"));
    }
    match by.principal.role {
        Role::Admin | Role::Operator | Role::Agent => Ok(()),
        role @ (Role::Approver | Role::Auditor | Role::Server) => {
            let message = format!("the role {} calls no tools, so it opens no sessions", role.as_str());
            Err(not_allowed(message).hint("use a token of role agent, operator or admin"))
        }
    }
}

#[cfg(test)]
mod tests;
