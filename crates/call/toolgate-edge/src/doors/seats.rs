//! Where a request sits: the session that a credential and an address lead to.

use std::sync::Arc;

use http::StatusCode;
use serde_json::json;
use toolgate_core::RpcError;
use toolgate_core::id::SessionId;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{AgentName, Credential, Route, Seat};

/// Finds the session of each request.
pub trait Seats: Send + Sync {
    /// The answer where it is known without looking it up.
    fn seat_known(&self, credential: &Credential, route: &Route) -> Option<Result<Arc<Seat>, NoSeat>>;
    fn seat<'a>(
        &'a self,
        credential: &'a Credential,
        route: &'a Route,
    ) -> BoxFuture<'a, Result<Arc<Seat>, NoSeat>>;
    /// The seat of a session as it is now, if it is known here; asking is not using it.
    fn seat_of(&self, session: &SessionId) -> Option<Arc<Seat>>;
    /// Whether a session that was used here has ended: nothing more is done in it.
    fn has_ended(&self, session: &SessionId) -> bool;
}

/// Why there is no session for a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSeat {
    pub kind: NoSeatKind,
    pub code: &'static str,
    pub message: String,
    pub hint: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoSeatKind {
    /// There is none, or none for this caller.
    NotFound,
    /// The credential stands for nothing any more.
    Over,
    /// What the credential is bound to cannot be had as it is written.
    Forbidden,
    /// Nobody can say now.
    Unavailable,
}

impl NoSeat {
    pub(crate) fn error(&self) -> RpcError {
        let data = json!({ "code": self.code, "hint": self.hint });
        RpcError::new(RpcError::INVALID_REQUEST, self.message.clone()).with_data(data)
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self.kind {
            NoSeatKind::NotFound => StatusCode::NOT_FOUND,
            NoSeatKind::Over => StatusCode::UNAUTHORIZED,
            NoSeatKind::Forbidden => StatusCode::FORBIDDEN,
            NoSeatKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

pub(crate) const MCP_PATH: &str = "/mcp";

/// What an address of the MCP endpoint names: `/mcp`, `/mcp/{agent}` or `/mcp/{session}`. Nothing for other addresses.
pub(crate) fn route_of(path: &str) -> Option<Route> {
    match path.strip_prefix(MCP_PATH)? {
        "" => Some(Route::Default),
        rest => name_of(rest.strip_prefix('/')?),
    }
}

fn name_of(name: &str) -> Option<Route> {
    if name.starts_with(SessionId::PREFIX) {
        return (!name.contains('/')).then(|| Route::Session(SessionId::new(name)));
    }
    let decoded = percent_encoding::percent_decode_str(name).decode_utf8().ok()?;
    AgentName::new(&decoded).ok().map(Route::Agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_session_an_agent_or_neither() {
        let agent = |name: &str| Some(Route::Agent(AgentName::new(name).unwrap()));
        assert_eq!(route_of("/mcp"), Some(Route::Default));
        assert_eq!(route_of("/mcp/support"), agent("support"));
        assert_eq!(route_of("/mcp/b%C3%BCro"), agent("büro"));
        assert_eq!(route_of("/mcp/ses_1"), Some(Route::Session(SessionId::new("ses_1"))));
        for other in ["/mcpx", "/mcp/", "/mcp/a/b", "/mcp/ses_1/x", "/mcp/%ff", "/mcp/a%20b", "/"] {
            assert_eq!(route_of(other), None, "{other}");
        }
    }
}
