//! The seat of a request: in the session of its credential, or in another one that it names.

use std::sync::Arc;

use serde::Deserialize;
use toolgate_core::Role;
use toolgate_core::codes;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{AgentName, Credential, Seat, SessionRoute};
use utoipa::IntoParams;

use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::bad_parameter;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeatQuery {
    /// View as this agent; never more than the token's own agent sees
    #[serde(default)]
    pub(super) agent: Option<String>,
    /// View as this session of the caller
    #[serde(default)]
    pub(super) session: Option<String>,
}

impl SeatQuery {
    /// The same rules apply as at `/mcp/{agent}` and `/mcp/{session}`.
    pub(super) async fn seat(self, context: &ApiContext, credential: &Credential) -> ApiResult<Arc<Seat>> {
        Ok(context.sessions.seat(credential, &self.route()?).await?)
    }

    fn route(self) -> ApiResult<SessionRoute> {
        match (self.agent, self.session) {
            (None, None) => Ok(SessionRoute::Default),
            (Some(agent), None) => Ok(SessionRoute::Agent(agent_name("agent", &agent)?)),
            (None, Some(session)) => Ok(SessionRoute::Session(SessionId::new(session))),
            (Some(_), Some(_)) => {
                let detail = "`agent` and `session` both say as whom: only one of them can stand here";
                Err(Problem::new(&codes::PARAMETER_INVALID, detail)
                    .hint("leave one of them out; a session has an agent already")
                    .with("field", "agent"))
            }
        }
    }
}

/// An agent's name in a path or a parameter.
pub(super) fn agent_name(parameter: &str, name: &str) -> ApiResult<AgentName> {
    AgentName::new(name).map_err(|bad| bad_parameter(parameter, name, "the name of an agent").hint(bad))
}

/// True if the caller may learn of tools that a session does not see, and of the rules that exclude them.
pub(super) fn oversees(credential: &Credential) -> bool {
    credential.session.is_none()
        && matches!(credential.principal.role, Role::Admin | Role::Operator | Role::Auditor)
}
