//! The seat of a request: the session that a credential and an address lead to.

use std::sync::Arc;

use http::StatusCode;
use serde_json::json;
use toolgate_core::id::SessionId;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{AgentName, Credential, Seat, SessionRoute};
use toolgate_core::{Refusal, RefusalKind, RpcError};

/// Finds the session of each request.
pub trait Seats: Send + Sync {
    /// The answer where it is known without looking it up.
    fn seat_known(&self, credential: &Credential, route: &SessionRoute)
    -> Option<Result<Arc<Seat>, Refusal>>;
    fn seat<'a>(
        &'a self,
        credential: &'a Credential,
        route: &'a SessionRoute,
    ) -> BoxFuture<'a, Result<Arc<Seat>, Refusal>>;
    /// The seat of a session as it is now, if it is known here; asking is not using it.
    fn seat_of(&self, session: &SessionId) -> Option<Arc<Seat>>;
    /// True if a session that was used here has ended: nothing more is done in it.
    fn has_ended(&self, session: &SessionId) -> bool;
}

/// The refusal of a session where there is only JSON-RPC to say it in.
pub(crate) fn rpc_error(refusal: &Refusal) -> RpcError {
    let data = json!({ "code": refusal.code, "hint": refusal.hint });
    RpcError::new(RpcError::INVALID_REQUEST, refusal.message.clone()).with_data(data)
}

/// The HTTP status of the refusal of a session. A credential that was for a session ends with it.
pub(crate) fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal.kind {
        RefusalKind::Gone => StatusCode::UNAUTHORIZED,
        RefusalKind::Down => StatusCode::SERVICE_UNAVAILABLE,
        RefusalKind::Forbidden | RefusalKind::Conflict => StatusCode::FORBIDDEN,
        _ => StatusCode::NOT_FOUND,
    }
}

pub(crate) const MCP_PATH: &str = "/mcp";

/// The target that an address of the MCP endpoint names: `/mcp`, `/mcp/{agent}` or `/mcp/{session}`. Nothing for other addresses.
pub(crate) fn route_of(path: &str) -> Option<SessionRoute> {
    match path.strip_prefix(MCP_PATH)? {
        "" => Some(SessionRoute::Default),
        rest => name_of(rest.strip_prefix('/')?),
    }
}

fn name_of(name: &str) -> Option<SessionRoute> {
    if name.starts_with(SessionId::PREFIX) {
        return (!name.contains('/')).then(|| SessionRoute::Session(SessionId::new(name)));
    }
    let decoded = percent_encoding::percent_decode_str(name).decode_utf8().ok()?;
    AgentName::new(&decoded).ok().map(SessionRoute::Agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_session_an_agent_or_neither() {
        let agent = |name: &str| Some(SessionRoute::Agent(AgentName::new(name).unwrap()));
        assert_eq!(route_of("/mcp"), Some(SessionRoute::Default));
        assert_eq!(route_of("/mcp/support"), agent("support"));
        assert_eq!(route_of("/mcp/b%C3%BCro"), agent("büro"));
        assert_eq!(route_of("/mcp/ses_1"), Some(SessionRoute::Session(SessionId::new("ses_1"))));
        for other in ["/mcpx", "/mcp/", "/mcp/a/b", "/mcp/ses_1/x", "/mcp/%ff", "/mcp/a%20b", "/"] {
            assert_eq!(route_of(other), None, "{other}");
        }
    }
}
