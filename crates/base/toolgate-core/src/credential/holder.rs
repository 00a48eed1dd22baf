//! The caller that uses a credential.

use crate::Principal;
use crate::id::{CallId, RunId, SessionId};
use crate::scope::{AgentName, Seat};

/// The principal behind the use of a credential. An id is a name, never a permission: every use is checked against
/// this.
#[derive(Clone, PartialEq, Debug)]
pub struct CredentialHolder {
    pub principal: Principal,
    pub agent: AgentName,
    pub session: SessionId,
    pub run: Option<RunId>,
    pub call: Option<CallId>,
}

impl CredentialHolder {
    pub fn of(seat: &Seat) -> Self {
        Self {
            principal: seat.principal.clone(),
            agent: seat.agent.clone(),
            session: seat.session.clone(),
            run: seat.run.clone(),
            call: None,
        }
    }
}
